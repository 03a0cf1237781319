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
#include <thread>

namespace gensink::kernel {

/// One loop on a thread of its own, pinned to its core's CPU, with what the kernel says of it.
class Thread {
  public:
    /// Error environment: the CPU cannot be had. `loop` must outlive join().
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

    [[nodiscard]] bool ended() const { return ended_.load(std::memory_order_acquire); }

    [[nodiscard]] trial::ThreadFacts facts() const;

  private:
    explicit Thread(const plan::CorePlan& core) : core_(core) {}

    void run();

    plan::CorePlan core_;
    std::function<void()> loop_;
    std::atomic<pid_t> tid_{0};       ///< writer: the thread, once; reader: control thread
    std::atomic<bool> ended_{false};  ///< writer: the thread, once; reader: control thread
    std::atomic<bool> leave_{false};  ///< writer: control thread; what it sampled last is told
    std::atomic<int> refused_{0};     ///< errno of the pinning
    std::optional<host::ThreadMeter> meter_;
    std::uint64_t hz_before_ = 0;  ///< written by the thread before tid_
    std::uint64_t hz_after_ = 0;   ///< written by the thread, read after join
    std::thread thread_;
};

}  // namespace gensink::kernel
