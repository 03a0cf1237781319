// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "base/units.hpp"
#include "counters/counts.hpp"
#include "counters/published.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gensink::engine {

/// What the control thread asks of the loops.
/// Writer: control thread. Readers: datapath threads, every 256 turns, relaxed: a change need only
/// arrive, nothing else is published by it.
struct alignas(cache_block_bytes) Control {
    std::atomic<counters::Phase> phase{counters::Phase::settle};
    std::atomic<bool> stop{false};
};

static_assert(std::atomic<counters::Phase>::is_always_lock_free);

/// Turns between two looks at Control.
inline constexpr std::uint32_t turns_between_looks = 256;

/// Plan of one loop; read-only while it runs.
struct LoopSpec {
    std::uint64_t turn_limit_ticks = 0;  ///< a longer turn disturbs the trial
    std::uint64_t stall_ticks = 0;       ///< no undisturbed turn is longer; <= turn_limit_ticks
    std::uint64_t publish_ticks = 0;     ///< time between two publications
};

/// What a loop tells: totals while it runs; the measure interval and finals once it has ended.
template <class Counts>
struct LoopReport {
    Counts total{};
    Counts measured{};
    std::uint64_t measure_start_ticks = 0;  ///< half-open; equal where the phase was not reached
    std::uint64_t measure_end_ticks = 0;
};

/// The phase that a sink's loop is in. Changes cut the measure interval out of its counts.
template <class Counts>
class PhaseCut {
  public:
    void
    follow(counters::Phase phase, Counts& counts, std::uint64_t now, LoopReport<Counts>& report) {
        if (phase == phase_) {
            return;
        }
        if (phase == counters::Phase::measure) {
            counts.longest_turn_ticks = 0;
            at_measure_ = counts;
            report.measure_start_ticks = now;
        } else if (phase_ == counters::Phase::measure) {
            report.measured = counters::difference(counts, at_measure_);
            report.measure_end_ticks = now;
        }
        phase_ = phase;
        seen_.store(phase, std::memory_order_relaxed);
    }

    /// Safe while the loop runs.
    [[nodiscard]] counters::Phase seen() const { return seen_.load(std::memory_order_relaxed); }

  private:
    Counts at_measure_{};
    counters::Phase phase_ = counters::Phase::settle;
    std::atomic<counters::Phase> seen_{counters::Phase::settle};  ///< writer: loop; reader: control
};

/// Charges a turn's ticks to its one cause.
template <class Counts, class Cause>
[[gnu::always_inline]] inline void
charge(Counts& counts, Cause cause, std::uint64_t ticks, const LoopSpec& spec) {
    counts.cause_ticks[static_cast<std::size_t>(cause)] += ticks;
    ++counts.cause_turns[static_cast<std::size_t>(cause)];
    counts.longest_turn_ticks = std::max(counts.longest_turn_ticks, ticks);
    if (ticks > spec.stall_ticks) [[unlikely]] {
        counts.stalled_ticks += ticks;
        counts.long_turns += ticks > spec.turn_limit_ticks ? 1U : 0U;
    }
}

}  // namespace gensink::engine
