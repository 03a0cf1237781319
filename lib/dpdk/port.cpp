// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/port.hpp"

#include "dpdk/eal.hpp"
#include "host/probes.hpp"
#include "host/rights.hpp"

#include <fmt/format.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <net/if.h>
#include <thread>
#include <utility>

namespace gensink::dpdk {
namespace {

std::string name_of(const std::string& device) {
    return device.substr(0, device.find(','));
}

std::string arguments_of(const std::string& device) {
    const std::size_t comma = device.find(',');
    return comma == std::string::npos ? std::string() : device.substr(comma + 1);
}

/// Value of `iface=` in device arguments, for devices that sit on a kernel interface.
std::string interface_of(const std::string& device) {
    const std::string args = "," + arguments_of(device);
    const std::size_t at = args.find(",iface=");
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t from = at + std::strlen(",iface=");
    return args.substr(from, args.find(',', from) - from);
}

rte_eth_dev_info info_of(PortId id) {
    rte_eth_dev_info info{};
    if (rte_eth_dev_info_get(id.value, &info) != 0) {
        info = {};
    }
    return info;
}

rte_eth_link link_of(PortId id) {
    rte_eth_link link{};
    if (rte_eth_link_get_nowait(id.value, &link) != 0) {
        link = {};
    }
    return link;
}

trial::FlowControl as_reported(rte_eth_fc_mode mode) {
    switch (mode) {
    case RTE_ETH_FC_RX_PAUSE:
        return trial::FlowControl::rx;
    case RTE_ETH_FC_TX_PAUSE:
        return trial::FlowControl::tx;
    case RTE_ETH_FC_FULL:
        return trial::FlowControl::both;
    case RTE_ETH_FC_NONE:
        break;
    }
    return trial::FlowControl::off;
}

/// The descriptor numbers that the device accepts, nearest to the one asked for.
Result<std::uint16_t>
adjusted_descriptors(PortId id, std::uint16_t asked, const std::string& name) {
    std::uint16_t rx = asked;
    std::uint16_t tx = asked;
    const int code = rte_eth_dev_adjust_nb_rx_tx_desc(id.value, &rx, &tx);
    if (code != 0) {
        return tl::unexpected<Error>(
            dpdk_error(ErrorKind::device, "the device refused its descriptor numbers", name, code)
        );
    }
    return std::max(rx, tx);
}

/// Whether a driver takes devices of this name: some bus then knows what to make of it.
bool has_driver(const std::string& name) {
    rte_devargs arguments{};
    const bool known = rte_devargs_parse(&arguments, name.c_str()) == 0;
    std::free(arguments.data);  // NOLINT: what rte_devargs_reset does, which is not stable in 22.11
    return known;
}

/// What a device that does not open needs, as far as can be told.
tl::unexpected<Error> not_opened(const std::string& device, int code) {
    Error error{ErrorKind::device, "cannot open the device", device, code < -1 ? -code : rte_errno};
    if (!has_driver(name_of(device))) {
        error.message = "DPDK has no driver for a device of this name";
        if (device == "peer" || device == "none") {
            error.message = fmt::format(
                "`{}` is no device, but stands for one in --ports DEV,{}: name a device here",
                device,
                device
            );
        } else if (device.find(':') == std::string::npos && !device.starts_with("net_")) {
            error.message += fmt::format(
                "; a kernel interface is opened as net_af_packet0,iface={}", name_of(device)
            );
        }
    } else if (error.os_code != 0) {
        error.message += fmt::format(": {}", rte_strerror(error.os_code));
    }
    // A tap makes its interface itself.
    const std::string interface = interface_of(device);
    if (!interface.empty() && !device.starts_with("net_tap") &&
        if_nametoindex(interface.c_str()) == 0) {
        error.message += fmt::format("; its network namespace has no interface `{}`", interface);
    }
    const std::string right = host::missing_right(device, host::probes());
    error.message +=
        right.empty()
            ? "; `gensink devices` lists what can be opened, `gensink doctor` says why not"
            : ": " + right;
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace

Port::Port(PortId id, std::string name, std::string interface, bool remove)
    : id_(id)
    , name_(std::move(name))
    , kernel_(interface.empty() ? nullptr : std::make_shared<KernelSide>(std::move(interface)))
    , remove_(remove) {}

Port Port::adopt(PortId id, std::string name) {
    return {id, std::move(name), {}, false};
}

Port Port::share(const Port& port) {
    Port shared{port.id_, port.name_, {}, false};
    shared.kernel_ = port.kernel_;
    shared.base_ = port.base_;
    return shared;
}

Result<Port> Port::probe(const std::string& device, bool remove) {
    const std::string name = name_of(device);
    const bool is_virtual = name.starts_with("net_");
    std::uint16_t id = 0;
    bool made = false;
    if (rte_eth_dev_get_port_by_name(name.c_str(), &id) != 0) {
        const std::string args = arguments_of(device);
        rte_errno = 0;  // drivers need not set it
        const int code = is_virtual ? rte_vdev_init(name.c_str(), args.c_str())
                         : remove   ? rte_dev_probe(device.c_str())
                                    : -ENODEV;
        if (code != 0) {
            return not_opened(device, code);
        }
        made = is_virtual;
        if (rte_eth_dev_get_port_by_name(name.c_str(), &id) != 0) {
            if (made) {
                rte_vdev_uninit(name.c_str());
            }
            return fail(ErrorKind::device, "the device was probed but offers no port", device);
        }
    }
    return Port(PortId{id}, name, interface_of(device), made || remove);
}

Port::Port(Port&& other) noexcept
    : id_(other.id_)
    , name_(std::move(other.name_))
    , kernel_(std::move(other.kernel_))
    , remove_(other.remove_)
    , started_(other.started_)
    , tx_descriptors_(other.tx_descriptors_)
    , owner_(std::exchange(other.owner_, false))
    , offloads_udp_checksum_(other.offloads_udp_checksum_)
    , warnings_(std::move(other.warnings_))
    , base_(other.base_) {}

Port::~Port() {
    release();
}

void Port::release() {
    if (!owner_) {
        return;
    }
    owner_ = false;
    if (started_) {
        rte_eth_dev_stop(id_.value);
    }
    const std::vector<int> xdp = kernel_ ? kernel_->own_xdp_sockets() : std::vector<int>{};
    kernel_.reset();  // an XDP program goes before the sockets that it serves
    if (remove_ && !name_.starts_with("net_")) {
        rte_dev_remove(info_of(id_).device);
    } else if (remove_) {
        rte_vdev_uninit(name_.c_str());
    }
    close_left_xdp_sockets(xdp);
}

Result<void> Port::configure(const PortSpec& spec) {
    const rte_eth_dev_info info = info_of(id_);
    if (spec.queues > info.max_tx_queues || spec.queues > info.max_rx_queues) {
        return fail(
            ErrorKind::device,
            fmt::format(
                "{} queues wanted, the device has {} transmit and {} receive queues; lower "
                "tx.queues, sink.queues",
                spec.queues,
                info.max_tx_queues,
                info.max_rx_queues
            ),
            name_
        );
    }
    if (spec.chains && (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) == 0) {
        return fail(
            ErrorKind::device,
            "tx.payload: zero_copy sends frames of two segments, which the device cannot take; "
            "use copy",
            name_
        );
    }
    const rte_eth_conf conf = configuration(spec, info);
    const int code = rte_eth_dev_configure(id_.value, spec.queues, spec.queues, &conf);
    if (code != 0) {
        return tl::unexpected<Error>(
            dpdk_error(ErrorKind::device, "the device refused its configuration", name_, code)
        );
    }
    if (kernel_) {
        kernel_->expect_queues();
    }
    Result<void> done = set_up_queues(spec, info, conf.txmode.offloads);
    if (done && kernel_) {
        std::ranges::move(kernel_->adopt_queues(), std::back_inserter(warnings_));
    }
    return done;
}

/// What the device can do of what is wanted; the rest becomes warnings.
rte_eth_conf Port::configuration(const PortSpec& spec, const rte_eth_dev_info& info) {
    rte_eth_conf conf{};
    const auto mtu = static_cast<std::uint16_t>(
        std::max<std::uint32_t>(spec.frame_bytes, RTE_ETHER_MAX_LEN) - RTE_ETHER_HDR_LEN -
        RTE_ETHER_CRC_LEN
    );
    conf.rxmode.mtu = mtu;
    if (spec.queues > 1) {
        conf.rx_adv_conf.rss_conf.rss_hf =
            info.flow_type_rss_offloads & (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP);
        if (conf.rx_adv_conf.rss_conf.rss_hf != 0) {
            conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        } else if (remove_ || !kernel_) {
            warnings_.push_back(name_ + ": no receive-side scaling by UDP flow");
        }
    }
    if (spec.udp_checksum_offload) {
        offloads_udp_checksum_ = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_UDP_CKSUM) != 0;
        if (offloads_udp_checksum_) {
            conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
        } else {
            warnings_.push_back(
                name_ +
                ": no UDP checksum offload; the checksum is written by gensink (incremental)"
            );
        }
    }
    // Never shared or chained frames, and one pool a queue: what FAST_FREE asks for (rte_ethdev.h).
    if (spec.chains) {
        conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    } else if (spec.one_pool) {
        conf.txmode.offloads |= info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
    }
    return conf;
}

Result<void>
Port::set_up_queues(const PortSpec& spec, const rte_eth_dev_info& info, std::uint64_t tx_offloads) {
    const Result<std::uint16_t> descriptors = adjusted_descriptors(id_, spec.descriptors, name_);
    if (!descriptors) {
        return tl::unexpected<Error>(descriptors.error());
    }
    if (*descriptors != spec.descriptors) {
        warnings_.push_back(
            fmt::format("{}: {} descriptors instead of {}", name_, *descriptors, spec.descriptors)
        );
    }
    tx_descriptors_ = *descriptors;
    const auto numa = static_cast<unsigned>(socket().value);
    for (std::uint16_t q = 0; q < spec.queues; ++q) {
        rte_eth_txconf tx = info.default_txconf;
        tx.offloads = tx_offloads;
        tx.tx_rs_thresh = spec.rs_thresh != 0 ? spec.rs_thresh : tx.tx_rs_thresh;
        tx.tx_free_thresh = spec.free_thresh != 0 ? spec.free_thresh : tx.tx_free_thresh;
        int code = rte_eth_tx_queue_setup(id_.value, q, *descriptors, numa, &tx);
        if (code == 0) {
            code = set_up_rx_queue({q}, *descriptors, spec.rx_pool);
        }
        if (code != 0) {
            return tl::unexpected<Error>(dpdk_error(
                ErrorKind::device, fmt::format("the device refused queue {}", q), name_, code
            ));
        }
    }
    check_thresholds(spec);
    return {};
}

/// The kernel frees the queue of a closed XDP socket in a work queue of its own (Linux
/// net/xdp/xsk_buff_pool.c, xp_put_pool), so that another finds it busy for some milliseconds.
int Port::set_up_rx_queue(QueueId queue, std::uint16_t descriptors, rte_mempool* pool) const {
    constexpr Duration step = std::chrono::milliseconds(20);
    constexpr Duration limit = std::chrono::seconds(2);
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const int code = rte_eth_rx_queue_setup(
            id_.value,
            queue.value,
            descriptors,
            static_cast<unsigned>(socket().value),
            nullptr,
            pool
        );
        if (code == 0 || !kernel_ || std::chrono::steady_clock::now() >= end) {
            return code;
        }
        std::this_thread::sleep_for(step);
    }
}

/// Many drivers have no such thresholds, and say nothing.
void Port::check_thresholds(const PortSpec& spec) {
    rte_eth_txq_info queue{};
    if ((spec.rs_thresh | spec.free_thresh) == 0) {
        return;
    }
    const bool told = rte_eth_tx_queue_info_get(id_.value, 0, &queue) == 0;
    const bool rs = spec.rs_thresh == 0 || queue.conf.tx_rs_thresh == spec.rs_thresh;
    const bool free = spec.free_thresh == 0 || queue.conf.tx_free_thresh == spec.free_thresh;
    if (!told || !rs || !free) {
        warnings_.push_back(
            name_ + ": the driver does not say that it heeds tx.rs_thresh and tx.free_thresh"
        );
    }
}

Result<void> Port::start() {
    const int code = rte_eth_dev_start(id_.value);
    if (code != 0) {
        return tl::unexpected<Error>(
            dpdk_error(ErrorKind::device, "the device did not start", name_, code)
        );
    }
    started_ = true;
    base_ = {};
    base_ = counters();
    if (kernel_) {
        kernel_->start();
    }
    return {};
}

Result<void> Port::set_flow_control(bool on) {
    constexpr const char* advice = "leave wire.flow_control out";
    if (kernel_) {
        return fail(
            ErrorKind::device,
            fmt::format(
                "flow control of a kernel interface is ethtool's: `ethtool -A IFACE rx {0} tx "
                "{0}`, and {1}",
                on ? "on" : "off",
                advice
            ),
            name_
        );
    }
    rte_eth_fc_conf control{};
    int code = rte_eth_dev_flow_ctrl_get(id_.value, &control);
    if (code == 0) {
        control.mode = on ? RTE_ETH_FC_FULL : RTE_ETH_FC_NONE;
        code = rte_eth_dev_flow_ctrl_set(id_.value, &control);
    }
    if (code != 0) {
        const std::string message = fmt::format("flow control cannot be set; {}", advice);
        return tl::unexpected<Error>(dpdk_error(ErrorKind::device, message, name_, code));
    }
    return {};
}

Result<void> Port::be_promiscuous(const std::string& why) {
    const bool done =
        kernel_ ? kernel_->be_promiscuous() : rte_eth_promiscuous_enable(id_.value) == 0;
    if (!done) {
        return fail(
            ErrorKind::device,
            fmt::format("{}, and the device cannot be promiscuous; name its own address", why),
            name_
        );
    }
    warnings_.push_back(fmt::format("{}: promiscuous mode: {}", name_, why));
    return {};
}

bool Port::wait_link(Duration limit) const {
    constexpr Duration step = std::chrono::milliseconds(5);
    // By the clock: on a busy host a sleep takes longer than it says.
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
        if (link_up().value_or(true)) {
            return true;
        }
        std::this_thread::sleep_for(step);
    }
    return link_up().value_or(true);
}

