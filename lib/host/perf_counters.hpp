// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace gensink::host {

/// What perf_event_open(2) calls type and config.
struct PerfEvent {
    std::uint32_t type = 0;
    std::uint64_t config = 0;
};

/// A counter's value, and for how long it was wanted and did count: the kernel takes turns where
/// there are more counters than the core has.
struct PerfReading {
    std::uint64_t value = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
};

/// What was counted between two readings, extrapolated over the time in which it was not; absent
/// where it never counted.
[[nodiscard]] std::optional<std::uint64_t>
counted_between(const PerfReading& start, const PerfReading& end);

enum class PerfScope { user, user_and_kernel };

/// One event of one thread of this process. It counts from its opening on.
class PerfCounter {
  public:
    /// Absent where the machine or the kernel has no such counter, or does not let us.
    [[nodiscard]] static std::optional<PerfCounter>
    open(const PerfEvent& event, pid_t tid, PerfScope scope);

    PerfCounter(const PerfCounter&) = delete;
    PerfCounter& operator=(const PerfCounter&) = delete;
    PerfCounter(PerfCounter&& other) noexcept;
    PerfCounter& operator=(PerfCounter&& other) noexcept;
    ~PerfCounter();

    [[nodiscard]] std::optional<PerfReading> read() const;

  private:
    explicit PerfCounter(int file) : file_(file) {}

    int file_ = -1;
};

/// Absent: the machine has no such counter, or it was not given to us.
struct HardwareCounts {
    std::optional<std::uint64_t> cycles;
    std::optional<std::uint64_t> instructions;
    std::optional<std::uint64_t> cache_misses;  ///< of the last level
    std::optional<std::uint64_t> branch_misses;
    PerfScope scope = PerfScope::user_and_kernel;  ///< of those that are there
};

/// The hardware counters of one thread of this process, as far as there are any: in user and kernel
/// mode, or in user mode alone where perf_event_paranoid does not allow more.
class PerfCounters {
  public:
    static constexpr std::size_t size = 4;
    using Readings = std::array<std::optional<PerfReading>, size>;

    explicit PerfCounters(pid_t tid);

    [[nodiscard]] Readings read() const;
    [[nodiscard]] HardwareCounts between(const Readings& start, const Readings& end) const;

  private:
    std::array<std::optional<PerfCounter>, size> counters_;
    PerfScope scope_ = PerfScope::user_and_kernel;
};

}  // namespace gensink::host
