// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "host/thread_meter.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>

namespace gensink::dpdk {

/// One loop on one lcore, with what the kernel says of its thread.
class Thread {
  public:
    /// Launches `loop` on the core's lcore; it probes the core's clock before and after.
    /// Error environment. `loop` must outlive join().
    [[nodiscard]] static Result<std::unique_ptr<Thread>>
    launch(const plan::CorePlan& core, std::function<void()> loop);

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
    Thread() = default;
    static int entry(void* self);

    plan::CorePlan core_;
    std::function<void()> loop_;
    std::atomic<pid_t> tid_{0};       ///< writer: the thread, once; reader: control thread
    std::atomic<bool> ended_{false};  ///< writer: the thread, once; reader: control thread
    bool joined_ = false;
    std::optional<host::ThreadMeter> meter_;  ///< once it runs
    std::uint64_t hz_before_ = 0;             ///< written by the thread before tid_
    std::uint64_t hz_after_ = 0;              ///< written by the thread, read after join
};

}  // namespace gensink::dpdk
