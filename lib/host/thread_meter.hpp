// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "host/perf_counters.hpp"
#include "host/thread.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace gensink::host {

/// What the kernel says of a thread over an interval. Absent: it does not tell.
struct ThreadUse {
    std::uint64_t sampled_ns = 0;    ///< the interval
    std::uint64_t run_delay_ns = 0;  ///< runnable but not running, at most the interval
    /// The same from the interval's start to finish(): the kernel charges a wait when it ends.
    /// 0 before.
    std::uint64_t run_delay_to_end_ns = 0;
    std::uint64_t involuntary_switches = 0;
    std::optional<std::uint64_t> run_ns;   ///< on a CPU
    std::optional<std::uint64_t> user_ns;  ///< of run_ns, as the kernel's timer found it
    std::optional<std::uint64_t> system_ns;
    HardwareCounts hardware;
};

/// Follows one thread of this process from another one. Not the thread's own business: it does
/// nothing for it, and need not know.
class ThreadMeter {
  public:
    explicit ThreadMeter(pid_t tid) : tid_(tid), counters_(tid) {}

    /// Starts the interval that use() tells of. The thread must run.
    void mark();
    /// Ends it.
    void cut();
    /// Takes the last sample, once the thread's work is done: joined, where the thread outlives
    /// that. Of one that has ended already, what was seen last remains.
    void finish();

    [[nodiscard]] ThreadUse use() const;

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] ThreadSample sample(const ThreadSample& otherwise) const;

    pid_t tid_;
    PerfCounters counters_;
    ThreadSample start_;
    ThreadSample end_;
    ThreadSample last_;  ///< once finished
    std::optional<ThreadTimes> start_times_;
    std::optional<ThreadTimes> end_times_;
    PerfCounters::Readings start_counts_;
    PerfCounters::Readings end_counts_;
    Clock::time_point start_at_;
    Clock::time_point end_at_;
    bool finished_ = false;
};

}  // namespace gensink::host
