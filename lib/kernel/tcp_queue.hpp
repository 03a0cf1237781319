// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "flow/pacer.hpp"
#include "kernel/socket.hpp"
#include "plan/plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gensink::kernel {

/// Of the Ethernet frame that a full segment is: Ethernet, IPv4, TCP with time stamps, FCS.
inline constexpr std::uint64_t tcp_frame_overhead = 14 + 20 + 32 + 4;

/// One connection at the generator: blocks of a source, written one after the other.
class TcpFlow {
  public:
    TcpFlow(int fd, plan::KernelSender how, std::span<const std::byte> source, int source_fd);

    /// Goes on with the block, or begins one of so many bytes. Returns how many the kernel took; 0:
    /// its buffer is full.
    std::uint64_t write(std::uint64_t block);

    /// Reads what the kernel tells of sends in place that are over.
    void reap();

    [[nodiscard]] bool is_in_block() const { return left_ != 0; }

    [[nodiscard]] int fd() const { return fd_; }

    [[nodiscard]] std::uint64_t sent() const { return sent_; }

    /// Bytes that the kernel has copied. It tells of a send in place when that is over; of those
    /// under way it is taken to do as with the last that it told of.
    [[nodiscard]] std::uint64_t copied() const {
        return copied_ + (last_was_copied_ ? pending_sum_ : 0);
    }

    [[nodiscard]] int failure() const { return failure_; }

  private:
    /// Sends whose completion has not been read yet, at most.
    static constexpr std::uint32_t most_pending = 1024;

    std::int64_t send_some();
    std::int64_t send_in_place();
    bool read_notice();

    int fd_;
    plan::KernelSender how_;
    std::span<const std::byte> source_;
    int source_fd_;
    std::uint64_t at_ = 0;    ///< in the source, where the rest of the block is
    std::uint64_t left_ = 0;  ///< of the block
    std::uint64_t sent_ = 0;
    std::uint64_t copied_ = 0;
    std::uint32_t next_send_ = 0;  ///< the kernel numbers sends of MSG_ZEROCOPY from 0
    std::uint32_t reaped_ = 0;
    std::array<std::uint32_t, most_pending> pending_bytes_{};
    std::uint64_t pending_sum_ = 0;
    bool last_was_copied_ = false;
    int failure_ = 0;
};

/// The connections of one stream, as a queue of the engine's loop. A frame is a segment with data,
/// as the kernel counts them; blocks go to the connections in turn, and one that is full is passed
/// over.
template <class Pacer>
struct TcpQueue {
    std::uint64_t block_bytes = 0;
    Pacer pacer;
    std::vector<std::unique_ptr<TcpFlow>> flows{};
    std::unique_ptr<std::atomic<int>> failure = std::make_unique<std::atomic<int>>(0);
    std::size_t at = 0;
    std::uint64_t sent = 0;

    counters::TxCause turn(counters::TxCounts& counts, std::uint64_t now) {
        auto cause = counters::TxCause::pacing;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            TcpFlow& flow = *flows[at];
            if (!flow.is_in_block() && pacer.due(now) == 0) {
                pass();
                continue;
            }
            if (write(flow, counts)) {
                return counters::TxCause::sending;
            }
            cause = counters::TxCause::window;
        }
        return cause;
    }

    /// Goes on to the next connection.
    void pass() { at = at + 1 == flows.size() ? 0 : at + 1; }

    /// One call on the connection whose turn it is. False: its buffer is full.
    bool write(TcpFlow& flow, counters::TxCounts& counts) {
        const bool fresh = !flow.is_in_block();
        const std::uint64_t taken = flow.write(block_bytes);
        ++counts.send_calls;
        if (taken == 0) {
            ++counts.burst_accepted[0];
            if (flow.failure() != 0) {
                failure->store(flow.failure(), std::memory_order_relaxed);
            }
            pass();
            return false;
        }
        sent += taken;
        if (fresh) {
            pacer.commit(1);
        }
        if (!flow.is_in_block()) {
            pass();
        }
        return true;
    }

    void start_phase(counters::Phase, const counters::TxCounts&, std::uint64_t now) {
        pacer.start(now, 0);
        reap();
    }

    void end_measuring(const counters::TxCounts&, std::uint64_t) { reap(); }

    /// What was copied is to be known where counts are cut.
    void reap() {
        for (const auto& flow : flows) {
            flow->reap();
        }
    }

    void give_back() {}

    void add_to(counters::TxCounts& counts) const {
        std::uint64_t segments = 0;
        std::uint64_t copied = 0;
        for (const auto& flow : flows) {
            const TcpFacts facts = tcp_facts(flow->fd());
            segments += facts.segments_out;
            counts.tcp.retransmitted += facts.counts.retransmitted;
            counts.tcp.busy_us += facts.counts.busy_us;
            counts.tcp.receive_window_us += facts.counts.receive_window_us;
            counts.tcp.send_buffer_us += facts.counts.send_buffer_us;
            copied += flow->copied();
        }
        counts.frames_accepted += segments;
        counts.payload_bytes += sent;
        counts.frame_bytes += sent + segments * tcp_frame_overhead;
        counts.kernel_bytes_copied += copied;
    }

    /// In bytes.
    [[nodiscard]] counters::TxStreamCounts stream_counts() const { return {sent, sent}; }

    [[nodiscard]] counters::TxQueueState state() const { return {sent, 0}; }

    [[nodiscard]] std::uint64_t next_event(std::uint64_t now) const { return pacer.next(now); }

    [[nodiscard]] static bool is_finished() { return false; }

    /// All that was written has been acknowledged.
    [[nodiscard]] bool is_delivered() const {
        return std::ranges::none_of(flows, [](const auto& flow) {
            return has_unacknowledged(flow->fd());
        });
    }
};

}  // namespace gensink::kernel
