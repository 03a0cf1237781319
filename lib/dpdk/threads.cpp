// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/threads.hpp"

#include "dpdk/eal.hpp"

#include <fmt/format.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace gensink::dpdk {

std::uint64_t core_hz() {
    constexpr std::uint64_t additions = 1 << 18;
    std::uint64_t best = UINT64_MAX;
    for (int attempt = 0; attempt < 5; ++attempt) {
        std::uint64_t chain = 1;
        const std::uint64_t step = 3;
        const std::uint64_t start = rte_rdtsc_precise();
        for (std::uint64_t i = 0; i < additions / 16; ++i) {
            // Each needs the one before it; written out, or the compiler would fold them.
            asm volatile("add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         "add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         "add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         "add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         : "+r"(chain)
                         : "r"(step));
        }
        best = std::min(best, rte_rdtsc_precise() - start);
    }
    return static_cast<std::uint64_t>(
        static_cast<double>(additions) * static_cast<double>(rte_get_tsc_hz()) /
        static_cast<double>(best)
    );
}

Result<std::unique_ptr<Thread>>
Thread::launch(const plan::CorePlan& core, std::function<void()> loop) {
    std::unique_ptr<Thread> thread(new Thread);
    thread->core_ = core;
    thread->loop_ = std::move(loop);
    const int code = rte_eal_remote_launch(&Thread::entry, thread.get(), core.lcore.value);
    if (code != 0) {
        thread->joined_ = true;
        return tl::unexpected<Error>(dpdk_error(
            ErrorKind::environment,
            "cannot start a datapath thread",
            fmt::format("lcore {} on CPU {}", core.lcore.value, core.cpu.value),
            code
        ));
    }
    while (thread->tid_.load(std::memory_order_acquire) == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return thread;
}

int Thread::entry(void* self) {
    Thread& thread = *static_cast<Thread*>(self);
    thread.hz_before_ = core_hz();
    thread.tid_.store(rte_gettid(), std::memory_order_release);
    thread.loop_();
    thread.ended_.store(true, std::memory_order_release);
    thread.hz_after_ = core_hz();
    return 0;
}

Thread::~Thread() {
    join();
}

host::ThreadSample Thread::sample(const host::ThreadSample& otherwise) const {
    return host::sample_thread(tid_.load(std::memory_order_acquire)).value_or(otherwise);
}

void Thread::join() {
    if (!joined_) {
        rte_eal_wait_lcore(core_.lcore.value);
        joined_ = true;
        last_ = sample(end_);  // the lcore's thread lives on
    }
}

void Thread::mark() {
    start_time_ = end_time_ = Clock::now();  // before: no wait is longer than its span
    start_ = end_ = sample({});
}

void Thread::cut() {
    end_ = sample(end_);
    end_time_ = Clock::now();
}

trial::ThreadFacts Thread::facts() const {
    const auto delay = [this](const host::ThreadSample& until) {
        return until.run_delay_ns.value_or(0) - start_.run_delay_ns.value_or(0);
    };
    trial::ThreadFacts facts;
    facts.cpu = core_.cpu;
    facts.sampled_ns = static_cast<std::uint64_t>(Duration(end_time_ - start_time_).count());
    // A wait that began before the span is charged within it.
    facts.run_delay_ns = std::min(delay(end_), facts.sampled_ns);
    facts.involuntary_switches = end_.involuntary_switches - start_.involuntary_switches;
    if (joined_) {
        facts.run_delay_to_end_ns = delay(last_);
        facts.core_hz_before = hz_before_;
        facts.core_hz_after = hz_after_;
    }
    return facts;
}

}  // namespace gensink::dpdk
