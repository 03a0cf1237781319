// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"

#include <cstdint>
#include <optional>

/// What the kernel says of threads and CPUs over the measure phase. It is sampled by the control
/// thread: that span begins and ends a little apart from the datapath threads' own interval.
namespace gensink::trial {

enum class HardwareScope { user, user_and_kernel };

/// Hardware events of a thread over the span. Absent: the machine has no such counter, or did not
/// let us have it.
struct HardwareReport {
    std::optional<HardwareScope> scope;  ///< absent where all are
    std::optional<std::uint64_t> cycles;
    std::optional<std::uint64_t> instructions;
    std::optional<std::uint64_t> cache_misses;
    std::optional<std::uint64_t> branch_misses;
};

/// One datapath thread.
struct ThreadFacts {
    CpuId cpu;
    std::uint64_t sampled_ns = 0;    ///< the span; 0: not sampled
    std::uint64_t run_delay_ns = 0;  ///< runnable but not running (schedstat), at most the span
    /// The same up to the end of the trial: the kernel charges a wait when it ends.
    std::uint64_t run_delay_to_end_ns = 0;
    std::uint64_t involuntary_switches = 0;
    std::optional<std::uint64_t> run_ns;     ///< on its CPU
    std::optional<std::uint64_t> user_ns;    ///< of run_ns
    std::optional<std::uint64_t> system_ns;  ///< of run_ns
    HardwareReport hardware;
    std::uint64_t core_hz_before = 0;  ///< dependent-add probe; 0: not probed
    std::uint64_t core_hz_after = 0;
};

/// A CPU's use, slice by slice of the span.
struct CpuSlices {
    double min_ratio = 0;
    double median_ratio = 0;
    double max_ratio = 0;
};

/// A CPU with a datapath thread, whatever ran on it, as /proc/stat accounts for its time.
struct CpuReport {
    CpuId cpu;
    std::uint64_t sampled_ns = 0;  ///< the span
    std::uint64_t user_ns = 0;
    std::uint64_t system_ns = 0;
    std::uint64_t irq_ns = 0;
    std::uint64_t softirq_ns = 0;
    std::uint64_t steal_ns = 0;
    std::uint64_t idle_ns = 0;
    std::optional<CpuSlices> use;  ///< absent for a span of fewer than two slices

    [[nodiscard]] std::uint64_t busy_ns() const {
        return user_ns + system_ns + irq_ns + softirq_ns;
    }

    [[nodiscard]] std::uint64_t all_ns() const { return busy_ns() + steal_ns + idle_ns; }
};

}  // namespace gensink::trial
