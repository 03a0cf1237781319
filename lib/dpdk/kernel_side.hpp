// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "host/interface.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gensink::dpdk {

/// The kernel interface under a port (af_packet, af_xdp, tap): what DPDK does not say of it.
class KernelSide {
  public:
    explicit KernelSide(std::string interface) : interface_(std::move(interface)) {}

    /// IFF_RUNNING: the kernel's operational state. Absent: no such interface.
    [[nodiscard]] std::optional<bool> link_up() const;

    /// Of the interface, which no frame of the kernel's own drivers exceeds. Absent: no such
    /// interface.
    [[nodiscard]] std::optional<std::uint32_t> mtu() const;

    [[nodiscard]] const std::string& interface() const { return interface_; }

    /// Before queues are set up: sockets that are open now are another port's.
    void expect_queues();

    /// Once queues are set up. Ties an XDP program to this process, and returns warnings.
    [[nodiscard]] std::vector<std::string> adopt_queues();

    /// XDP sockets that DPDK's driver has opened for this port.
    [[nodiscard]] const std::vector<int>& own_xdp_sockets() const { return xdp_own_; }

    /// Lets the interface take every address until this object, or its process, is gone.
    [[nodiscard]] bool be_promiscuous();

    /// Counters are told since then.
    void start();

    [[nodiscard]] trial::KernelReport counters();
    [[nodiscard]] trial::LinkReport link() const;

    KernelSide(const KernelSide&) = delete;
    KernelSide& operator=(const KernelSide&) = delete;
    KernelSide(KernelSide&&) = delete;
    KernelSide& operator=(KernelSide&&) = delete;
    ~KernelSide();

  private:
    [[nodiscard]] std::vector<std::string> adopt_xdp(const host::Interface& interface);
    [[nodiscard]] std::optional<std::uint64_t> socket_drops();

    std::string interface_;
    bool had_program_ = false;
    std::vector<int> xdp_before_;  ///< XDP sockets of other ports
    std::vector<int> xdp_own_;
    std::vector<int> packet_;  ///< packet sockets that DPDK's driver has opened
    std::optional<host::XdpLink> xdp_;
    std::optional<host::Interface> base_;
    std::uint64_t socket_dropped_ = 0;  ///< the kernel forgets what it has told
    int promiscuous_ = -1;
};

/// Closes what a port that is gone has left open of its XDP sockets: DPDK 22.11 lowers the
/// reference count of their memory twice when it closes a device, and forgets it instead of
/// deleting it (eth_dev_close in drivers/net/af_xdp/rte_eth_af_xdp.c). Its socket would hold the
/// queue.
void close_left_xdp_sockets(const std::vector<int>& own);

}  // namespace gensink::dpdk
