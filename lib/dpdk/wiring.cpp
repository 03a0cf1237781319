// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/detail/open.hpp"
#include "engine/specs.hpp"

#include <fmt/format.h>
#include <rte_cycles.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gensink::dpdk::detail {
namespace {

constexpr plan::MacAddress broadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr std::uint32_t ack_pool_frames = 4096;
/// A pool goes round: the fewer frames, the less of both cores' caches. No driver holds any back
/// here, and an ACK that finds none left waits for one.
constexpr std::uint32_t cable_ack_frames = 511;

std::uint64_t ticks(Duration duration) {
    return static_cast<std::uint64_t>(seconds(duration) * static_cast<double>(rte_get_tsc_hz()));
}

wire::FrameFields frame_fields(const Open& o) {
    const plan::FrameRecipe& f = o.plan.frames;
    wire::FrameFields fields;
    const auto own = o.gen ? o.gen->mac() : std::nullopt;
    const auto peer = o.sink ? o.sink->mac() : std::nullopt;
    fields.source_mac = f.source_mac.value_or(own.value_or(default_mac));
    fields.destination_mac = f.destination_mac.value_or(peer.value_or(broadcast));
    fields.source_ip = f.source_ip;
    fields.destination_ip = f.destination_ip;
    fields.source_port = f.source_port;
    fields.destination_port = f.destination_port;
    fields.payload_bytes = largest_payload(o.plan);
    fields.run_id = o.run_id;
    const flow::Payload mode = o.plan.payload.mode;
    const bool unsummed = mode == flow::Payload::copy || mode == flow::Payload::zero_copy;
    const bool offloads = o.gen && o.gen->offloads_udp_checksum();
    if (f.udp_checksum == plan::UdpChecksum::zero || (unsummed && !offloads)) {
        fields.checksum = wire::UdpChecksumField::zero;
    } else if (offloads) {
        fields.checksum = wire::UdpChecksumField::pseudo;
    }
    return fields;
}

/// Needs a plan with a transport.
engine::ClosedLoopSpec closed_loop(const Open& o) {
    const plan::TransportPlan& transport = *o.plan.transport;
    return {
        .sender = transport.sender,
        .ack = transport.ack,
        .streams = o.plan.gen.queues,
        .flows = o.plan.frames.flows,
        .fan_out = transport.fan_out,
        .paced = o.plan.intended_fps.has_value(),
        .run_id = o.run_id,
        .ticks_per_second = static_cast<double>(rte_get_tsc_hz()),
    };
}

engine::LoopSpec loop_spec(const Open& o, const plan::EndPlan& end) {
    using namespace std::chrono_literals;
    const Duration limit = o.plan.validity.turn_limit;
    // A driver that enters the kernel may stay there; any other takes far less than 1 us a frame.
    const Duration stall =
        end.driver.system_calls ? limit : std::min<Duration>(limit, 200us + 1us * end.burst);
    return {ticks(limit), ticks(stall), ticks(1ms)};
}

flow::PacerSpec pacer_spec(const Open& o, QueueId queue) {
    flow::PacerSpec pacer;
    if (o.plan.intended_fps) {
        const auto hz = static_cast<double>(rte_get_tsc_hz());
        pacer = flow::share(hz, *o.plan.intended_fps, o.plan.gen.queues, queue.value);
    }
    pacer.burst = o.plan.gen.burst;
    pacer.fill = o.plan.fill;
    pacer.flush_after_ticks = ticks(o.plan.flush_after);
    pacer.behind = o.plan.behind;
    return pacer;
}

GenQueueSpec gen_queue(const Open& o, QueueId queue) {
    GenQueueSpec q;
    q.port = o.gen->id().value;
    q.queue = queue.value;
    q.pool = o.tx_pools[queue.value].get();
    q.payload = {o.plan.payload.mode, o.source.bytes()};
    q.segments = o.segment_pools.empty() ? nullptr : o.segment_pools[queue.value].get();
    q.iova_offset = o.source.iova_offset();
    q.pacer = pacer_spec(o, queue);
    const auto stream = static_cast<std::uint8_t>(queue.value);
    if (o.plan.transport) {
        const engine::ClosedLoopSpec loop = closed_loop(o);
        q.closed = ClosedSpec{
            engine::flow_set_spec(loop), engine::segment_spec(loop, stream, frame_fields(o))};
    } else {
        q.stream = {
            o.run_id, stream, o.plan.frames.flows, o.plan.frames.payload_bytes, frame_fields(o)};
    }
    return q;
}

engine::SinkSpec sink_spec(const Open& o) {
    engine::SinkSpec spec{
        .run_id = o.run_id,
        .destination_port = o.plan.frames.destination_port,
        .streams = o.plan.gen.queues,
        .flows = o.plan.frames.flows,
        .burst = o.plan.sink->burst,
        .slow_ticks = 0,
        .window_frames = 0,
    };
    if (o.plan.transport) {
        spec = engine::sink_spec(closed_loop(o), spec.destination_port, spec.burst);
    }
    spec.slow_ticks = o.plan.fault.slow_ticks;
    return spec;
}

SinkLoopSpec sink_loop(const Open& o) {
    const plan::FaultPlan& fault = o.plan.fault;
    SinkLoopSpec spec;
    spec.loop = loop_spec(o, *o.plan.sink);
    spec.sink = sink_spec(o);
    spec.cable = o.cable.has_value();
    spec.full = o.plan.verify == plan::Verify::full;
    spec.fault = {
        fault.drop_every,
        fault.duplicate_every,
        fault.reorder_every,
        fault.reorder_depth,
        fault.corrupt_every,
        fault.foreign_every};
    plan::FaultPlan frames_only = fault;
    frames_only.slow_ticks = 0;
    spec.faulty = frames_only.any();
    if (o.plan.transport) {
        spec.acker = engine::acker_spec(closed_loop(o), spec.sink.burst);
    }
    return spec;
}

/// The pool that a cable's frames go back to; null where each may have a segment of another pool.
rte_mempool* sent_pool(const Open& o, QueueId queue) {
    return o.plan.payload.mode == flow::Payload::zero_copy ? nullptr
                                                           : o.tx_pools[queue.value].get();
}

/// Ways between a sink's loop and the control thread.
void add_mail(Open& o, SinkLoopSpec& spec) {
    o.mail.push_back(std::make_unique<engine::Mailbox>());
    spec.sink.mail = o.mail.back().get();
    if (spec.acker && o.ends.sink_loops.empty()) {
        spec.acker->outbox = &o.outbox;
    }
}

/// As many as there are frames, and what caches of all lcores may keep.
Result<void> make_segment_pools(Open& o) {
    const auto lcores = o.plan.gen.cores.size() + (o.plan.sink ? o.plan.sink->cores.size() : 0) + 1;
    const std::size_t cached = lcores * RTE_MEMPOOL_CACHE_MAX_SIZE * 3 / 2;
    for (std::uint16_t q = 0; q < o.plan.gen.queues; ++q) {
        Result<Pool> pool = make_segment_pool(
            fmt::format("gen-segment{}", q),
            o.plan.gen.pool_frames + static_cast<std::uint32_t>(cached),
            o.gen->socket()
        );
        if (!pool) {
            return tl::unexpected<Error>(pool.error());
        }
        o.segment_pools.push_back(std::move(*pool));
    }
    return {};
}

Result<void> make_source(Open& o) {
    Result<Source> source = Source::make(o.plan.payload, largest_payload(o.plan), o.gen->socket());
    if (!source) {
        return tl::unexpected<Error>(source.error());
    }
    o.source = std::move(*source);
    return o.plan.payload.mode == flow::Payload::zero_copy ? make_segment_pools(o) : Result<void>();
}

}  // namespace

