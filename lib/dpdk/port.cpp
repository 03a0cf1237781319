// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/port.hpp"

#include "dpdk/detail/port_info.hpp"
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
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <net/if.h>
#include <string_view>
#include <thread>
#include <utility>

namespace gensink::dpdk {

rte_eth_dev_info detail::info_of(PortId id) {
    rte_eth_dev_info info{};
    if (rte_eth_dev_info_get(id.value, &info) != 0) {
        info = {};
    }
    return info;
}

namespace {

using detail::info_of;

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

/// Value of `framesz=`, the size of a slot in a packet socket's ring.
std::uint32_t slot_bytes_of(const std::string& device) {
    constexpr std::string_view key = ",framesz=";
    const std::size_t at = device.find(key);
    std::uint32_t bytes = 0;
    if (at != std::string::npos) {
        (void
        )std::from_chars(device.data() + at + key.size(), device.data() + device.size(), bytes);
    }
    return bytes;
}

rte_eth_link link_of(PortId id) {
    rte_eth_link link{};
    if (rte_eth_link_get_nowait(id.value, &link) != 0) {
        link = {};
    }
    return link;
}

std::optional<rte_eth_stats> stats_of(PortId id) {
    rte_eth_stats stats{};
    return rte_eth_stats_get(id.value, &stats) == 0 ? std::optional(stats) : std::nullopt;
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
    shared.missed_ = port.missed_;
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
    Port port(PortId{id}, name, interface_of(device), made || remove);
    port.slot_bytes_ = slot_bytes_of(device);
    return port;
}

Port::Port(Port&& other) noexcept
    : id_(other.id_)
    , name_(std::move(other.name_))
    , kernel_(std::move(other.kernel_))
    , remove_(other.remove_)
    , started_(other.started_)
    , tx_descriptors_(other.tx_descriptors_)
    , slot_bytes_(other.slot_bytes_)
    , owner_(std::exchange(other.owner_, false))
    , offloads_udp_checksum_(other.offloads_udp_checksum_)
    , warnings_(std::move(other.warnings_))
    , base_(other.base_)
    , missed_(std::move(other.missed_)) {}

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
    if (!xdp.empty()) {
        // The kernel takes queue and program back in a work queue of its own: a port that is opened
        // over the same interface before that hears nothing.
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
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
    missed_->start([this] { return stats_of(id_).value_or(rte_eth_stats{}).imissed; });
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
    std::optional<rte_eth_stats> stats;
    trial::DeviceReport report;
    const std::uint64_t missed = missed_->since_start([this, &stats] {
        stats = stats_of(id_);
        return stats ? stats->imissed : 0;
    });
    if (!stats) {
        return report;
    }
    report.tx_frames = stats->opackets - base_.tx_frames.value_or(0);
    report.tx_errors = stats->oerrors - base_.tx_errors.value_or(0);
    report.rx_frames = stats->ipackets - base_.rx_frames.value_or(0);
    report.rx_missed = missed;
    report.rx_errors = stats->ierrors - base_.rx_errors.value_or(0);
    report.rx_no_buffer = stats->rx_nombuf - base_.rx_no_buffer.value_or(0);
    return report;
}

}  // namespace gensink::dpdk