SocketId Port::socket() const {
    return {std::max(0, rte_eth_dev_socket_id(id_.value))};
}

plan::DeviceLimits Port::limits() const {
    const rte_eth_dev_info info = info_of(id_);
    plan::DeviceLimits limits;
    limits.max_frame_bytes = info.max_rx_pktlen;
    limits.max_queues = std::min(info.max_tx_queues, info.max_rx_queues);
    limits.min_descriptors = info.tx_desc_lim.nb_min;
    limits.max_descriptors = info.tx_desc_lim.nb_max;
    limits.probed = true;
    return limits;
}

std::string Port::driver() const {
    const rte_eth_dev_info info = info_of(id_);
    return info.driver_name == nullptr ? "" : info.driver_name;
}

std::optional<plan::MacAddress> Port::mac() const {
    rte_ether_addr address{};
    if (rte_eth_macaddr_get(id_.value, &address) != 0 || rte_is_zero_ether_addr(&address) != 0) {
        return std::nullopt;
    }
    plan::MacAddress mac{};
    std::copy(std::begin(address.addr_bytes), std::end(address.addr_bytes), mac.begin());
    return mac;
}

std::optional<std::uint64_t> Port::link_bps() const {
    const rte_eth_link link = link_of(id_);
    if (link.link_status != RTE_ETH_LINK_UP || link.link_speed == RTE_ETH_SPEED_NUM_NONE ||
        link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN) {
        return std::nullopt;
    }
    return std::uint64_t{link.link_speed} * 1'000'000;
}

