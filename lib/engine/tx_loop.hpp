// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/published.hpp"
#include "engine/concepts.hpp"
#include "engine/control.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gensink::engine {

/// A transmit queue as a loop sees it: open loop (tx.hpp) or closed loop (closed.hpp).
template <class Q>
concept TxQueueLike =
    requires(Q& queue, const Q& seen, counters::TxCounts& counts, std::uint64_t now) {
    /// One pass; returns what the turn's ticks are for.
    { queue.turn(counts, now) } -> std::same_as<counters::TxCause>;
    /// A phase begins at `now`; `counts` are up to date.
    { queue.start_phase(counters::Phase{}, counts, now) } -> std::same_as<void>;
    /// The measure interval ends at `now`.
    { queue.end_measuring(counts, now) } -> std::same_as<void>;
    { queue.give_back() } -> std::same_as<void>;
    /// Adds what the queue counts itself.
    { seen.add_to(counts) } -> std::same_as<void>;
    { seen.stream_counts() } -> std::same_as<counters::TxStreamCounts>;
    { seen.state() } -> std::same_as<counters::TxQueueState>;
    /// No earlier turn can do anything; `now` where it is not known.
    { seen.next_event(now) } -> std::same_as<std::uint64_t>;
    { seen.is_finished() } -> std::same_as<bool>;
};

/// A generator core: all its queues, one variant.
template <Clock C, TxQueueLike Q>
class TxLoop {
  public:
    using Queue = Q;

    TxLoop(C clock, LoopSpec spec, std::vector<Queue> queues)
        : clock_(clock)
        , spec_(spec)
        , queues_(std::move(queues))
        , stream_start_(queues_.size())
        , stream_measured_(queues_.size())
        , published_queues_(queues_.size()) {}

    /// Runs until drain or stop; nothing is sent before the warm-up.
    void run(const Control& control);

    /// One turn over the queue that is next; the caller charges it. run() is made of these, and a
    /// clock that jumps makes a run of its own.
    [[gnu::always_inline]] counters::TxCause turn(std::uint64_t now) {
        if (phase_ == counters::Phase::settle) {
            return counters::TxCause::pacing;
        }
        const counters::TxCause cause = queues_[at_].turn(counts_, now);
        at_ = at_ + 1 == queues_.size() ? 0 : at_ + 1;
        return cause;
    }

    /// Charges a turn that began at `from` and ended at `to`.
    [[gnu::always_inline]] void
    charge_turn(counters::TxCause cause, std::uint64_t from, std::uint64_t to) {
        charge(counts_, cause, to - from, spec_);
    }

    /// Follows the control: a change of phase cuts the counts at `now`.
    void look(const Control& control, std::uint64_t now);

    /// After the last look: returns frames that were not accepted and tells the totals.
    void end();

    [[nodiscard]] bool done() const { return done_; }

    /// The earliest that any queue can do something.
    [[nodiscard]] std::uint64_t next_event(std::uint64_t now) const {
        std::uint64_t earliest = ~std::uint64_t{0};
        for (const Queue& q : queues_) {
            earliest = std::min(earliest, q.next_event(now));
        }
        return earliest;
    }

    /// Safe while the loop runs.
    [[nodiscard]] counters::TxCounts total() const { return published_.read(); }

    /// Safe while the loop runs; after it, as it was before frames that waited were given back.
    [[nodiscard]] counters::TxQueueState queue_state(std::size_t queue) const {
        return published_queues_[queue].read();
    }

    /// All that the queues were to send has come to its end. Safe while the loop runs.
    [[nodiscard]] bool finished() const { return finished_.load(std::memory_order_relaxed); }

    /// Once run() has returned.
    [[nodiscard]] const LoopReport<counters::TxCounts>& report() const { return report_; }

    [[nodiscard]] std::span<const counters::TxStreamCounts> streams_measured() const {
        return stream_measured_;
    }

    [[nodiscard]] std::span<const Queue> queues() const { return queues_; }

  private:
    void change_phase(counters::Phase phase, std::uint64_t now);
    void end_measuring(std::uint64_t now);
    void sum_up();
    void publish_queues();

