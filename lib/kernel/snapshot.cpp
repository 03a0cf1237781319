// SPDX-License-Identifier: BSD-3-Clause
#include "host/clock.hpp"

#include <algorithm>

#include "kernel/detail/open.hpp"

namespace gensink::kernel::detail {
namespace {

template <class Counts, class Loop>
trial::CoreReport<Counts>
core_report(const Loop& loop, const plan::CorePlan& core, const Thread* thread, bool ended) {
    trial::CoreReport<Counts> report;
    report.lcore = core.lcore;
    report.total = loop.total();
    if (ended) {
        const engine::LoopReport<Counts>& last = loop.report();
        report = {
            core.lcore,
            last.total,
            last.measured,
            last.measure_start_ticks,
            last.measure_end_ticks,
            0,
            {}};
    }
    if (thread != nullptr) {
        report.thread = thread->facts();
        report.ended = thread->ended() ? 1 : 0;
    }
    return report;
}

const Thread* thread_of(const std::vector<std::unique_ptr<Thread>>& threads, std::size_t i) {
    return i < threads.size() ? threads[i].get() : nullptr;
}

void add_generator(const Open& o, bool ended, trial::Snapshot& s) {
    for (std::size_t i = 0; i < o.gen_loops.size(); ++i) {
        const plan::CorePlan& core = o.plan.gen.cores[i];
        const GenLoop& loop = *o.gen_loops[i];
        s.gen.push_back(
            core_report<counters::TxCounts>(loop, core, thread_of(o.gen_threads, i), ended)
        );
        if (!ended && s.gen.back().ended != 0 && !loop.is_delivered()) {
            s.gen.back().ended = 0;  // what lies in its sockets is on its way
        }
        for (std::size_t q = 0; q < core.queues.size(); ++q) {
            trial::StreamReport& stream = s.streams[core.queues[q].value];
            stream.queue.state = loop.queue_state(q);
            if (ended) {
                stream.sent_measured = loop.streams_measured()[q];
            }
        }
        if (ended) {
            counters::Histogram holds;
            loop.add_holds(holds);
            if (holds.total() != 0) {
                s.transport = s.transport.value_or(trial::TransportReport{});
                s.transport->latencies.hold.merge(holds);
            }
        }
    }
}

void add_sink(const Open& o, bool ended, trial::Snapshot& s) {
    for (std::size_t i = 0; i < o.sink_loops.size(); ++i) {
        const SinkLoop& loop = *o.sink_loops[i];
        s.sink.push_back(core_report<counters::SinkCounts>(
            loop, o.plan.sink->cores[i], thread_of(o.sink_threads, i), ended
        ));
        for (std::size_t q = 0; q < s.streams.size(); ++q) {
            const engine::StreamSeen seen = loop.stream(q);
            trial::StreamReport& stream = s.streams[q];
            stream.seen_measured = counters::sum(stream.seen_measured, seen.measured);
            stream.seen_other = counters::sum(stream.seen_other, seen.other);
        }
    }
}

}  // namespace

trial::Snapshot take_snapshot(const Open& o, bool ended) {
    trial::Snapshot s;
    s.tsc_hz = host::tsc_hz();
    s.streams.resize(o.plan.gen.queues);
    for (std::size_t i = 0; i < s.streams.size(); ++i) {
        s.streams[i].stream = StreamId{static_cast<std::uint8_t>(i)};
    }
    add_generator(o, ended, s);
    add_sink(o, ended, s);
    s.gen_cpus = o.cpus.gen();
    s.sink_cpus = o.cpus.sink();
    if (o.plan.is_tcp()) {
        return s;
    }
    for (const StreamSocket& one : o.sink_sockets) {
        if (const auto drops = drops_of(one.socket.fd())) {
            s.sink_kernel.socket_dropped = s.sink_kernel.socket_dropped.value_or(0) + *drops;
        }
    }
    return s;
}

}  // namespace gensink::kernel::detail
