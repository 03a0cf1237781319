// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/kernel_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gensink::dpdk {

namespace {

trial::FlowControl as_reported(host::FlowControl control) {
    switch (control) {
    case host::FlowControl::rx:
        return trial::FlowControl::rx;
    case host::FlowControl::tx:
        return trial::FlowControl::tx;
    case host::FlowControl::both:
        return trial::FlowControl::both;
    case host::FlowControl::off:
        break;
    }
    return trial::FlowControl::off;
}

/// What the kernel says of an interface (netdevice(7)).
std::optional<ifreq> ask(const std::string& interface, unsigned long what) {
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return std::nullopt;
    }
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    const bool known = ioctl(fd, what, &request) == 0;
    close(fd);
    return known ? std::optional(request) : std::nullopt;
}

}  // namespace

void KernelSide::expect_queues() {
    xdp_before_ = host::xdp_sockets();
    const auto interface = host::read_interface(interface_);
    had_program_ = interface && interface->xdp && !xdp_;
}

KernelSide::~KernelSide() {
    if (promiscuous_ >= 0) {
        close(promiscuous_);
    }
}

std::optional<bool> KernelSide::link_up() const {
    constexpr int both = IFF_UP | IFF_RUNNING;
    const auto answer = ask(interface_, SIOCGIFFLAGS);
    return answer ? std::optional((answer->ifr_flags & both) == both) : std::nullopt;
}

std::optional<std::uint32_t> KernelSide::mtu() const {
    const auto answer = ask(interface_, SIOCGIFMTU);
    return answer ? std::optional(static_cast<std::uint32_t>(answer->ifr_mtu)) : std::nullopt;
}

std::vector<std::string> KernelSide::adopt_queues() {
    const auto interface = host::read_interface(interface_);
    if (!interface) {
        return {};
    }
    packet_ = host::packet_sockets(interface->index);
    return adopt_xdp(*interface);
}

std::vector<std::string> KernelSide::adopt_xdp(const host::Interface& interface) {
    xdp_own_ = host::xdp_sockets();
    std::erase_if(xdp_own_, [&](int fd) {
        return std::ranges::find(xdp_before_, fd) != xdp_before_.end();
    });
    if (xdp_own_.empty() || xdp_) {
        return {};
    }
    std::vector<std::string> warnings;
    if (had_program_) {
        warnings.push_back(fmt::format(
            "{}: had an XDP program before, perhaps of a run that was killed; it goes with this "
            "run",
            interface_
        ));
    }
    if (std::ranges::any_of(xdp_own_, [](int fd) { return host::is_zero_copy(fd) == false; })) {
        warnings.push_back(fmt::format(
            "{}: copy mode: the kernel copies every frame, as the interface's driver offers no "
            "zero-copy here (or force_copy=1 is set)",
            interface_
        ));
    }
    if (interface.xdp && interface.xdp->mode == host::XdpMode::generic) {
        warnings.push_back(fmt::format(
            "{}: the interface's driver cannot run XDP programs: the kernel's generic path is "
            "measured",
            interface_
        ));
    }
    auto link = host::XdpLink::take_over(interface_);
    if (link) {
        xdp_.emplace(std::move(*link));
    } else {
        warnings.push_back(fmt::format(
            "{0}: {1}; if this worker is killed the XDP program stays: `ip link set dev {0} xdp "
            "off` removes it",
            interface_,
            link.error().message
        ));
    }
    return warnings;
}

bool KernelSide::be_promiscuous() {
    if (promiscuous_ >= 0) {
        return true;
    }
    promiscuous_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    packet_mreq request{};
    request.mr_ifindex = static_cast<int>(if_nametoindex(interface_.c_str()));
    request.mr_type = PACKET_MR_PROMISC;
    return setsockopt(promiscuous_, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof request) ==
           0;
}

void KernelSide::start() {
    base_ = host::read_interface(interface_);
    (void)socket_drops();
    socket_dropped_ = 0;
}

std::optional<std::uint64_t> KernelSide::socket_drops() {
    if (packet_.empty()) {
        return std::nullopt;
    }
    for (const int fd : packet_) {
        const auto more = host::take_socket_drops(fd);
        if (!more) {
            return std::nullopt;
        }
        socket_dropped_ += *more;
    }
    return socket_dropped_;
}

trial::KernelReport KernelSide::counters() {
    trial::KernelReport report;
    report.socket_dropped = socket_drops();
    const auto now = host::read_interface(interface_);
    if (now && base_) {
        report.rx_dropped = now->rx_dropped - base_->rx_dropped;
        report.rx_missed = now->rx_missed - base_->rx_missed;
        report.tx_dropped = now->tx_dropped - base_->tx_dropped;
    }
    return report;
}

trial::LinkReport KernelSide::link() const {
    const host::EthernetLink link = host::ethernet_link(interface_);
    trial::LinkReport report;
    report.bps = link.bps;
    report.full_duplex = link.full_duplex;
    if (link.flow_control) {
        report.flow_control = as_reported(*link.flow_control);
    }
    return report;
}

void close_left_xdp_sockets(const std::vector<int>& own) {
    if (own.empty()) {
        return;
    }
    for (const int fd : host::xdp_sockets()) {
        if (std::ranges::find(own, fd) != own.end()) {
            close(fd);
        }
    }
}

}  // namespace gensink::dpdk
