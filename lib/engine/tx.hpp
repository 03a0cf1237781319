// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/published.hpp"
#include "engine/concepts.hpp"
#include "engine/control.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gensink::engine {

/// One transmit queue of a generator core: its port, rules, and the frames refused last time.
template <TxPort P, Pacer R, Window W, Mutator<P> M>
struct TxQueue {
    P port;
    R pacer;
    W window;
    M mutator;
    std::uint32_t held = 0;  ///< built, not yet accepted; they lead the next burst
    std::uint64_t accepted = 0;
    std::array<typename P::Frame*, counters::max_burst> frames{};
};

/// One pass over one queue. Returns what the turn's ticks are for.
template <TxPort P, Pacer R, Window W, Mutator<P> M>
[[gnu::always_inline]] inline counters::TxCause
tx_turn(TxQueue<P, R, W, M>& q, counters::TxCounts& counts, std::uint64_t now) {
    using counters::TxCause;
    const std::uint32_t due = q.pacer.due(now);
    if (due == 0) {
        return TxCause::pacing;
    }
    const std::uint32_t want = std::max(q.window.room(due), q.held);
    if (want == 0) {
        return TxCause::window;
    }
    const std::uint32_t fresh = want - q.held;
    if (fresh != 0) {
        if (!q.port.take(&q.frames[q.held], fresh)) [[unlikely]] {
            ++counts.pool_failures;
            if (q.held == 0) {
                return TxCause::pool_empty;
            }
        } else {
            q.mutator.template mutate<P>(&q.frames[q.held], fresh, now);
            counts.frames_built += fresh;
            q.held = want;
        }
    }
    const std::uint32_t asked = q.held;
    const std::uint32_t sent = q.port.send(q.frames.data(), asked);
    q.pacer.commit(sent);
    q.window.commit(sent);
    q.mutator.commit(sent);
    q.accepted += sent;
    q.held = asked - sent;
    ++counts.send_calls;
    counts.frames_asked += asked;
    ++counts.burst_asked[asked];
    ++counts.burst_accepted[sent];
    if (sent != asked) {
        std::copy(&q.frames[sent], &q.frames[asked], q.frames.data());
        if (sent == 0 && fresh == 0) {
            P::relax();
            return TxCause::ring_full;
        }
    }
    return TxCause::sending;
}

/// A generator core: all its queues, one variant.
template <TxPort P, Clock C, Pacer R, Window W, Mutator<P> M>
class TxLoop {
  public:
    using Queue = TxQueue<P, R, W, M>;

    TxLoop(C clock, LoopSpec spec, std::vector<Queue> queues)
        : clock_(clock)
        , spec_(spec)
        , queues_(std::move(queues))
        , stream_start_(queues_.size())
        , stream_measured_(queues_.size()) {}

    /// Runs until drain or stop; nothing is sent before the warm-up.
    void run(const Control& control);

    /// Safe while the loop runs.
    [[nodiscard]] counters::TxCounts total() const { return published_.read(); }

    /// Once run() has returned.
    [[nodiscard]] const LoopReport<counters::TxCounts>& report() const { return report_; }

    [[nodiscard]] std::span<const counters::TxStreamCounts> streams_measured() const {
        return stream_measured_;
    }

  private:
    void look(const Control& control, std::uint64_t now);
    void change_phase(counters::Phase phase, std::uint64_t now);
    void sum_up();

    C clock_;
    LoopSpec spec_;
    std::vector<Queue> queues_;
    std::vector<counters::TxStreamCounts> stream_start_;
    std::vector<counters::TxStreamCounts> stream_measured_;
    counters::TxCounts counts_{};
    counters::TxCounts at_measure_{};
    counters::Phase phase_ = counters::Phase::settle;
    bool done_ = false;
    std::uint64_t next_publish_ = 0;
    LoopReport<counters::TxCounts> report_;
    counters::Published<counters::TxCounts> published_;
};

/// The loop: turns, each charged to its cause by one clock read.
template <TxPort P, Clock C, Pacer R, Window W, Mutator<P> M>
[[gnu::noinline]] void TxLoop<P, C, R, W, M>::run(const Control& control) {
    std::uint64_t now = clock_.now();
    std::uint32_t turns = 0;
    std::size_t at = 0;
    look(control, now);
    while (!done_) {
        const counters::TxCause cause = phase_ == counters::Phase::settle
                                            ? counters::TxCause::pacing
                                            : tx_turn(queues_[at], counts_, now);
        at = at + 1 == queues_.size() ? 0 : at + 1;
        const std::uint64_t after = clock_.now();
        charge(counts_, cause, after - now, spec_);
        now = after;
        if (++turns == turns_between_looks) [[unlikely]] {
            turns = 0;
            look(control, now);
        }
    }
    for (Queue& q : queues_) {
        q.port.give_back(q.frames.data(), q.held);
        q.held = 0;
    }
    sum_up();
    report_.total = counts_;
    published_.publish(counts_);
}

template <TxPort P, Clock C, Pacer R, Window W, Mutator<P> M>
[[gnu::noinline]] void TxLoop<P, C, R, W, M>::look(const Control& control, std::uint64_t now) {
    const counters::Phase phase = control.phase.load(std::memory_order_relaxed);
    if (phase != phase_) {
        change_phase(phase, now);
    }
    done_ = phase == counters::Phase::drain || control.stop.load(std::memory_order_relaxed);
    if (now >= next_publish_) {
        next_publish_ = now + spec_.publish_ticks;
        sum_up();
        published_.publish(counts_);
    }
}

/// Cuts the measure interval at `now`, which is where the last turn's ticks ended.
template <TxPort P, Clock C, Pacer R, Window W, Mutator<P> M>
void TxLoop<P, C, R, W, M>::change_phase(counters::Phase phase, std::uint64_t now) {
    sum_up();
    for (Queue& q : queues_) {
        q.pacer.start(now, q.held);  // a phase owes nothing to the one before it
        q.mutator.set_phase(phase);
        q.mutator.template mark_again<P>(q.frames.data(), q.held, now);
    }
    if (phase == counters::Phase::measure) {
        counts_.longest_turn_ticks = 0;
        at_measure_ = counts_;
        report_.measure_start_ticks = now;
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            stream_start_[i] = {
                queues_[i].accepted, queues_[i].mutator.sequence() - queues_[i].held};
        }
    } else if (phase_ == counters::Phase::measure) {
        report_.measured = counters::difference(counts_, at_measure_);
        report_.measure_end_ticks = now;
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            stream_measured_[i] = {
                queues_[i].accepted - stream_start_[i].frames_accepted,
                stream_start_[i].first_sequence};
        }
    }
    phase_ = phase;
}

/// Counts that queues keep, brought into the core's.
template <TxPort P, Clock C, Pacer R, Window W, Mutator<P> M>
void TxLoop<P, C, R, W, M>::sum_up() {
    counts_.frames_accepted = 0;
    counts_.payload_bytes = 0;
    counts_.frame_bytes = 0;
    counts_.frames_skipped = 0;
    for (const Queue& q : queues_) {
        counts_.frames_accepted += q.accepted;
        counts_.payload_bytes += q.mutator.payload_accepted();
        counts_.frame_bytes += q.mutator.frame_bytes_accepted(q.accepted);
        counts_.frames_skipped += q.pacer.skipped();
    }
}

}  // namespace gensink::engine
