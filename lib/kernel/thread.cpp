// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/thread.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    tid_.store(gettid(), std::memory_order_release);
    if (refused_.load(std::memory_order_relaxed) == 0) {
        loop_();
    }
    ended_.store(true, std::memory_order_release);
    while (!leave_.load(std::memory_order_acquire)) {
        std::this_thread::sleep_for(step);  // a thread that has gone tells nothing
    }
}

Thread::~Thread() {
    join();
}

host::ThreadSample Thread::sample(const host::ThreadSample& otherwise) const {
    return host::sample_thread(tid_.load(std::memory_order_acquire)).value_or(otherwise);
}

void Thread::join() {
    if (!thread_.joinable()) {
        return;
    }
    while (!ended()) {
        std::this_thread::sleep_for(step);
    }
    last_ = sample(end_);
    leave_.store(true, std::memory_order_release);
    thread_.join();
}

void Thread::mark() {
    start_time_ = end_time_ = Clock::now();
    start_ = end_ = sample({});
}

void Thread::cut() {
    end_ = sample(end_);
    end_time_ = Clock::now();
}

trial::ThreadFacts Thread::facts() const {
    trial::ThreadFacts facts;
    facts.cpu = core_.cpu;
    facts.sampled_ns = static_cast<std::uint64_t>(Duration(end_time_ - start_time_).count());
    const auto delay = [this](const host::ThreadSample& until) {
        return until.run_delay_ns.value_or(0) - start_.run_delay_ns.value_or(0);
    };
    facts.run_delay_ns = std::min(delay(end_), facts.sampled_ns);
    facts.involuntary_switches = end_.involuntary_switches - start_.involuntary_switches;
    if (!thread_.joinable()) {
        facts.run_delay_to_end_ns = delay(last_);
    }
    return facts;
}

}  // namespace gensink::kernel