    C clock_;
    LoopSpec spec_;
    std::vector<Queue> queues_;
    std::vector<counters::TxStreamCounts> stream_start_;
    std::vector<counters::TxStreamCounts> stream_measured_;
    std::vector<counters::Published<counters::TxQueueState>> published_queues_;
    counters::TxCounts counts_{};
    counters::TxCounts at_measure_{};
    counters::Phase phase_ = counters::Phase::settle;
    std::size_t at_ = 0;  ///< queue of the next turn
    bool measuring_ = false;
    bool done_ = false;
    std::atomic<bool> finished_{false};  ///< writer: the loop; reader: control thread
    std::uint64_t next_publish_ = 0;
    LoopReport<counters::TxCounts> report_;
    counters::Published<counters::TxCounts> published_;
};

/// The loop: turns, each charged to its cause by one clock read.
template <Clock C, TxQueueLike Q>
[[gnu::noinline]] void TxLoop<C, Q>::run(const Control& control) {
    std::uint64_t now = clock_.now();
    std::uint32_t turns = 0;
    look(control, now);
    while (!done_) {
        const counters::TxCause cause = turn(now);
        const std::uint64_t after = clock_.now();
        charge_turn(cause, now, after);
        now = after;
        if (++turns == turns_between_looks) [[unlikely]] {
            turns = 0;
            look(control, now);
        }
    }
    end();
}

template <Clock C, TxQueueLike Q>
void TxLoop<C, Q>::end() {
    publish_queues();
    for (Queue& q : queues_) {
        q.give_back();
    }
    sum_up();
    report_.total = counts_;
    published_.publish(counts_);
}

template <Clock C, TxQueueLike Q>
[[gnu::noinline]] void TxLoop<C, Q>::look(const Control& control, std::uint64_t now) {
    const counters::Phase phase = control.phase.load(std::memory_order_relaxed);
    if (phase != phase_) {
        change_phase(phase, now);
    }
    if (measuring_ &&
        std::ranges::all_of(queues_, [](const Queue& q) { return q.is_finished(); })) {
        end_measuring(now);  // a transfer is over: what follows is not its time
        finished_.store(true, std::memory_order_relaxed);
    }
    done_ = phase == counters::Phase::drain || control.stop.load(std::memory_order_relaxed);
    if (now >= next_publish_) {
        next_publish_ = now + spec_.publish_ticks;
        sum_up();
        published_.publish(counts_);
        publish_queues();
    }
}

template <Clock C, TxQueueLike Q>
void TxLoop<C, Q>::publish_queues() {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        published_queues_[i].publish(queues_[i].state());
    }
}

/// Cuts the measure interval at `now`, which is where the last turn's ticks ended.
template <Clock C, TxQueueLike Q>
void TxLoop<C, Q>::change_phase(counters::Phase phase, std::uint64_t now) {
    if (phase_ == counters::Phase::measure) {
        end_measuring(now);
    }
    sum_up();
    for (Queue& q : queues_) {
        q.start_phase(phase, counts_, now);
    }
    if (phase == counters::Phase::measure) {
        sum_up();
        counts_.longest_turn_ticks = 0;
        at_measure_ = counts_;
        report_.measure_start_ticks = now;
        measuring_ = true;
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            stream_start_[i] = queues_[i].stream_counts();
        }
    }
    phase_ = phase;
}

template <Clock C, TxQueueLike Q>
void TxLoop<C, Q>::end_measuring(std::uint64_t now) {
    if (!measuring_) {
        return;
    }
    measuring_ = false;
    for (Queue& q : queues_) {
        q.end_measuring(counts_, now);
    }
    sum_up();
    report_.measured = counters::difference(counts_, at_measure_);
    // What was given up may come after all, so that this one count can fall.
    report_.measured.transport.given_up =
        counts_.transport.given_up -
        std::min(at_measure_.transport.given_up, counts_.transport.given_up);
    report_.measure_end_ticks = now;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        stream_measured_[i] = {
            queues_[i].stream_counts().frames_accepted - stream_start_[i].frames_accepted,
            stream_start_[i].first_sequence};
    }
}

/// Counts that queues keep, brought into the core's.
template <Clock C, TxQueueLike Q>
void TxLoop<C, Q>::sum_up() {
    counts_.frames_accepted = 0;
    counts_.payload_bytes = 0;
    counts_.frame_bytes = 0;
    counts_.frames_skipped = 0;
    counts_.kernel_bytes_copied = 0;
    counts_.transport = {};
    counts_.tcp = {};
    for (const Queue& q : queues_) {
        q.add_to(counts_);
    }
}

}  // namespace gensink::engine
