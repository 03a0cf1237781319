// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "dpdk/kernel_side.hpp"
#include "dpdk/miss_count.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gensink::dpdk {

struct PortSpec {
    std::uint16_t queues =
        1;  ///< transmit and receive alike: memif and af_packet join them in pairs
    std::uint16_t descriptors = 1024;
    std::uint16_t rs_thresh = 0;          ///< of transmit queues; 0: as the driver has it
    std::uint16_t free_thresh = 0;        ///< of transmit queues; 0: as the driver has it
    std::optional<std::uint8_t> pthresh;  ///< of transmit queues; absent: as the driver has it
    std::optional<std::uint8_t> hthresh;  ///< the same
    std::optional<std::uint8_t> wthresh;  ///< the same
    std::uint32_t frame_bytes = 64;       ///< largest, with FCS
    bool udp_checksum_offload = false;
    bool one_pool = true;  ///< all frames of a transmit queue come from one pool
    bool chains = false;   ///< frames of two segments are sent
    rte_mempool* rx_pool = nullptr;
};

/// A configured ethdev port. Probes a device that is not there, and removes what it has made.
class Port {
  public:
    /// `device`: an EAL device as in plan::EndPlan. `remove`: it goes with the port, even where it
    /// was there before. Errors: device, environment.
    [[nodiscard]] static Result<Port> probe(const std::string& device, bool remove = false);
    /// A port that the caller made (the cable), and removes.
    [[nodiscard]] static Port adopt(PortId id, std::string name);

    /// A started port under another name, with its counters; `port` must outlive it.
    [[nodiscard]] static Port share(const Port& port);

    Port(Port&& other) noexcept;
    Port& operator=(Port&&) = delete;
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;
    ~Port();

    /// Queues, descriptors, MTU, offloads; features that the device lacks become warnings.
    [[nodiscard]] Result<void> configure(const PortSpec& spec);
    [[nodiscard]] Result<void> start();
    /// Once started. Error device where the device does not let it be set, or does not do so.
    [[nodiscard]] Result<void> set_flow_control(bool on);
    /// The port takes frames to any address; a warning says so, and `why`.
    [[nodiscard]] Result<void> be_promiscuous(const std::string& why);
    /// Waits for the link up to `limit`; true once it is up.
    [[nodiscard]] bool wait_link(Duration limit) const;

    [[nodiscard]] PortId id() const { return id_; }

    [[nodiscard]] SocketId socket() const;
    [[nodiscard]] plan::DeviceLimits limits() const;
    [[nodiscard]] std::string driver() const;
    [[nodiscard]] std::optional<plan::MacAddress> mac() const;
    [[nodiscard]] std::optional<std::uint64_t> link_bps() const;
    /// By the device, and for a device over a kernel interface by the kernel.
    [[nodiscard]] std::optional<bool> link_up() const;
    /// Of a transmit queue, sampled; absent where the driver does not tell.
    [[nodiscard]] std::optional<std::uint32_t> free_descriptors(QueueId queue) const;
    /// Speed, duplex and flow control; the link should be up.
    [[nodiscard]] trial::LinkReport link() const;
    /// Counters since start().
    [[nodiscard]] trial::DeviceReport counters() const;
    /// The same of the kernel interface under the device; all absent where there is none.
    [[nodiscard]] trial::KernelReport kernel_counters() const;

    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

    /// What the spec asked for and the device does.
    [[nodiscard]] bool offloads_udp_checksum() const { return offloads_udp_checksum_; }

    /// Room that the driver wants in each receive buffer, beyond what it tells; 0: none.
    [[nodiscard]] std::uint32_t slot_bytes() const { return slot_bytes_; }

  private:
    Port(PortId id, std::string name, std::string interface, bool remove);
    void release();
    [[nodiscard]] rte_eth_conf configuration(const PortSpec& spec, const rte_eth_dev_info& info);
    void check_thresholds(const PortSpec& spec);
    [[nodiscard]] Result<void> check_mtu(const PortSpec& spec, const rte_eth_dev_info& info) const;
    [[nodiscard]] int
    set_up_rx_queue(QueueId queue, std::uint16_t descriptors, rte_mempool* pool) const;
    [[nodiscard]] Result<void>
    set_up_queues(const PortSpec& spec, const rte_eth_dev_info& info, std::uint64_t tx_offloads);

    PortId id_;
    std::string name_;                    ///< EAL device name, for messages and removal
    std::shared_ptr<KernelSide> kernel_;  ///< of the interface under the device; null: none
    bool remove_ = false;                 ///< a virtual device that probe() made
    bool started_ = false;
    std::uint16_t tx_descriptors_ = 0;  ///< of each queue, once set up
    std::uint32_t slot_bytes_ = 0;
    bool owner_ = true;
    bool offloads_udp_checksum_ = false;
    std::vector<std::string> warnings_;
    trial::DeviceReport base_;
    std::shared_ptr<MissCount> missed_ = std::make_shared<MissCount>();
};

}  // namespace gensink::dpdk
