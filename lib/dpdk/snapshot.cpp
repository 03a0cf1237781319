// SPDX-License-Identifier: BSD-3-Clause
#include "counters/published.hpp"
#include "dpdk/detail/open.hpp"
#include "trial/transport.hpp"

#include <rte_cycles.h>
#include <rte_mempool.h>

#include <algorithm>

namespace gensink::dpdk::detail {
namespace {

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

/// What the flows of all streams saw; absent in the open loop without hold times.
std::optional<trial::TransportReport> transport_report(const Open& o) {
    trial::TransportReport report;
    for (std::size_t i = 0; i < o.gen_loops.size(); ++i) {
        const plan::CorePlan& core = o.plan.gen.cores[i];
        for (std::size_t q = 0; o.plan.transport && q < core.queues.size(); ++q) {
            const auto stream = StreamId{static_cast<std::uint8_t>(core.queues[q].value)};
            trial::add_flows(report, stream, *o.gen_loops[i]->flows(q));
        }
        if (!o.plan.transport) {
            o.gen_loops[i]->add_holds(report.latencies.hold);
        }
    }
    if (!o.plan.transport && report.latencies.hold.total() == 0) {
        return std::nullopt;
    }
    return report;
}

/// The ring is looked at only while frames wait at it: its thread then moves no descriptor.
trial::QueueReport
queue_report(const Open& o, QueueId queue, const counters::TxQueueState& state, bool ended) {
    trial::QueueReport report;
    report.state = state;
    if (!ended && state.waiting != 0 && o.gen) {
        if (const auto free = o.gen->free_descriptors(queue)) {
            report.ring_known = 1;
            report.ring_free = *free;
        }
    }
    return report;
}

void add_gen_cores(const Open& o, bool ended, trial::Snapshot& s) {
    for (std::size_t i = 0; i < o.gen_loops.size(); ++i) {
        const plan::CorePlan& core = o.plan.gen.cores[i];
        const Thread* thread = i < o.gen_threads.size() ? o.gen_threads[i].get() : nullptr;
        s.gen.push_back(core_report<counters::TxCounts>(*o.gen_loops[i], core, thread, ended));
        for (std::size_t q = 0; q < core.queues.size(); ++q) {
            trial::StreamReport& stream = s.streams[core.queues[q].value];
            stream.queue = queue_report(o, core.queues[q], o.gen_loops[i]->queue_state(q), ended);
            if (ended) {
                stream.sent_measured = o.gen_loops[i]->streams_measured()[q];
            }
        }
    }
}

void add_sink_cores(const Open& o, bool ended, trial::Snapshot& s) {
    for (std::size_t i = 0; i < o.sink_loops.size(); ++i) {
        const Thread* thread = i < o.sink_threads.size() ? o.sink_threads[i].get() : nullptr;
        s.sink.push_back(core_report<counters::SinkCounts>(
            *o.sink_loops[i], o.plan.sink->cores[i], thread, ended
        ));
        for (std::size_t q = 0; q < s.streams.size(); ++q) {
            const engine::StreamSeen seen = o.sink_loops[i]->stream(q);
            s.streams[q].seen_measured = counters::sum(s.streams[q].seen_measured, seen.measured);
            s.streams[q].seen_other = counters::sum(s.streams[q].seen_other, seen.other);
        }
    }
}

}  // namespace

trial::Snapshot take_snapshot(const Open& o, bool ended) {
    trial::Snapshot s;
    s.tsc_hz = rte_get_tsc_hz();
    s.streams.resize(o.plan.gen.queues);
    for (std::size_t i = 0; i < s.streams.size(); ++i) {
        s.streams[i].stream = StreamId{static_cast<std::uint8_t>(i)};
    }
    add_gen_cores(o, ended, s);
    add_sink_cores(o, ended, s);
    s.gen_cpus = o.cpus.gen();
    s.sink_cpus = o.cpus.sink();
    s.transfer_done = !o.gen_loops.empty() && o.plan.transport &&
                      std::ranges::all_of(o.gen_loops, &GenLoop::finished);
    if (ended && !o.gen_loops.empty()) {
        s.transport = transport_report(o);
    }
    if (o.gen) {
        s.gen_device = o.gen->counters();
        if (s.gen_device.tx_frames) {
            *s.gen_device.tx_frames -= std::min(*s.gen_device.tx_frames, o.control_sent);
        }
        s.gen_kernel = o.gen->kernel_counters();
        s.gen_link_up = o.gen->link_up();
    }
    if (o.sink) {
        s.sink_device = o.sink->counters();
        s.sink_kernel = o.sink->kernel_counters();
        s.sink_link_up = o.sink->link_up();
    }
    for (const Pool& pool : o.tx_pools) {
        s.frames_left_in_pool += rte_mempool_avail_count(pool.get());
    }
    return s;
}

}  // namespace gensink::dpdk::detail
