// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the kernel says of its network interfaces, in the network namespace of the calling thread
/// (sysfs shows that of whoever mounted it).
namespace gensink::host {

/// Where the kernel runs a program on received frames.
enum class XdpMode { driver, generic, hardware };

struct XdpProgram {
    std::uint32_t id = 0;
    XdpMode mode = XdpMode::driver;
};

struct Interface {
    std::uint32_t index = 0;
    std::uint32_t promiscuity = 0;  ///< how many asked for it
    std::uint64_t rx_dropped = 0;   ///< rtnl_link_stats64 of linux/if_link.h
    std::uint64_t rx_missed = 0;    ///< for want of a buffer in the device
    std::uint64_t tx_dropped = 0;
    std::optional<XdpProgram> xdp;
};

/// Absent: there is no such interface, or the kernel does not answer.
[[nodiscard]] std::optional<Interface> read_interface(const std::string& name);

enum class FlowControl { off, rx, tx, both };

/// Absent: the interface's driver does not tell.
struct EthernetLink {
    std::optional<std::uint64_t> bps;
    std::optional<bool> full_duplex;
    std::optional<FlowControl> flow_control;
};

/// As `ethtool` and `ethtool -a` tell it.
[[nodiscard]] EthernetLink ethernet_link(const std::string& interface);

/// Packet sockets (AF_PACKET) of this process on an interface.
[[nodiscard]] std::vector<int> packet_sockets(std::uint32_t interface_index);

/// Frames that a packet socket had no room for since this was last asked. Absent: it does not tell.
[[nodiscard]] std::optional<std::uint64_t> take_socket_drops(int socket);

/// XDP sockets of this process.
[[nodiscard]] std::vector<int> xdp_sockets();

/// Whether frames of an XDP socket go through the device's own rings, without a copy.
[[nodiscard]] std::optional<bool> is_zero_copy(int xdp_socket);

/// Keeps an XDP program on its interface for as long as this object, or else this process, lives:
/// one that is attached the usual way outlives a process that is killed.
class XdpLink {
  public:
    /// Takes over the program that the interface has: for a moment it has none. Errors: environment
    /// (Linux before 5.9 has no such links), and the interface keeps the program as it was.
    [[nodiscard]] static Result<XdpLink> take_over(const std::string& interface);

    XdpLink(XdpLink&& other) noexcept;
    XdpLink& operator=(XdpLink&&) = delete;
    XdpLink(const XdpLink&) = delete;
    XdpLink& operator=(const XdpLink&) = delete;
    ~XdpLink();

  private:
    explicit XdpLink(int fd) : fd_(fd) {}

    int fd_;
};

}  // namespace gensink::host
