// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/datapath.hpp"

#include "counters/published.hpp"
#include "dpdk/cable.hpp"
#include "dpdk/eal.hpp"
#include "dpdk/loops.hpp"
#include "dpdk/pool.hpp"
#include "dpdk/port.hpp"
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

constexpr plan::MacAddress broadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
/// Locally administered, for ports that have none of their own.
constexpr plan::MacAddress gen_default_mac{0x02, 0x67, 0x73, 0, 0, 1};
constexpr Duration link_limit = std::chrono::seconds(5);

std::uint64_t ticks(Duration duration) {
    return static_cast<std::uint64_t>(seconds(duration) * static_cast<double>(rte_get_tsc_hz()));
}

/// Everything that one trial holds. Members are destroyed from the last to the first: loops before
/// ports, ports before the pools that their queues point to, rings (with frames in them) before
/// pools.
struct Open {
    plan::TrialPlan plan;
    std::uint32_t run_id = 0;
    std::vector<Pool> rx_pools;
    std::vector<Pool> tx_pools;
    std::optional<Cable> cable;
    std::optional<Port> gen;
    std::optional<Port> sink;
    engine::Control gen_control;
    engine::Control sink_control;
    std::vector<std::unique_ptr<GenLoop>> gen_loops;
    std::vector<std::unique_ptr<SinkLoop>> sink_loops;
    std::vector<std::unique_ptr<Thread>> gen_threads;
    std::vector<std::unique_ptr<Thread>> sink_threads;
};

class EalDatapath final : public trial::Datapath {
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

  private:
    [[nodiscard]] bool drives_gen() const { return environment_.drives_gen; }

    [[nodiscard]] bool drives_sink() const {
        return environment_.drives_sink && open_->plan.sink.has_value();
    }

    Result<void> open_ports();
    Result<void> configure(Port& port, const plan::EndPlan& end, const char* pool_name);
    Result<void> make_tx_pools();
    void make_gen_loops();
    void make_sink_loops();
    [[nodiscard]] wire::FrameFields frame_fields() const;
    [[nodiscard]] trial::Opened opened() const;
    [[nodiscard]] engine::LoopSpec loop_spec(const plan::EndPlan& end) const;

    Eal eal_;
    plan::Environment environment_;
    std::unique_ptr<Open> open_;
};

/// `{run}` in a device's arguments is the run id, equal at both ends and new in each trial: memif
/// leaves its listening socket open when its port goes, so that no name can be used twice.
std::string for_this_run(std::string device, std::uint32_t run_id) {
    constexpr std::string_view mark = "{run}";
    if (const std::size_t at = device.find(mark); at != std::string::npos) {
        device.replace(at, mark.size(), fmt::format("{:08x}", run_id));
    }
    return device;
}

std::uint16_t largest_payload(const plan::FrameRecipe& frames) {
    return *std::max_element(frames.payload_bytes.begin(), frames.payload_bytes.end());
}

Result<trial::Opened> EalDatapath::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    open_ = std::make_unique<Open>();
    open_->plan = plan;
    open_->run_id = run_id;
    Result<void> done = open_ports();
    if (done && drives_gen()) {
        done = make_tx_pools();
    }
    if (!done) {
        open_.reset();
        return tl::unexpected<Error>(done.error());
    }
    if (drives_gen()) {
        make_gen_loops();
    }
    if (drives_sink()) {
        make_sink_loops();
    }
    return opened();
}

Result<void> EalDatapath::open_ports() {
    Open& o = *open_;
    if (o.plan.wire == plan::WireKind::cable) {
        const std::uint32_t ring =
            std::max<std::uint32_t>(o.plan.gen.descriptors, 4U * o.plan.gen.burst);
        Result<Cable> cable = Cable::make(o.plan.gen.queues, ring, SocketId{0});
        if (!cable) {
            return tl::unexpected<Error>(cable.error());
        }
        o.cable.emplace(std::move(*cable));
        o.gen.emplace(Port::adopt(o.cable->gen(), "cable (generator)"));
        o.sink.emplace(Port::adopt(o.cable->sink(), "cable (sink)"));
    } else {
        for (auto [end, port, wanted] :
             {std::tuple{&o.plan.gen, &o.gen, drives_gen()},
              std::tuple{o.plan.sink ? &*o.plan.sink : nullptr, &o.sink, drives_sink()}}) {
            if (wanted) {
                Result<Port> probed = Port::probe(for_this_run(end->device, o.run_id));
                if (!probed) {
                    return tl::unexpected<Error>(probed.error());
                }
                port->emplace(std::move(*probed));
            }
        }
    }
    if (o.gen) {
        if (Result<void> done = configure(*o.gen, o.plan.gen, "gen-rx"); !done) {
            return done;
        }
    }
    if (o.sink) {
        if (Result<void> done = configure(*o.sink, *o.plan.sink, "sink-rx"); !done) {
            return done;
        }
    }
    for (std::optional<Port>* port : {&o.sink, &o.gen}) {
        if (*port) {
            if (Result<void> done = (*port)->start(); !done) {
                return done;
            }
        }
    }
    return {};
}

