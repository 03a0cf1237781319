// SPDX-License-Identifier: BSD-3-Clause
#include "cores/thread.hpp"

#include "cores/reports.hpp"
#include "host/clock.hpp"

#include <chrono>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gensink::cores {
namespace {

void await(const auto& condition) {
    while (!condition()) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

}  // namespace

Thread::Thread(CpuId cpu, std::uint64_t tsc_hz, std::function<void()> loop)
    : cpu_(cpu), tsc_hz_(tsc_hz), loop_(std::move(loop)) {}

Result<std::unique_ptr<Thread>> Thread::start(
    const Launch& launch,
    const plan::CorePlan& core,
    std::uint64_t tsc_hz,
    std::function<void()> loop
) {
    std::unique_ptr<Thread> made(new Thread(core.cpu, tsc_hz, std::move(loop)));
    auto launched = launch(core, [thread = made.get()] { thread->run(); });
    if (!launched) {
        return tl::unexpected<Error>(std::move(launched.error()));
    }
    made->join_ = *std::move(launched);
    await([&] { return made->tid_.load(std::memory_order_acquire) != 0; });
    made->meter_.emplace(made->tid_.load(std::memory_order_acquire));
    return made;
}

void Thread::run() {
    hz_before_ = host::core_hz(tsc_hz_);
    tid_.store(gettid(), std::memory_order_release);
    loop_();
    ended_.store(true, std::memory_order_release);
    hz_after_ = host::core_hz(tsc_hz_);
    probed_.store(true, std::memory_order_release);
    await([this] { return leave_.load(std::memory_order_acquire); });  // who has gone tells nothing
}

Thread::~Thread() {
    join();
}

void Thread::join() {
    if (!join_) {
        return;
    }
    await([this] { return probed_.load(std::memory_order_acquire); });
    meter_->finish();
    leave_.store(true, std::memory_order_release);
    join_();
    join_ = nullptr;
}

void Thread::enter(counters::Phase phase) {
    if (phase == counters::Phase::measure) {
        meter_->mark();
    } else if (phase == counters::Phase::drain) {
        meter_->cut();
    }
}

trial::ThreadFacts Thread::facts() const {
    trial::ThreadFacts facts = facts_of(meter_->use(), cpu_);
    if (!join_) {
        facts.core_hz_before = hz_before_;
        facts.core_hz_after = hz_after_;
    }
    return facts;
}

}  // namespace gensink::cores
