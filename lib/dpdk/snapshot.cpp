// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/detail/open.hpp"

#include <rte_mempool.h>

#include <algorithm>

namespace gensink::dpdk::detail {
namespace {

/// The ring is looked at only while frames wait at it: its thread then moves no descriptor.
void look_at_ring(const Port& port, trial::StreamReport& stream) {
    trial::QueueReport& queue = stream.queue;
    if (queue.state.waiting != 0) {
        if (const auto free = port.free_descriptors(QueueId{stream.stream.value})) {
            queue.ring_known = 1;
            queue.ring_free = *free;
        }
    }
}

}  // namespace

trial::Snapshot take_snapshot(Open& o, bool ended) {
    trial::Snapshot s = o.ends.snapshot(o.plan, ended);
    for (trial::StreamReport& stream : s.streams) {
        if (!ended && o.gen && !o.ends.gen_loops.empty()) {
            look_at_ring(*o.gen, stream);
        }
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