Result<void> EalDatapath::configure(Port& port, const plan::EndPlan& end, const char* pool_name) {
    Open& o = *open_;
    // Every end can receive: drivers pair their queues. The generator's is small, and never read.
    const bool is_sink = o.plan.sink && &end == &*o.plan.sink;
    const std::uint32_t frames =
        is_sink ? std::max<std::uint32_t>(end.pool_frames, 2U * end.descriptors * end.queues)
                : 2U * end.descriptors * end.queues;
    PortSpec spec;
    spec.queues = end.queues;
    spec.descriptors = end.descriptors;
    spec.frame_bytes = wire::frame_bytes(largest_payload(o.plan.frames));
    spec.udp_checksum_offload =
        !is_sink && o.plan.frames.udp_checksum == plan::UdpChecksum::offload;
    // Rings carry the generator's own frames; a receive queue of theirs only has to name some pool.
    const bool unused = o.plan.wire == plan::WireKind::cable && !o.plan.fault.any();
    Result<Pool> pool = make_rx_pool(
        pool_name,
        unused ? 63 : frames,
        rx_room_bytes(spec.frame_bytes, end.driver.small_buffers),
        port.socket()
    );
    if (!pool) {
        return tl::unexpected<Error>(pool.error());
    }
    o.rx_pools.push_back(std::move(*pool));
    spec.rx_pool = o.rx_pools.back().get();
    return port.configure(spec);
}

wire::FrameFields EalDatapath::frame_fields() const {
    const Open& o = *open_;
    const plan::FrameRecipe& f = o.plan.frames;
    wire::FrameFields fields;
    fields.source_mac = f.source_mac.value_or(o.gen->mac().value_or(gen_default_mac));
    const std::optional<plan::MacAddress> peer = o.sink ? o.sink->mac() : std::nullopt;
    fields.destination_mac = f.destination_mac.value_or(peer.value_or(broadcast));
    fields.source_ip = f.source_ip;
    fields.destination_ip = f.destination_ip;
    fields.source_port = f.source_port;
    fields.destination_port = f.destination_port;
    fields.payload_bytes = largest_payload(f);
    fields.run_id = o.run_id;
    if (f.udp_checksum == plan::UdpChecksum::zero) {
        fields.checksum = wire::UdpChecksumField::zero;
    } else if (o.gen->offloads_udp_checksum()) {
        fields.checksum = wire::UdpChecksumField::pseudo;
    }
    return fields;
}

Result<void> EalDatapath::make_tx_pools() {
    Open& o = *open_;
    for (std::uint16_t q = 0; q < o.plan.gen.queues; ++q) {
        const Template frame{
            frame_fields(), static_cast<std::uint8_t>(q), o.gen->offloads_udp_checksum()};
        Result<Pool> pool = make_tx_pool(
            fmt::format("gen-tx{}", q), o.plan.gen.pool_frames, frame, o.gen->socket()
        );
        if (!pool) {
            return tl::unexpected<Error>(pool.error());
        }
        o.tx_pools.push_back(std::move(*pool));
    }
    return {};
}

engine::LoopSpec EalDatapath::loop_spec(const plan::EndPlan& end) const {
    using namespace std::chrono_literals;
    const Duration limit = open_->plan.validity.turn_limit;
    // A driver that enters the kernel may stay there; any other takes far less than 1 us a frame.
    const Duration stall =
        end.driver.system_calls ? limit : std::min<Duration>(limit, 200us + 1us * end.burst);
    return {ticks(limit), ticks(stall), ticks(1ms)};
}

