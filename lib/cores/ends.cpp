// SPDX-License-Identifier: BSD-3-Clause
#include "cores/ends.hpp"

#include "counters/published.hpp"
#include "trial/transport.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

namespace gensink::cores {
namespace {

using counters::Phase;
using Threads = std::vector<std::unique_ptr<Thread>>;
using Starter =
    std::function<Result<std::unique_ptr<Thread>>(const plan::CorePlan&, std::function<void()>)>;

template <class Loop>
Result<void> start_loops(
    const std::vector<std::unique_ptr<Loop>>& loops,
    const std::vector<plan::CorePlan>& cores,
    const engine::Control& control,
    const Starter& start,
    Threads& threads
) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
        auto thread = start(cores[i], [loop = loops[i].get(), &control] { loop->run(control); });
        if (!thread) {
            return tl::unexpected<Error>(std::move(thread.error()));
        }
        threads.push_back(*std::move(thread));
    }
    return {};
}

void join(const Threads& threads) {
    for (const std::unique_ptr<Thread>& thread : threads) {
        thread->join();
    }
}

bool any_runs(const Threads& threads) {
    return std::ranges::any_of(threads, [](const auto& thread) { return !thread->ended(); });
}

/// Waits until the sink's loops have ended their measure interval, while frames still come: an
/// interval that outlasts the generator's would show too low a rate. A loop that lost its core is
/// not waited for long.
void await_cut(const std::vector<std::unique_ptr<SinkLoop>>& loops) {
    constexpr auto step = std::chrono::microseconds(50);
    constexpr int steps = 400;
    for (const std::unique_ptr<SinkLoop>& loop : loops) {
        for (int i = 0; i < steps && loop->phase() != Phase::drain; ++i) {
            std::this_thread::sleep_for(step);
        }
    }
}

template <class Counts, class Loop>
trial::CoreReport<Counts>
core_report(const Loop& loop, const plan::CorePlan& core, const Thread* thread, bool ended) {
    trial::CoreReport<Counts> report;
    report.lcore = core.lcore;
    report.total = loop.total();
    if (ended) {
        const engine::LoopReport<Counts>& last = loop.report();
        report.total = last.total;
        report.measured = last.measured;
        report.measure_start_ticks = last.measure_start_ticks;
        report.measure_end_ticks = last.measure_end_ticks;
    }
    if (thread != nullptr) {
        report.thread = thread->facts();
        report.ended = thread->ended() ? 1 : 0;
    }
    return report;
}

const Thread* thread_of(const Threads& threads, std::size_t i) {
    return i < threads.size() ? threads[i].get() : nullptr;
}

/// What the flows of all streams saw; absent in the open loop without hold times.
std::optional<trial::TransportReport>
transport_report(const plan::TrialPlan& plan, const std::vector<std::unique_ptr<GenLoop>>& loops) {
    trial::TransportReport report;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const plan::CorePlan& core = plan.gen.cores[i];
        for (std::size_t q = 0; plan.transport && q < core.queues.size(); ++q) {
            const auto stream = StreamId{static_cast<std::uint8_t>(core.queues[q].value)};
            trial::add_flows(report, stream, *loops[i]->flows(q));
        }
        if (!plan.transport) {
            loops[i]->add_holds(report.latencies.hold);
        }
    }
    if (!plan.transport && report.latencies.hold.total() == 0) {
        return std::nullopt;
    }
    return report;
}

}  // namespace

Ends::~Ends() {
    gen_control_.stop.store(true, std::memory_order_relaxed);
    sink_control_.stop.store(true, std::memory_order_relaxed);
    join(gen_threads_);
    join(sink_threads_);
}

