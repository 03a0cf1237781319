// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "counters/counts.hpp"
#include "counters/histogram.hpp"
#include "plan/plan.hpp"
#include "trial/cpu_report.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gensink::trial {

/// Totals and the part that falls in the measure interval, cut by the thread itself.
template <class Counts>
struct CoreReport {
    LcoreId lcore;
    Counts total;
    Counts measured;
    std::uint64_t measure_start_ticks = 0;  ///< half-open; both 0 while not reached
    std::uint64_t measure_end_ticks = 0;
    std::uint64_t ended = 0;  ///< 1: the loop has returned, nothing more will be counted
    ThreadFacts thread;
};

/// Counters kept by a device or its driver, differences over the trial. Absent is unknown.
struct DeviceReport {
    std::optional<std::uint64_t> tx_frames;
    std::optional<std::uint64_t> tx_errors;
    std::optional<std::uint64_t> rx_frames;
    std::optional<std::uint64_t> rx_missed;
    std::optional<std::uint64_t> rx_errors;
    std::optional<std::uint64_t> rx_no_buffer;
};

/// Counters that the kernel keeps of the interface under a device, differences over the trial.
/// Absent: there is no such interface, or it is not told.
struct KernelReport {
    std::optional<std::uint64_t> rx_dropped;  ///< received, and given to nobody
    std::optional<std::uint64_t> rx_missed;   ///< no buffer in the interface's own ring
    std::optional<std::uint64_t> tx_dropped;
    std::optional<std::uint64_t> socket_dropped;  ///< the device's packet sockets had no room
};

enum class FlowControl { off, rx, tx, both };

/// A link once it was up, as its device reports it. Absent is unknown.
struct LinkReport {
    std::optional<std::uint64_t> bps;
    std::optional<bool> full_duplex;
    std::optional<FlowControl> flow_control;
};

/// The transmit queue of a stream. Integers only: it travels as its bytes.
struct QueueReport {
    counters::TxQueueState state;
    std::uint64_t ring_known = 0;  ///< 1: the device told how many descriptors are free
    std::uint64_t ring_free = 0;   ///< descriptors; looked at only while frames wait
};

struct StreamReport {
    StreamId stream;
    QueueReport queue;  ///< at the generator; zero where it is elsewhere, or a model
    counters::TxStreamCounts sent_measured;  ///< at the generator; zero where it is elsewhere
    counters::StreamCounts seen_measured;    ///< at the sink: frames with the measure mark
    counters::StreamCounts seen_other;       ///< frames of the other phases
};

/// One flow of the closed loop over the measure phase. The times sum to the interval.
struct FlowReport {
    std::uint64_t stream = 0;
    std::uint64_t flow = 0;
    std::uint64_t frames_acked = 0;
    std::uint64_t payload_acked = 0;  ///< the application's bytes
    std::uint64_t retransmitted = 0;
    std::uint64_t timeouts = 0;
    counters::FlowTimes times{};
};

/// Final counts of the closed loop at the generator, measure phase only. In ticks.
struct TransportReport {
    std::vector<FlowReport> flows;
    counters::Latencies latencies;
    std::vector<std::uint64_t> block_ticks;  ///< of blocks fetched one by one, the first 10000
};

/// Everything an end or both ends of a trial counted so far. Integers and ticks, but for CpuSlices.
struct Snapshot {
    std::uint64_t tsc_hz = 0;
    std::vector<CoreReport<counters::TxCounts>> gen;
    std::vector<CoreReport<counters::SinkCounts>> sink;
    std::vector<StreamReport> streams;
    std::vector<CpuReport> gen_cpus;  ///< of the threads in `gen`, each once
    std::vector<CpuReport> sink_cpus;
    bool sink_elsewhere = false;  ///< the sink's CPUs are another host's, or another run's
    DeviceReport gen_device;
    DeviceReport sink_device;
    KernelReport gen_kernel;
    KernelReport sink_kernel;
    LinkReport gen_link;
    LinkReport sink_link;
    std::optional<bool> gen_link_up;
    std::optional<bool> sink_link_up;
    std::uint64_t frames_left_in_pool = 0;     ///< of all streams, when taken
    bool transfer_done = false;                ///< every flow's blocks are acknowledged
    std::optional<TransportReport> transport;  ///< once stopped, where the generator is here
};

/// What opening the ports has shown.
struct Opened {
    plan::DeviceLimits gen_limits;
    plan::DeviceLimits sink_limits;
    std::uint64_t tsc_hz = 0;
    std::optional<std::uint64_t> gen_link_bps;
    std::optional<std::uint64_t> sink_link_bps;
    std::optional<plan::MacAddress> gen_mac;
    std::optional<plan::MacAddress> sink_mac;
    std::string gen_driver;  ///< driver name as the device reports it
    std::string sink_driver;
    std::string memory;                 ///< "hugepages" or "4 KiB pages"
    std::vector<std::string> warnings;  ///< features the device lacks, degraded one by one
};

/// The way on which the two ends of a trial agree, where each is a process or host of its own: the
/// link itself, beside the data. Control thread only.
class ControlLink {
  public:
    ControlLink() = default;
    ControlLink(const ControlLink&) = delete;
    ControlLink& operator=(const ControlLink&) = delete;
    ControlLink(ControlLink&&) = delete;
    ControlLink& operator=(ControlLink&&) = delete;
    virtual ~ControlLink() = default;

    /// This end's address.
    [[nodiscard]] virtual plan::MacAddress address() const = 0;
    /// Sends a frame without FCS, of at most 1514 bytes. False where it could not: the generator's
    /// loops hold its queues, or the ring is full.
    virtual bool send(std::span<const std::byte> frame) = 0;
    /// Gives what has come beside the data to `read`. False where something may have come and be
    /// lost: a ring was full, or a generator's loops run that take ACKs and drop the rest.
    virtual bool receive(const std::function<void(std::span<const std::byte>)>& read) = 0;
    /// Addresses the generator's frames, before start(). Error environment.
    virtual Result<void> set_destination(const plan::MacAddress& peer) = 0;
};

/// Generator and sink of one trial: real ports, or a model. Control thread only.
class Datapath {
  public:
    Datapath() = default;
    Datapath(const Datapath&) = delete;
    Datapath& operator=(const Datapath&) = delete;
    Datapath(Datapath&&) = delete;
    Datapath& operator=(Datapath&&) = delete;
    virtual ~Datapath() = default;

    /// Takes ports and pools. `run_id` goes into every frame. Errors: device, environment.
    virtual Result<Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) = 0;
    /// Starts the sink's loops, then the generator's, in phase settle (nothing is sent).
    virtual Result<void> start() = 0;
    /// Moves the loops to a phase. Drain ends the generator's loops, soon: CoreReport::ended tells.
    virtual Result<void> enter(counters::Phase phase) = 0;
    /// Lets time pass: real, or virtual. Errors: measurement when an end died; the same with
    /// os_code EINTR when a signal asked to stop, and then the ends still answer.
    virtual Result<void> wait(Duration duration) = 0;
    virtual Result<Snapshot> snapshot() = 0;
    /// Joins all loops and returns their last counts; ports stay open.
    virtual Result<Snapshot> stop() = 0;
    /// Gives ports and pools back; the datapath can be opened again.
    virtual Result<void> close() = 0;

    /// Of a datapath that drives one end alone and is open, else null.
    [[nodiscard]] virtual ControlLink* control_link() { return nullptr; }
};

}  // namespace gensink::trial
