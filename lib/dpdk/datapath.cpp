// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/datapath.hpp"

#include "dpdk/cable.hpp"
#include "dpdk/detail/open.hpp"
#include "dpdk/eal.hpp"
#include "dpdk/loops.hpp"
#include "dpdk/pool.hpp"
#include "dpdk/port.hpp"
#include "dpdk/telemetry.hpp"
#include "dpdk/threads.hpp"

#include <fmt/format.h>
#include <rte_cycles.h>
#include <rte_lcore.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace gensink::dpdk {
namespace {

constexpr Duration link_limit = std::chrono::seconds(5);

class EalDatapath final : public trial::Datapath, public trial::ControlLink {
  public:
    EalDatapath(Eal eal, plan::Environment environment)
        : eal_(std::move(eal)), environment_(std::move(environment)) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override;
    Result<void> start() override;
    Result<void> enter(counters::Phase phase) override;
    Result<void> wait(Duration duration) override;
    Result<trial::Snapshot> snapshot() override;
    Result<trial::Snapshot> stop() override;
    Result<void> close() override;

    trial::ControlLink* control_link() override {
        return environment_.peer && open_ ? this : nullptr;
    }

    [[nodiscard]] plan::MacAddress address() const override;

    bool send(std::span<const std::byte> frame) override {
        return detail::send_control(*open_, frame);
    }

    bool receive(const std::function<void(std::span<const std::byte>)>& read) override {
        return detail::receive_control(*open_, read);
    }

    Result<void> set_destination(const plan::MacAddress& peer) override;

  private:
    [[nodiscard]] bool drives_gen() const { return environment_.drives_gen; }

    [[nodiscard]] bool drives_sink() const {
        return environment_.drives_sink && open_->plan.sink.has_value();
    }

    void look_at_links();
    [[nodiscard]] trial::Snapshot look(bool ended) const;
    Result<void> set_up_links();
    /// One port is both ends: what left it comes back.
    [[nodiscard]] bool shares_port() const;
    Result<void> open_cable();
    Result<void> probe_ports();
    Result<void> open_ports();
    Result<void> start_ports();
    Result<void> configure(Port& port, const plan::EndPlan& end, const char* pool_name);
    [[nodiscard]] trial::Opened opened() const;

    Eal eal_;
    plan::Environment environment_;
    std::unique_ptr<detail::Open> open_;
    bool had_link_ = false;       ///< the generator's port, when it was opened
    trial::LinkReport gen_link_;  ///< of the open ports, once their link was up
    trial::LinkReport sink_link_;
};

std::string without_arguments(const std::string& device) {
    return device.substr(0, device.find(','));
}

/// `{run}` in a device's arguments is the run id, equal at both ends and new in each trial: memif
/// leaves its listening socket open when its port goes, so that no name can be used twice.
std::string for_this_run(std::string device, std::uint32_t run_id) {
    constexpr std::string_view mark = "{run}";
    if (const std::size_t at = device.find(mark); at != std::string::npos) {
        device.replace(at, mark.size(), fmt::format("{:08x}", run_id));
    }
    return device;
}

Result<trial::Opened> EalDatapath::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    open_ = std::make_unique<detail::Open>();
    gen_link_ = sink_link_ = {};
    open_->plan = plan;
    open_->run_id = run_id;
    Result<void> done = open_ports();
    if (done && environment_.peer) {
        done = detail::make_control_pool(*open_);
    }
    if (done && drives_gen()) {
        done = detail::make_tx_pools(*open_);
    }
    if (done && drives_sink() && plan.transport) {
        done = detail::make_ack_pools(*open_);
    }
    if (!done) {
        open_.reset();
        return tl::unexpected<Error>(done.error());
    }
    if (drives_gen()) {
        detail::make_gen_loops(*open_);
    }
    if (drives_sink()) {
        detail::make_sink_loops(*open_);
    }
    if (open_->gen) {
        had_link_ = open_->gen->wait_link(link_limit);  // which knows its speed once it is up
    }
    return opened();
}

plan::MacAddress EalDatapath::address() const {
    const auto own = open_->gen ? open_->gen->mac() : open_->sink->mac();
    return own.value_or(detail::default_mac);
}

Result<void> EalDatapath::set_destination(const plan::MacAddress& peer) {
    detail::Open& o = *open_;
    if (o.plan.frames.destination_mac == peer) {
        return {};
    }
    o.plan.frames.destination_mac = peer;
    o.ends.gen_loops.clear();
    o.tx_pools.clear();  // the payload's source and segments stay
    if (auto made = detail::make_tx_pools(o); !made) {
        return made;
    }
    detail::make_gen_loops(o);
    return {};
}