Result<void> Ends::start(const plan::TrialPlan& plan, const Launch& launch) {
    const std::vector<plan::CorePlan> none;
    const auto& sink_cores = plan.sink ? plan.sink->cores : none;
    const Starter start_one = [&](const plan::CorePlan& core, std::function<void()> loop) {
        return Thread::start(launch, core, tsc_hz_, std::move(loop));
    };
    auto done = start_loops(sink_loops, sink_cores, sink_control_, start_one, sink_threads_);
    if (done) {
        done = start_loops(gen_loops, plan.gen.cores, gen_control_, start_one, gen_threads_);
    }
    if (done) {
        cpus_.start(plan, gen_loops.size(), sink_loops.size());
    }
    return done;
}

void Ends::enter(Phase phase) {
    cpus_.enter(phase);
    for (const Threads* threads : {&gen_threads_, &sink_threads_}) {
        for (const std::unique_ptr<Thread>& thread : *threads) {
            thread->enter(phase);
        }
    }
    sink_control_.phase.store(phase, std::memory_order_relaxed);
    if (phase == Phase::drain) {
        await_cut(sink_loops);
    }
    gen_control_.phase.store(phase, std::memory_order_relaxed);
}

/// The generator ends first, so that a stop in full flight leaves no sent frame unheard.
void Ends::stop() {
    gen_control_.phase.store(Phase::drain, std::memory_order_relaxed);
    join(gen_threads_);
    sink_control_.stop.store(true, std::memory_order_relaxed);
    join(sink_threads_);
}

Phase Ends::phase() const {
    return gen_control_.phase.load(std::memory_order_relaxed);
}

bool Ends::gen_runs() const {
    return any_runs(gen_threads_);
}

bool Ends::sink_runs() const {
    return any_runs(sink_threads_);
}

void Ends::add_generator(const plan::TrialPlan& plan, bool ended, trial::Snapshot& s) const {
    for (std::size_t i = 0; i < gen_loops.size(); ++i) {
        const plan::CorePlan& core = plan.gen.cores[i];
        const GenLoop& loop = *gen_loops[i];
        s.gen.push_back(
            core_report<counters::TxCounts>(loop, core, thread_of(gen_threads_, i), ended)
        );
        if (!ended && s.gen.back().ended != 0 && !loop.is_delivered()) {
            s.gen.back().ended = 0;  // what waits below is on its way
        }
        for (std::size_t q = 0; q < core.queues.size(); ++q) {
            trial::StreamReport& stream = s.streams[core.queues[q].value];
            stream.queue.state = loop.queue_state(q);
            if (ended) {
                stream.sent_measured = loop.streams_measured()[q];
            }
        }
    }
}

void Ends::add_sink(const plan::TrialPlan& plan, bool ended, trial::Snapshot& s) const {
    for (std::size_t i = 0; i < sink_loops.size(); ++i) {
        const SinkLoop& loop = *sink_loops[i];
        s.sink.push_back(core_report<counters::SinkCounts>(
            loop, plan.sink->cores[i], thread_of(sink_threads_, i), ended
        ));
        for (std::size_t q = 0; q < s.streams.size(); ++q) {
            const engine::StreamSeen seen = loop.stream(q);
            trial::StreamReport& stream = s.streams[q];
            stream.seen_measured = counters::sum(stream.seen_measured, seen.measured);
            stream.seen_other = counters::sum(stream.seen_other, seen.other);
        }
    }
}

trial::Snapshot Ends::snapshot(const plan::TrialPlan& plan, bool ended) {
    trial::Snapshot s;
    s.tsc_hz = tsc_hz_;
    s.streams.resize(plan.gen.queues);
    for (std::size_t i = 0; i < s.streams.size(); ++i) {
        s.streams[i].stream = StreamId{static_cast<std::uint8_t>(i)};
    }
    add_generator(plan, ended, s);
    add_sink(plan, ended, s);
    if (!ended) {
        cpus_.look();
    }
    s.gen_cpus = cpus_.gen();
    s.sink_cpus = cpus_.sink();
    s.transfer_done =
        !gen_loops.empty() && plan.transport && std::ranges::all_of(gen_loops, &GenLoop::finished);
    if (ended && !gen_loops.empty()) {
        s.transport = transport_report(plan, gen_loops);
    }
    return s;
}

}  // namespace gensink::cores