std::optional<bool> Port::link_up() const {
    if (kernel_) {
        // af_packet and tap keep saying "up" whatever the interface does.
        if (const std::optional<bool> up = kernel_->link_up(); up) {
            return up;
        }
    }
    rte_eth_link link{};
    if (rte_eth_link_get_nowait(id_.value, &link) != 0) {
        return std::nullopt;
    }
    return link.link_status == RTE_ETH_LINK_UP;
}

trial::LinkReport Port::link() const {
    if (kernel_) {
        return kernel_->link();  // af_packet says 10 Gbit/s whatever the interface does
    }
    trial::LinkReport report;
    report.bps = link_bps();
    if (report.bps) {
        report.full_duplex = link_of(id_).link_duplex == RTE_ETH_LINK_FULL_DUPLEX;
    }
    rte_eth_fc_conf control{};
    if (rte_eth_dev_flow_ctrl_get(id_.value, &control) == 0) {
        report.flow_control = as_reported(control.mode);
    }
    return report;
}

trial::KernelReport Port::kernel_counters() const {
    return kernel_ ? kernel_->counters() : trial::KernelReport{};
}

std::optional<std::uint32_t> Port::free_descriptors(QueueId queue) const {
    // Offset 0 is the next descriptor to be used: free are those before the first that is full.
    std::uint16_t free = 0;
    std::uint16_t end = tx_descriptors_;
    while (free < end) {
        const auto middle = static_cast<std::uint16_t>(free + (end - free) / 2);
        const int status = rte_eth_tx_descriptor_status(id_.value, queue.value, middle);
        if (status < 0) {
            return std::nullopt;
        }
        if (status == RTE_ETH_TX_DESC_DONE) {
            free = static_cast<std::uint16_t>(middle + 1);
        } else {
            end = middle;
        }
    }
    return free;
}

trial::DeviceReport Port::counters() const {
    rte_eth_stats stats{};
    trial::DeviceReport report;
    if (rte_eth_stats_get(id_.value, &stats) != 0) {
        return report;
    }
    report.tx_frames = stats.opackets - base_.tx_frames.value_or(0);
    report.tx_errors = stats.oerrors - base_.tx_errors.value_or(0);
    report.rx_frames = stats.ipackets - base_.rx_frames.value_or(0);
    report.rx_missed = stats.imissed - base_.rx_missed.value_or(0);
    report.rx_errors = stats.ierrors - base_.rx_errors.value_or(0);
    report.rx_no_buffer = stats.rx_nombuf - base_.rx_no_buffer.value_or(0);
    return report;
}

}  // namespace gensink::dpdk