Result<void> EalDatapath::open_cable() {
    detail::Open& o = *open_;
    const std::uint32_t ring =
        std::max<std::uint32_t>(o.plan.gen.descriptors, 4U * o.plan.gen.burst);
    Result<Cable> cable = Cable::make(o.plan.gen.queues, ring, SocketId{0});
    if (!cable) {
        return tl::unexpected<Error>(cable.error());
    }
    o.cable.emplace(std::move(*cable));
    o.gen.emplace(Port::adopt(o.cable->gen(), "cable (generator)"));
    o.sink.emplace(Port::adopt(o.cable->sink(), "cable (sink)"));
    return {};
}

bool EalDatapath::shares_port() const {
    const detail::Open& o = *open_;
    return environment_.drives_gen && drives_sink() && o.plan.wire == plan::WireKind::ports &&
           without_arguments(o.plan.gen.device) == without_arguments(o.plan.sink->device);
}

Result<void> EalDatapath::probe_ports() {
    detail::Open& o = *open_;
    for (auto [end, port, wanted] :
         {std::tuple{&o.plan.gen, &o.gen, drives_gen()},
          std::tuple{
              o.plan.sink ? &*o.plan.sink : nullptr, &o.sink, drives_sink() && !shares_port()}}) {
        if (wanted) {
            Result<Port> probed =
                Port::probe(for_this_run(end->device, o.run_id), end->driver.keeps_buffers);
            if (!probed) {
                return tl::unexpected<Error>(probed.error());
            }
            port->emplace(std::move(*probed));
        }
    }
    return {};
}

Result<void> EalDatapath::open_ports() {
    detail::Open& o = *open_;
    if (Result<void> found = o.plan.wire == plan::WireKind::cable ? open_cable() : probe_ports();
        !found) {
        return found;
    }
    if (o.gen) {
        const plan::EndPlan& end = shares_port() ? *o.plan.sink : o.plan.gen;
        if (Result<void> done = configure(*o.gen, end, "gen-rx"); !done) {
            return done;
        }
    }
    if (o.sink) {
        if (Result<void> done = configure(*o.sink, *o.plan.sink, "sink-rx"); !done) {
            return done;
        }
    }
    return start_ports();
}

Result<void> EalDatapath::start_ports() {
    detail::Open& o = *open_;
    for (std::optional<Port>* port : {&o.sink, &o.gen}) {
        if (*port) {
            if (Result<void> done = (*port)->start(); !done) {
                return done;
            }
        }
    }
    if (shares_port()) {
        o.sink.emplace(Port::share(*o.gen));
    }
    return set_up_links();
}

/// Whether a port with this address drops frames to that one before anyone sees them.
bool filters(const Port& port, const std::optional<plan::MacAddress>& destination) {
    constexpr std::uint8_t group = 1;  // broadcast and multicast (IEEE 802 section 8.2)
    return destination && (destination->front() & group) == 0 && port.mac() != destination;
}

/// Flow control as the plan asks, and promiscuous mode only where frames need it.
Result<void> EalDatapath::set_up_links() {
    detail::Open& o = *open_;
    if (o.cable) {
        return {};
    }
    Result<void> done;
    for (std::optional<Port>* port : {&o.sink, &o.gen}) {
        if (done && *port && o.plan.flow_control != plan::FlowControl::leave) {
            done = (*port)->set_flow_control(o.plan.flow_control == plan::FlowControl::on);
        }
    }
    // Over one port frames come back with their addresses swapped.
    if (done && o.sink && !shares_port() && filters(*o.sink, o.plan.frames.destination_mac)) {
        done = o.sink->be_promiscuous("traffic.destination_mac is not the sink's address");
    }
    const bool hears = o.plan.transport || shares_port();
    if (done && o.gen && hears && filters(*o.gen, o.plan.frames.source_mac)) {
        done = o.gen->be_promiscuous("answers go to traffic.source_mac, not the port's address");
    }
    return done;
}

