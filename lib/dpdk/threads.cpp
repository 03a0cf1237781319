// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/threads.hpp"

#include "dpdk/eal.hpp"
#include "host/clock.hpp"

#include <fmt/format.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <chrono>
#include <thread>

namespace gensink::dpdk {

namespace {

trial::HardwareReport report(const host::HardwareCounts& counts) {
    trial::HardwareReport report;
    report.cycles = counts.cycles;
    report.instructions = counts.instructions;
    report.cache_misses = counts.cache_misses;
    report.branch_misses = counts.branch_misses;
    if (counts.cycles || counts.instructions || counts.cache_misses || counts.branch_misses) {
        report.scope = counts.scope == host::PerfScope::user
                           ? trial::HardwareScope::user
                           : trial::HardwareScope::user_and_kernel;
    }
    return report;
}

}  // namespace

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

void Thread::mark() {
    meter_->mark();
}

void Thread::cut() {
    meter_->cut();
}

trial::ThreadFacts Thread::facts() const {
    const host::ThreadUse use = meter_->use();
    trial::ThreadFacts facts;
    facts.cpu = core_.cpu;
    facts.sampled_ns = use.sampled_ns;
    facts.run_delay_ns = use.run_delay_ns;
    facts.run_delay_to_end_ns = use.run_delay_to_end_ns;
    facts.involuntary_switches = use.involuntary_switches;
    facts.run_ns = use.run_ns;
    facts.user_ns = use.user_ns;
    facts.system_ns = use.system_ns;
    facts.hardware = report(use.hardware);
    if (joined_) {
        facts.core_hz_before = hz_before_;
        facts.core_hz_after = hz_after_;
    }
    return facts;
}

}  // namespace gensink::dpdk
