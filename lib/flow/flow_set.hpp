// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "flow/sender.hpp"

#include <cstdint>
#include <vector>

/// The flows of one stream: whose frame is next, and what each waits for.
namespace gensink::flow {

struct FlowSetSpec {
    SenderSpec sender;
    std::uint32_t flows = 1;
    std::uint32_t fan_out = 1;  ///< > 1: one writer, each block to so many flows in turn
    double ticks_per_second = 1e9;
    bool paced = false;  ///< frames have an intended time
    std::uint32_t kept_block_times = 0;
};

/// Ticks of a core by cause so far, as far as flows share in them.
struct CoreTicks {
    std::uint64_t ring = 0;
    std::uint64_t pacing = 0;
    std::uint64_t pool = 0;
};

class FlowSet {
  public:
    explicit FlowSet(const FlowSetSpec& spec);

    FlowSet(const FlowSet&) = delete;
    FlowSet& operator=(const FlowSet&) = delete;
    FlowSet(FlowSet&&) = delete;
    FlowSet& operator=(FlowSet&&) = delete;
    ~FlowSet() = default;

    /// Admits up to `most` frames, in the order in which they leave. Flows that could not send are
    /// blocked from `now` on. `intended(i)`: when the i-th of them should have left.
    template <class Intended>
    [[nodiscard]] std::uint32_t
    take(std::uint32_t most, std::uint64_t now, Segment* out, Intended intended) {
        std::uint32_t n = 0;
        while (n < most) {
            Sender* const sender = choose(now);
            if (sender == nullptr) {
                break;
            }
            if (rules_.plain && !one_writer() && !sender->resends()) {
                n += sender->take_plain(
                    rules_,
                    {out + n, most - n},
                    at_,
                    [&](std::uint32_t i) { return intended(n + i); },
                    tally_
                );
                continue;
            }
            out[n] = sender->take(rules_, at_, intended(n), tally_);
            if (one_writer() && !out[n].again && sender->is_between_blocks()) {
                writer_ = writer_ + 1 == senders_.size() ? 0 : writer_ + 1;
            }
            ++n;
        }
        return n;
    }

    /// The port has accepted these, in order.
    void sent(const Segment* segments, std::uint32_t n, std::uint64_t now) {
        for (std::uint32_t i = 0; i < n;) {
            const std::uint32_t flow = segments[i].flow;
            std::uint32_t end = senders_.size() == 1 ? n : i + 1;
            while (end < n && segments[end].flow == flow) {
                ++end;
            }
            senders_[flow].sent(rules_, {segments + i, end - i}, now);
            deadline_ = std::min(deadline_, senders_[flow].deadline());
            i = end;
        }
    }

    /// An ACK that came at `came`; `now`: the turn in which it is read began.
    void acknowledge(const Ack& ack, std::uint64_t now, std::uint64_t came);

    /// Treats what timed out. Cheap while nothing has.
    void on_time(std::uint64_t now) {
        if (now >= deadline_) [[unlikely]] {
            expire(now);
        }
    }

    /// When on_time() may have something to do; never: not until an ACK comes.
    [[nodiscard]] std::uint64_t deadline() const { return deadline_; }

    /// All that was to be sent is acknowledged or given up.
    [[nodiscard]] bool is_finished() const { return finished_ == senders_.size(); }

    /// Brings the flows' times up to `now`.
    void settle(std::uint64_t now);

    /// Forgets latencies and times so far: the measure phase begins. After settle().
    void start_measuring();

    struct FlowSeen {
        std::uint64_t frames_acked = 0;
        std::uint64_t payload_acked = 0;
        std::uint64_t retransmitted = 0;
        std::uint64_t timeouts = 0;
        counters::FlowTimes times{};
    };

    /// What was seen since start_measuring(), up to `now`; kept until the next start.
    void end_measuring(std::uint64_t now);

    struct Measured {
        std::vector<FlowSeen> flows;
        counters::Latencies latencies;
        BlockTimes block_times;
    };

    [[nodiscard]] const Measured& measured() const { return measured_; }

    [[nodiscard]] std::size_t flows() const { return senders_.size(); }

    [[nodiscard]] counters::Latencies& latencies() { return latencies_; }

    [[nodiscard]] const Sender& sender(std::size_t flow) const { return senders_[flow]; }

    /// Ticks of the core so far; the caller keeps them up to date before each turn.
    CoreTicks core;
    counters::TransportCounts counts;

  private:
    /// Where the time goes: of a flow, or of the one writer of a fan-out.
    struct Clocked {
        std::uint64_t since = 0;  ///< the span that is running began here
        CoreTicks core{};         ///< at that time
        bool blocked = false;
        std::uint64_t held_last = 0;  ///< by the sink's timer, at the end of the last blocked span
        counters::FlowTimes times{};
    };

    [[nodiscard]] Sender* choose(std::uint64_t now);
    [[nodiscard]] Sender* choose_in_turn(std::uint64_t now);
    [[nodiscard]] bool next_ready();
    void set_ready(std::uint32_t flow, bool ready);
    void block(std::uint32_t flow, std::uint64_t now);
    void unblock(std::uint32_t flow, std::uint64_t held, std::uint64_t now);
    void end_span(Clocked& clock, std::uint64_t now, std::uint64_t held);
    void look_again(std::uint32_t flow, std::uint64_t held, std::uint64_t now);
    void expire(std::uint64_t now);

    [[nodiscard]] bool one_writer() const { return fan_out_ > 1; }

    [[nodiscard]] Clocked& clock(std::uint32_t flow) { return clocks_[one_writer() ? 0 : flow]; }

    SenderRules rules_;
    std::uint32_t fan_out_;
    std::vector<Sender> senders_;
    std::vector<Clocked> clocks_;
    std::vector<FlowSeen> at_measure_;
    /// A bit a flow: it may have a frame to send; with one writer: it has one to send again.
    std::vector<std::uint64_t> ready_;
    std::vector<bool> is_done_;
    std::uint32_t at_ = 0;            ///< the flow chosen last
    std::uint32_t writer_ = 0;        ///< the flow that one writer writes to
    std::uint64_t deadline_ = never;  ///< no sender's is earlier
    std::size_t finished_ = 0;
    bool begun_ = false;  ///< time has been taken once: 0 is a time like any other
    Measured measured_;
    counters::Latencies latencies_;
    BlockTimes block_times_;
    Tally tally_;
};

}  // namespace gensink::flow
