// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/memory.hpp"

#include "plan/detail/recipe.hpp"

#include <algorithm>
#include <bit>

namespace gensink::plan::detail {

namespace {

// DPDK 22.11: RTE_MEMPOOL_CACHE_MAX_SIZE 512, and a cache flushes at 1.5 times its size.
constexpr std::uint32_t cache_frames = 512 * 3 / 2;
constexpr std::uint64_t mbuf_bytes = 128;
constexpr std::uint64_t headroom_bytes = 128;
constexpr std::uint64_t object_header_bytes = 64;
constexpr std::uint64_t control_frames = 511;  // to and from a peer
constexpr std::uint64_t default_room_bytes = 2048;
/// What a receive buffer holds beyond the frame, for a driver's own header or for tags.
constexpr std::uint64_t rx_room_more = 64;
/// Every pool has a cache for each of RTE_MAX_LCORE = 128 lcores, of 2 * 512 pointers (22.11).
constexpr std::uint64_t caches_bytes = 128ULL * (2 * 512 * 8 + 64);
/// A hardware descriptor and the driver's entry beside it, at most.
constexpr std::uint64_t descriptor_bytes = 64;
/// EAL's own: ethdev data, loops, counters, heap overhead.
constexpr std::uint64_t slack_bytes = 64ULL << 20;

/// A record of the window for each outstanding frame of a flow, at the generator.
constexpr std::uint64_t window_record_bytes = 24;
/// A record of an ACK that the sink holds back.
constexpr std::uint64_t line_record_bytes = 40;
/// ACKs on the way from each of the sink's queues.
constexpr std::uint64_t ack_frames = 4096;
constexpr std::uint64_t ack_room_bytes = 64;

std::uint32_t round_pool(std::uint32_t frames) {
    return std::bit_ceil(frames + 1) - 1;
}

std::uint64_t pool_bytes(std::uint64_t frames, std::uint64_t room) {
    // mempool pads objects so that their start lines spread over memory channels.
    const std::uint64_t object = object_header_bytes + mbuf_bytes + headroom_bytes + room + 64;
    return frames * object + std::bit_ceil(frames + 1) * sizeof(void*) + caches_bytes;
}

/// What a port that receives may hold: its ring, bursts, and the caches of its core and its pool.
std::uint32_t receive_frames(const EndPlan& end) {
    return end.descriptors + 2U * end.burst + 2U * cache_frames;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

std::uint64_t rx_room_bytes(const EndPlan& end, std::uint64_t frame) {
    const std::uint64_t room = round_up(frame, 64) + rx_room_more;
    return std::max(
        default_room_bytes, end.driver.power_of_two_buffers ? std::bit_ceil(room) : room
    );
}

std::uint64_t gen_loop_bytes(const TrialPlan& trial, const TransportPlan& transport) {
    const std::uint64_t flows = std::uint64_t{trial.gen.queues} * trial.frames.flows;
    const std::uint64_t frames = round_pool(receive_frames(trial.gen));
    return flows * std::bit_ceil(transport.sender.max_outstanding) * window_record_bytes +
           trial.gen.queues * pool_bytes(frames, default_room_bytes);
}

/// The payload's source, where it is no mapped file, and segments that are attached to it.
std::uint64_t payload_bytes(const TrialPlan& trial) {
    const PayloadPlan& payload = trial.payload;
    std::uint64_t bytes = payload.source == SourceKind::file ? 0 : payload.working_set;
    if (payload.mode == flow::Payload::zero_copy) {
        const std::uint64_t lcores =
            1 + trial.gen.cores.size() + (trial.sink ? trial.sink->cores.size() : 0);
        bytes += trial.gen.queues * pool_bytes(trial.gen.pool_frames + lcores * cache_frames, 0);
    }
    return bytes;
}

std::uint64_t sink_loop_bytes(const EndPlan& sink, const TransportPlan& transport) {
    return sink.cores.size() * transport.ack.line_records * line_record_bytes +
           sink.queues * pool_bytes(ack_frames, ack_room_bytes);
}

}  // namespace

std::uint32_t cable_ring_frames(const EndPlan& gen) {
    return std::max<std::uint32_t>(gen.descriptors, 4U * gen.burst);
}

std::uint32_t tx_pool_frames(const TrialPlan& trial) {
    const bool cable = trial.wire == WireKind::cable;
    const std::uint32_t lcores =
        1 + static_cast<std::uint32_t>(trial.gen.cores.size()) +
        (cable && trial.sink ? static_cast<std::uint32_t>(trial.sink->cores.size()) : 0);
    std::uint32_t frames = 2U * trial.gen.burst + lcores * cache_frames;
    // On the cable the ring is all there is between the ends; a device holds its descriptors.
    frames += cable ? cable_ring_frames(trial.gen) : trial.gen.descriptors;
    if (cable && trial.sink) {
        frames += 2U * trial.sink->burst;
    }
    return round_pool(frames);
}

std::uint32_t rx_pool_frames(const TrialPlan& trial, const EndPlan& sink) {
    if (trial.wire == WireKind::cable) {
        return 255;  // the cable brings the generator's frames; the port only wants a pool
    }
    return round_pool(receive_frames(sink));
}

std::uint64_t worker_memory_bytes(const TrialPlan& trial, bool gen, bool sink) {
    const std::uint64_t frame = largest_frame(trial.frames);
    std::uint64_t bytes = slack_bytes;
    bytes += gen ? payload_bytes(trial) : 0;
    if (gen) {
        bytes += trial.gen.queues * pool_bytes(trial.gen.pool_frames, round_up(frame, 64));
        // The generator's port receives too (ARP), from a pool of twice its descriptors.
        bytes += pool_bytes(
            std::uint64_t{trial.gen.queues} *
                (2ULL * trial.gen.descriptors + trial.gen.driver.pool_extra),
            rx_room_bytes(trial.gen, frame)
        );
        bytes += 2ULL * trial.gen.queues * trial.gen.descriptors * descriptor_bytes;
        bytes += trial.transport ? gen_loop_bytes(trial, *trial.transport) : 0;
    }
    if (sink && trial.sink) {
        const std::uint64_t frames =
            std::max<std::uint64_t>(trial.sink->pool_frames, 2ULL * trial.sink->descriptors);
        bytes +=
            trial.sink->queues *
            pool_bytes(frames + trial.sink->driver.pool_extra, rx_room_bytes(*trial.sink, frame));
        bytes += 2ULL * trial.sink->queues * trial.sink->descriptors * descriptor_bytes;
        bytes += trial.transport ? sink_loop_bytes(*trial.sink, *trial.transport) : 0;
    }
    if (trial.gen.peer || (trial.sink && trial.sink->peer)) {
        bytes += pool_bytes(control_frames, default_room_bytes);
    }
    if (trial.wire == WireKind::cable) {
        bytes += trial.gen.queues * 2ULL * std::bit_ceil(cable_ring_frames(trial.gen) + 1) *
                 sizeof(void*);
    }
    return bytes;
}

}  // namespace gensink::plan::detail
