// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "counters/counts.hpp"
#include "host/thread_meter.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>

namespace gensink::cores {

/// Waits for the end of what was launched.
using Join = std::function<void()>;
/// Runs a function on a thread that is pinned to the core's CPU. Error environment.
using Launch = std::function<Result<Join>(const plan::CorePlan& core, std::function<void()> work)>;

/// One loop on one core, with what the kernel says of its thread.
class Thread {
  public:
    /// The thread probes its core's clock before and after. Error environment. `loop` must outlive
    /// join().
    [[nodiscard]] static Result<std::unique_ptr<Thread>> start(
        const Launch& launch,
        const plan::CorePlan& core,
        std::uint64_t tsc_hz,
        std::function<void()> loop
    );

    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    Thread(Thread&&) = delete;
    Thread& operator=(Thread&&) = delete;
    ~Thread();  ///< joins

    void join();
    /// facts() are of the measure phase. The thread must run.
    void enter(counters::Phase phase);

    /// True once the loop has returned.
    [[nodiscard]] bool ended() const { return ended_.load(std::memory_order_acquire); }

    /// core_hz_* are there once joined.
    [[nodiscard]] trial::ThreadFacts facts() const;

  private:
    Thread(CpuId cpu, std::uint64_t tsc_hz, std::function<void()> loop);
    void run();

    CpuId cpu_;
    std::uint64_t tsc_hz_;
    std::function<void()> loop_;
    Join join_;                        ///< empty: joined, or never launched
    std::atomic<pid_t> tid_{0};        ///< writer: the thread, once; reader: control thread
    std::atomic<bool> ended_{false};   ///< likewise
    std::atomic<bool> probed_{false};  ///< likewise: the thread has nothing left to do
    std::atomic<bool> leave_{false};   ///< writer: control thread, once it has sampled it last
    std::optional<host::ThreadMeter> meter_;  ///< once it runs
    std::uint64_t hz_before_ = 0;             ///< written by the thread before tid_
    std::uint64_t hz_after_ = 0;              ///< written by the thread before probed_
};

}  // namespace gensink::cores