std::uint16_t largest_payload(const plan::TrialPlan& plan) {
    if (plan.transport) {
        engine::ClosedLoopSpec loop;
        loop.sender = plan.transport->sender;
        return engine::largest_payload(loop);
    }
    return *std::ranges::max_element(plan.frames.payload_bytes);
}

Result<void> make_tx_pools(Open& o) {
    if (o.plan.payload.from_source() && o.source.bytes().empty()) {
        if (Result<void> made = make_source(o); !made) {
            return made;
        }
    }
    for (std::uint16_t q = 0; q < o.plan.gen.queues; ++q) {
        const Template frame{
            frame_fields(o), static_cast<std::uint8_t>(q), o.gen->offloads_udp_checksum(), false};
        Result<Pool> pool = make_tx_pool(
            fmt::format("gen-tx{}", q), o.plan.gen.pool_frames, frame, o.gen->socket()
        );
        if (!pool) {
            return tl::unexpected<Error>(pool.error());
        }
        o.tx_pools.push_back(std::move(*pool));
    }
    return {};
}

Result<void> make_ack_pools(Open& o) {
    wire::FrameFields fields = engine::ack_fields(frame_fields(o));
    if (fields.checksum == wire::UdpChecksumField::pseudo) {
        fields.checksum = wire::UdpChecksumField::full;  // the sink's port was asked for no offload
    }
    const std::uint32_t frames =
        o.cable ? cable_ack_frames
                : std::max(ack_pool_frames, 2U * o.plan.sink->descriptors + 512U);
    for (std::uint16_t q = 0; q < o.plan.sink->queues; ++q) {
        Result<Pool> pool = make_tx_pool(
            fmt::format("sink-ack{}", q), frames, {fields, 0, false, true}, o.sink->socket()
        );
        if (!pool) {
            return tl::unexpected<Error>(pool.error());
        }
        o.ack_pools.push_back(std::move(*pool));
    }
    return {};
}

void make_gen_loops(Open& o) {
    for (const plan::CorePlan& core : o.plan.gen.cores) {
        GenLoopSpec spec;
        spec.loop = loop_spec(o, o.plan.gen);
        spec.paced = o.plan.intended_fps.has_value();
        for (const QueueId queue : core.queues) {
            spec.queues.push_back(gen_queue(o, queue));
        }
        o.ends.gen_loops.push_back(make_gen_loop(spec));
    }
}

void make_sink_loops(Open& o) {
    for (const plan::CorePlan& core : o.plan.sink->cores) {
        SinkLoopSpec spec = sink_loop(o);
        if (o.control_pool) {
            add_mail(o, spec);
        }
        const bool raw = spec.cable && !spec.faulty;
        for (const QueueId queue : core.queues) {
            spec.queues.push_back({
                o.sink->id().value,
                queue.value,
                raw ? sent_pool(o, queue) : o.rx_pools.back().get(),
                spec.acker ? o.ack_pools[queue.value].get() : nullptr,
            });
        }
        o.ends.sink_loops.push_back(
            o.plan.sink->reflects ? make_reflect_loop(spec, o.sink->mac().value_or(default_mac))
                                  : make_sink_loop(spec)
        );
    }
}

}  // namespace gensink::dpdk::detail
