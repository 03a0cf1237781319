// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/thread.hpp"

#include "host/clock.hpp"
#include "host/reports.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <sched.h>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace gensink::kernel {
namespace {

constexpr auto step = std::chrono::microseconds(50);

int pin(CpuId cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu.value, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

}  // namespace

Result<std::unique_ptr<Thread>>
Thread::launch(const plan::CorePlan& core, std::function<void()> loop) {
    std::unique_ptr<Thread> made(new Thread(core));
    made->loop_ = std::move(loop);
    made->thread_ = std::thread([thread = made.get()] { thread->run(); });
    while (made->tid_.load(std::memory_order_acquire) == 0) {
        std::this_thread::sleep_for(step);
    }
    made->meter_.emplace(made->tid_.load(std::memory_order_acquire));
    if (const int code = made->refused_.load(std::memory_order_relaxed); code != 0) {
        return fail(
            ErrorKind::environment,
            "cannot run a datapath thread: " + std::generic_category().message(code),
            fmt::format("CPU {}", core.cpu.value),
            code
        );
    }
    return made;
}

void Thread::run() {
    (void)prctl(PR_SET_TIMERSLACK, 1);  // a paced sender wakes when it is due, not 50 us later
    refused_.store(pin(core_.cpu), std::memory_order_relaxed);
    hz_before_ = host::core_hz(host::tsc_hz());
    tid_.store(gettid(), std::memory_order_release);
    if (refused_.load(std::memory_order_relaxed) == 0) {
        loop_();
    }
    hz_after_ = host::core_hz(host::tsc_hz());
    ended_.store(true, std::memory_order_release);
    while (!leave_.load(std::memory_order_acquire)) {
        std::this_thread::sleep_for(step);  // a thread that has gone tells nothing
    }
}

Thread::~Thread() {
    join();
}

void Thread::join() {
    if (!thread_.joinable()) {
        return;
    }
    while (!ended()) {
        std::this_thread::sleep_for(step);
    }
    meter_->finish();
    leave_.store(true, std::memory_order_release);
    thread_.join();
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
    if (!thread_.joinable()) {
        facts.core_hz_before = hz_before_;
        facts.core_hz_after = hz_after_;
    }
    return facts;
}

}  // namespace gensink::kernel