Result<void> EalDatapath::configure(Port& port, const plan::EndPlan& end, const char* pool_name) {
    detail::Open& o = *open_;
    // Every end can receive: drivers pair their queues. The generator's hears ACKs, or nothing.
    const bool is_sink = o.plan.sink && &end == &*o.plan.sink;
    const std::uint32_t frames =
        is_sink ? std::max<std::uint32_t>(end.pool_frames, 2U * end.descriptors * end.queues)
                : 2U * end.descriptors * end.queues;
    const std::uint32_t kept = end.driver.pool_extra * end.queues;
    PortSpec spec;
    spec.queues = end.queues;
    spec.descriptors = end.descriptors;
    if (shares_port()) {
        spec.queues = std::max(o.plan.gen.queues, end.queues);
        spec.descriptors = std::max(o.plan.gen.descriptors, end.descriptors);
    }
    if (!is_sink || shares_port()) {
        spec.rs_thresh = o.plan.gen.rs_thresh;
        spec.free_thresh = o.plan.gen.free_thresh;
        spec.pthresh = o.plan.gen.pthresh;
        spec.hthresh = o.plan.gen.hthresh;
        spec.wthresh = o.plan.gen.wthresh;
    }
    spec.frame_bytes = wire::frame_bytes(detail::largest_payload(o.plan));
    if (environment_.peer) {
        spec.frame_bytes = std::max(spec.frame_bytes, engine::Mailbox::longest + wire::fcs_bytes);
        spec.one_pool = false;
    }
    spec.udp_checksum_offload =
        (!is_sink || shares_port()) && o.plan.frames.udp_checksum == plan::UdpChecksum::offload;
    spec.chains = (!is_sink || shares_port()) && o.plan.payload.mode == flow::Payload::zero_copy;
    // Rings carry the generator's own frames; a receive queue of theirs only has to name some pool.
    const bool unused = o.plan.wire == plan::WireKind::cable && !o.plan.fault.any();
    Result<Pool> pool = make_rx_pool(
        pool_name,
        unused ? 63 : frames + kept,
        std::max(rx_room_bytes(spec.frame_bytes, end.driver), port.slot_bytes()),
        port.socket()
    );
    if (!pool) {
        return tl::unexpected<Error>(pool.error());
    }
    o.rx_pools.push_back(std::move(*pool));
    spec.rx_pool = o.rx_pools.back().get();
    return port.configure(spec);
}

trial::Opened EalDatapath::opened() const {
    const detail::Open& o = *open_;
    trial::Opened opened;
    opened.tsc_hz = rte_get_tsc_hz();
    opened.memory = environment_.hugepages ? "hugepages" : "4 KiB pages";
    if (o.gen) {
        opened.gen_limits = o.gen->limits();
        opened.gen_link_bps = o.cable ? std::nullopt : o.gen->link_bps();
        opened.gen_driver = o.gen->driver();
        opened.gen_mac = o.gen->mac();
        opened.warnings = o.gen->warnings();
    }
    if (o.sink) {
        opened.sink_limits = o.sink->limits();
        opened.sink_link_bps = o.cable ? std::nullopt : o.sink->link_bps();
        opened.sink_driver = o.sink->driver();
        opened.sink_mac = o.sink->mac();
        const std::vector<std::string>& more = o.sink->warnings();
        opened.warnings.insert(opened.warnings.end(), more.begin(), more.end());
    }
    return opened;
}

Result<void> EalDatapath::start() {
    detail::Open& o = *open_;
    if (o.gen && !o.gen->wait_link(had_link_ ? link_limit : Duration::zero())) {
        return fail(
            ErrorKind::device,
            fmt::format(
                "no link after {:.0f} s; check the cable, the peer, and `ip link`",
                seconds(link_limit)
            ),
            o.plan.gen.device
        );
    }
    return o.ends.start(o.plan, launch_on_lcore);
}

Result<void> EalDatapath::enter(counters::Phase phase) {
    open_->ends.enter(phase);
    return {};
}

Result<void> EalDatapath::wait(Duration duration) {
    std::this_thread::sleep_for(duration);
    return {};
}

/// In the first phase only: reading a link may take a device's own registers.
void EalDatapath::look_at_links() {
    detail::Open& o = *open_;
    if (o.cable || o.ends.phase() != counters::Phase::settle) {
        return;
    }
    if (o.gen && o.gen->link_up().value_or(true)) {
        gen_link_ = o.gen->link();
    }
    if (o.sink && o.sink->link_up().value_or(true)) {
        sink_link_ = o.sink->link();
    }
}

trial::Snapshot EalDatapath::look(bool ended) const {
    trial::Snapshot counts = detail::take_snapshot(*open_, ended);
    counts.gen_link = gen_link_;
    counts.sink_link = sink_link_;
    if (environment_.telemetry) {
        telemetry::show(open_->run_id, open_->ends.phase(), counts);
    }
    return counts;
}

Result<trial::Snapshot> EalDatapath::snapshot() {
    if (!open_) {
        return fail(ErrorKind::measurement, "no port is open");
    }
    look_at_links();
    return look(false);
}

Result<trial::Snapshot> EalDatapath::stop() {
    if (!open_) {
        return fail(ErrorKind::measurement, "no port is open");
    }
    open_->ends.stop();
    return look(true);
}

Result<void> EalDatapath::close() {
    open_.reset();
    return {};
}

}  // namespace

Result<std::unique_ptr<trial::Datapath>> make_datapath(const plan::Environment& environment) {
    Result<Eal> eal = Eal::start(environment);
    if (!eal) {
        return tl::unexpected<Error>(eal.error());
    }
    if (environment.telemetry) {
        if (Result<void> told = telemetry::start(); !told) {
            return tl::unexpected<Error>(told.error());
        }
    }
    return std::make_unique<EalDatapath>(std::move(*eal), environment);
}

}  // namespace gensink::dpdk
