// SPDX-License-Identifier: BSD-3-Clause
#include "host/interface.hpp"

#include "host/detail/netlink.hpp"

#include <cstring>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gensink::host {

namespace {

using detail::attribute;
using detail::NetlinkBytes;
using detail::value_of;

std::optional<XdpProgram> xdp_of(NetlinkBytes attributes) {
    const auto xdp = attribute(attributes, IFLA_XDP);
    const auto mode = xdp ? attribute(*xdp, IFLA_XDP_ATTACHED) : std::nullopt;
    const auto id = xdp ? attribute(*xdp, IFLA_XDP_PROG_ID) : std::nullopt;
    if (!mode || !id) {
        return std::nullopt;  // none, or several in several modes
    }
    switch (value_of<std::uint8_t>(*mode)) {
    case XDP_ATTACHED_DRV:
        return XdpProgram{value_of<std::uint32_t>(*id), XdpMode::driver};
    case XDP_ATTACHED_SKB:
        return XdpProgram{value_of<std::uint32_t>(*id), XdpMode::generic};
    case XDP_ATTACHED_HW:
        return XdpProgram{value_of<std::uint32_t>(*id), XdpMode::hardware};
    default:
        return std::nullopt;
    }
}

/// One ioctl of ethtool on an interface; its structure begins with the command.
template <class Command>
bool ethtool(const std::string& interface, Command& command) {
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_data = static_cast<char*>(static_cast<void*>(&command));
    const bool done = ioctl(fd, SIOCETHTOOL, &request) == 0;
    close(fd);
    return done;
}

/// ETHTOOL_GLINKSETTINGS tells the same with masks that are not needed.
void add_speed(const std::string& interface, EthernetLink& link) {
    ethtool_cmd settings{};
    settings.cmd = ETHTOOL_GSET;
    if (!ethtool(interface, settings)) {
        return;
    }
    constexpr auto unknown_speed = static_cast<std::uint32_t>(SPEED_UNKNOWN);
    const std::uint32_t mbps = ethtool_cmd_speed(&settings);
    if (mbps != 0 && mbps != unknown_speed) {
        link.bps = std::uint64_t{mbps} * 1'000'000;
    }
    if (settings.duplex == DUPLEX_FULL || settings.duplex == DUPLEX_HALF) {
        link.full_duplex = settings.duplex == DUPLEX_FULL;
    }
}

void add_pauses(const std::string& interface, EthernetLink& link) {
    ethtool_pauseparam pause{};
    pause.cmd = ETHTOOL_GPAUSEPARAM;
    if (!ethtool(interface, pause)) {
        return;
    }
    if (pause.rx_pause != 0 && pause.tx_pause != 0) {
        link.flow_control = FlowControl::both;
    } else if (pause.rx_pause != 0) {
        link.flow_control = FlowControl::rx;
    } else {
        link.flow_control = pause.tx_pause != 0 ? FlowControl::tx : FlowControl::off;
    }
}

/// Open files of this process that are sockets of a family.
std::vector<int> sockets_of(int family) {
    constexpr int most = 1024;
    std::vector<int> found;
    for (int fd = 3; fd < most; ++fd) {
        int domain = 0;
        socklen_t size = sizeof domain;
        if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == family) {
            found.push_back(fd);
        }
    }
    return found;
}

}  // namespace

std::optional<Interface> read_interface(const std::string& name) {
    Interface interface;
    interface.index = if_nametoindex(name.c_str());
    const auto answer =
        interface.index == 0 ? std::nullopt : detail::link_attributes(interface.index);
    const auto stats = answer ? attribute(*answer, IFLA_STATS64) : std::nullopt;
    if (!stats) {
        return std::nullopt;
    }
    const auto counts = value_of<rtnl_link_stats64>(*stats);
    interface.rx_dropped = counts.rx_dropped;
    interface.rx_missed = counts.rx_missed_errors;
    interface.tx_dropped = counts.tx_dropped;
    if (const auto promiscuity = attribute(*answer, IFLA_PROMISCUITY)) {
        interface.promiscuity = value_of<std::uint32_t>(*promiscuity);
    }
    interface.xdp = xdp_of(*answer);
    return interface;
}

EthernetLink ethernet_link(const std::string& interface) {
    EthernetLink link;
    add_speed(interface, link);
    add_pauses(interface, link);
    return link;
}

std::vector<int> packet_sockets(std::uint32_t interface_index) {
    std::vector<int> found;
    for (const int fd : sockets_of(AF_PACKET)) {
        sockaddr_storage storage{};
        socklen_t size = sizeof storage;
        sockaddr_ll address{};
        if (getsockname(fd, static_cast<sockaddr*>(static_cast<void*>(&storage)), &size) == 0) {
            std::memcpy(&address, &storage, sizeof address);
            if (address.sll_ifindex == static_cast<int>(interface_index)) {
                found.push_back(fd);
            }
        }
    }
    return found;
}

std::optional<std::uint64_t> take_socket_drops(int socket) {
    tpacket_stats stats{};  // TPACKET_V3 adds a field, which is not needed
    socklen_t size = sizeof stats;
    if (getsockopt(socket, SOL_PACKET, PACKET_STATISTICS, &stats, &size) != 0) {
        return std::nullopt;
    }
    return stats.tp_drops;
}

std::vector<int> xdp_sockets() {
    return sockets_of(AF_XDP);
}

std::optional<bool> is_zero_copy(int xdp_socket) {
    xdp_options options{};
    socklen_t size = sizeof options;
    if (getsockopt(xdp_socket, SOL_XDP, XDP_OPTIONS, &options, &size) != 0) {
        return std::nullopt;
    }
    return (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
}

}  // namespace gensink::host