void EalDatapath::make_gen_loops() {
    Open& o = *open_;
    for (const plan::CorePlan& core : o.plan.gen.cores) {
        GenLoopSpec spec;
        spec.loop = loop_spec(o.plan.gen);
        spec.paced = o.plan.intended_fps.has_value();
        for (const QueueId queue : core.queues) {
            GenQueueSpec q{o.gen->id().value, queue.value, o.tx_pools[queue.value].get(), {}, {}};
            q.stream = {
                o.run_id,
                static_cast<std::uint8_t>(queue.value),
                o.plan.frames.flows,
                o.plan.frames.payload_bytes,
                frame_fields()};
            if (spec.paced) {
                q.pacer = flow::share(
                    static_cast<double>(rte_get_tsc_hz()),
                    *o.plan.intended_fps,
                    o.plan.gen.queues,
                    queue.value
                );
            }
            q.pacer.burst = o.plan.gen.burst;
            q.pacer.fill = o.plan.fill;
            q.pacer.flush_after_ticks = ticks(o.plan.flush_after);
            q.pacer.behind = o.plan.behind;
            spec.queues.push_back(std::move(q));
        }
        o.gen_loops.push_back(make_gen_loop(spec));
    }
}

void EalDatapath::make_sink_loops() {
    Open& o = *open_;
    const plan::FaultPlan& fault = o.plan.fault;
    for (const plan::CorePlan& core : o.plan.sink->cores) {
        SinkLoopSpec spec;
        spec.loop = loop_spec(*o.plan.sink);
        spec.sink = {
            .run_id = o.run_id,
            .destination_port = o.plan.frames.destination_port,
            .streams = o.plan.gen.queues,
            .flows = o.plan.frames.flows,
            .burst = o.plan.sink->burst,
            .slow_ticks = fault.slow_ticks,
        };
        spec.cable = o.cable.has_value();
        spec.full = o.plan.verify == plan::Verify::full;
        spec.fault = {
            fault.drop_every,
            fault.duplicate_every,
            fault.reorder_every,
            fault.reorder_depth,
            fault.corrupt_every,
            fault.foreign_every};
        plan::FaultPlan frames_only = fault;
        frames_only.slow_ticks = 0;
        spec.faulty = frames_only.any();
        for (const QueueId queue : core.queues) {
            const bool raw = spec.cable && !spec.faulty;
            spec.queues.push_back({
                o.sink->id().value,
                queue.value,
                raw ? o.tx_pools[queue.value].get() : o.rx_pools.back().get(),
            });
        }
        o.sink_loops.push_back(make_sink_loop(spec));
    }
}

trial::Opened EalDatapath::opened() const {
    const Open& o = *open_;
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
    Open& o = *open_;
    if (o.gen && !o.gen->wait_link(link_limit)) {
        return fail(
            ErrorKind::device,
            fmt::format(
                "no link after {:.0f} s; check the cable, the peer, and `ip link`",
                seconds(link_limit)
            ),
            o.plan.gen.device
        );
    }
    for (std::size_t i = 0; i < o.sink_loops.size(); ++i) {
        SinkLoop* const loop = o.sink_loops[i].get();
        auto thread =
            Thread::launch(o.plan.sink->cores[i], [loop, &o] { loop->run(o.sink_control); });
        if (!thread) {
            return tl::unexpected<Error>(thread.error());
        }
        o.sink_threads.push_back(std::move(*thread));
    }
    for (std::size_t i = 0; i < o.gen_loops.size(); ++i) {
        GenLoop* const loop = o.gen_loops[i].get();
        auto thread = Thread::launch(o.plan.gen.cores[i], [loop, &o] { loop->run(o.gen_control); });
        if (!thread) {
            return tl::unexpected<Error>(thread.error());
        }
        o.gen_threads.push_back(std::move(*thread));
    }
    return {};
}

/// Waits until the sink's loops have ended their measure interval, while frames still come: an
/// interval that outlasts the generator's would show too low a rate. A loop that lost its core is
/// not waited for long.
void await_cut(const std::vector<std::unique_ptr<SinkLoop>>& loops) {
    constexpr auto step = std::chrono::microseconds(50);
    constexpr int steps = 400;
    for (const std::unique_ptr<SinkLoop>& loop : loops) {
        for (int i = 0; i < steps && loop->phase() != counters::Phase::drain; ++i) {
            std::this_thread::sleep_for(step);
        }
    }
}

Result<void> EalDatapath::enter(counters::Phase phase) {
    Open& o = *open_;
    for (const auto* threads : {&o.gen_threads, &o.sink_threads}) {
        for (const std::unique_ptr<Thread>& thread : *threads) {
            if (phase == counters::Phase::measure) {
                thread->mark();
            } else if (phase == counters::Phase::drain) {
                thread->cut();
            }
        }
    }
    o.sink_control.phase.store(phase, std::memory_order_relaxed);
    if (phase == counters::Phase::drain) {
        await_cut(o.sink_loops);
    }
    o.gen_control.phase.store(phase, std::memory_order_relaxed);
    return {};
}

