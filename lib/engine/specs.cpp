// SPDX-License-Identifier: BSD-3-Clause
#include "engine/specs.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gensink::engine {

flow::FlowSetSpec flow_set_spec(const ClosedLoopSpec& loop) {
    flow::FlowSetSpec spec;
    spec.sender = loop.sender;
    spec.flows = loop.flows;
    spec.fan_out = loop.fan_out;
    spec.ticks_per_second = loop.ticks_per_second;
    spec.paced = loop.paced;
    if (loop.sender.sequential) {
        const std::uint64_t blocks = std::min<std::uint64_t>(
            loop.sender.blocks.value_or(kept_block_times), kept_block_times
        );
        spec.kept_block_times = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(blocks * loop.flows, kept_block_times)
        );
    }
    return spec;
}

SegmentSpec
segment_spec(const ClosedLoopSpec& loop, std::uint8_t stream, const wire::FrameFields& fields) {
    return {
        .run_id = loop.run_id,
        .stream = stream,
        .connect = loop.sender.connect,
        .flows = loop.flows,
        .block = loop.sender.block,
        .header_bytes = loop.sender.header_bytes,
        .fields = fields,
    };
}

std::uint16_t largest_payload(const ClosedLoopSpec& loop) {
    const flow::BlockCut& block = loop.sender.block;
    return udp_payload(
        std::max({block.full, block.before_last, block.last}), loop.sender.header_bytes
    );
}

AckerSpec acker_spec(const ClosedLoopSpec& loop, std::uint32_t burst) {
    AckerSpec spec{
        .run_id = loop.run_id,
        .streams = loop.streams,
        .flows = std::bit_ceil(loop.flows),
        .header_bytes = loop.sender.header_bytes,
        .rules = loop.ack,
        .ticks_per_second = loop.ticks_per_second,
    };
    // Where the peer stands still, what is on its way may bring an ACK a frame.
    spec.rules.line_records =
        std::max(spec.rules.line_records, 4 * burst + loop.streams * loop.flows + 1024);
    return spec;
}

SinkSpec
sink_spec(const ClosedLoopSpec& loop, std::uint16_t destination_port, std::uint32_t burst) {
    return {
        .run_id = loop.run_id,
        .destination_port = destination_port,
        .streams = loop.streams,
        .flows = std::bit_ceil(loop.flows),
        .burst = burst,
        .slow_ticks = 0,
        .window_frames = loop.sender.max_outstanding,
    };
}

wire::FrameFields ack_fields(const wire::FrameFields& fields) {
    wire::FrameFields back = fields;
    std::swap(back.source_mac, back.destination_mac);
    std::swap(back.source_ip, back.destination_ip);
    std::swap(back.source_port, back.destination_port);
    return back;
}

}  // namespace gensink::engine
