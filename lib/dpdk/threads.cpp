// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/threads.hpp"

#include "dpdk/eal.hpp"
#include "host/clock.hpp"
#include "host/reports.hpp"

#include <fmt/format.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <chrono>
#include <thread>

namespace gensink::dpdk {

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
    thread->meter_.emplace(thread->tid_.load(std::memory_order_acquire));
    return thread;
}

int Thread::entry(void* self) {
    Thread& thread = *static_cast<Thread*>(self);
    thread.hz_before_ = host::core_hz(rte_get_tsc_hz());
    thread.tid_.store(rte_gettid(), std::memory_order_release);
    thread.loop_();
    thread.ended_.store(true, std::memory_order_release);
    thread.hz_after_ = host::core_hz(rte_get_tsc_hz());
    return 0;
}

Thread::~Thread() {
    join();
}

void Thread::join() {
    if (!joined_) {
        rte_eal_wait_lcore(core_.lcore.value);
        joined_ = true;
        meter_->finish();  // the lcore's thread lives on
    }
}

void Thread::enter(counters::Phase phase) {
    if (phase == counters::Phase::measure) {
        meter_->mark();
    } else if (phase == counters::Phase::drain) {
        meter_->cut();
    }
}

trial::ThreadFacts Thread::facts() const {
    trial::ThreadFacts facts = host::facts_of(meter_->use(), core_.cpu);
    if (joined_) {
        facts.core_hz_before = hz_before_;
        facts.core_hz_after = hz_after_;
    }
    return facts;
}

}  // namespace gensink::dpdk