Result<void> EalDatapath::wait(Duration duration) {
    std::this_thread::sleep_for(duration);
    return {};
}

template <class Counts, class Loop>
trial::CoreReport<Counts>
core_report(const Loop& loop, const plan::CorePlan& core, const Thread* thread, bool ended) {
    trial::CoreReport<Counts> report;
    report.lcore = core.lcore;
    report.total = loop.total();
    if (ended) {
        const engine::LoopReport<Counts>& last = loop.report();
        report.total = last.total;
        report.measured = last.measured;
        report.measure_start_ticks = last.measure_start_ticks;
        report.measure_end_ticks = last.measure_end_ticks;
    }
    if (thread != nullptr) {
        report.thread = thread->facts();
        report.ended = thread->ended() ? 1 : 0;
    }
    return report;
}

/// `ended`: the loops have returned, so that their reports are complete.
trial::Snapshot take_snapshot(const Open& o, bool ended) {
    trial::Snapshot s;
    s.tsc_hz = rte_get_tsc_hz();
    s.streams.resize(o.plan.gen.queues);
    for (std::size_t i = 0; i < s.streams.size(); ++i) {
        s.streams[i].stream = StreamId{static_cast<std::uint8_t>(i)};
    }
    for (std::size_t i = 0; i < o.gen_loops.size(); ++i) {
        const plan::CorePlan& core = o.plan.gen.cores[i];
        const Thread* thread = i < o.gen_threads.size() ? o.gen_threads[i].get() : nullptr;
        s.gen.push_back(core_report<counters::TxCounts>(*o.gen_loops[i], core, thread, ended));
        for (std::size_t q = 0; ended && q < core.queues.size(); ++q) {
            s.streams[core.queues[q].value].sent_measured = o.gen_loops[i]->streams_measured()[q];
        }
    }
    for (std::size_t i = 0; i < o.sink_loops.size(); ++i) {
        const Thread* thread = i < o.sink_threads.size() ? o.sink_threads[i].get() : nullptr;
        s.sink.push_back(core_report<counters::SinkCounts>(
            *o.sink_loops[i], o.plan.sink->cores[i], thread, ended
        ));
        for (std::size_t q = 0; q < s.streams.size(); ++q) {
            const engine::StreamSeen seen = o.sink_loops[i]->stream(q);
            s.streams[q].seen_measured = counters::sum(s.streams[q].seen_measured, seen.measured);
            s.streams[q].seen_other = counters::sum(s.streams[q].seen_other, seen.other);
        }
    }
    if (o.gen) {
        s.gen_device = o.gen->counters();
        s.gen_link_up = o.gen->link_up();
    }
    if (o.sink) {
        s.sink_device = o.sink->counters();
        s.sink_link_up = o.sink->link_up();
    }
    for (const Pool& pool : o.tx_pools) {
        s.frames_left_in_pool += rte_mempool_avail_count(pool.get());
    }
    return s;
}

Result<trial::Snapshot> EalDatapath::snapshot() {
    return take_snapshot(*open_, false);
}

Result<trial::Snapshot> EalDatapath::stop() {
    Open& o = *open_;
    // The generator ends first, so that a stop in full flight leaves no sent frame unheard.
    o.gen_control.phase.store(counters::Phase::drain, std::memory_order_relaxed);
    for (const std::unique_ptr<Thread>& thread : o.gen_threads) {
        thread->join();
    }
    o.sink_control.stop.store(true, std::memory_order_relaxed);
    for (const std::unique_ptr<Thread>& thread : o.sink_threads) {
        thread->join();
    }
    return take_snapshot(o, true);
}

Result<void> EalDatapath::close() {
    if (open_) {
        open_->gen_control.stop.store(true, std::memory_order_relaxed);
        open_->sink_control.stop.store(true, std::memory_order_relaxed);
        open_.reset();
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<trial::Datapath>> make_datapath(const plan::Environment& environment) {
    Result<Eal> eal = Eal::start(environment);
    if (!eal) {
        return tl::unexpected<Error>(eal.error());
    }
    return std::make_unique<EalDatapath>(std::move(*eal), environment);
}

}  // namespace gensink::dpdk
