// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/acker.hpp"
#include "engine/classifier.hpp"
#include "engine/segments.hpp"
#include "flow/flow_set.hpp"
#include "flow/transport.hpp"
#include "wire/frame.hpp"

#include <cstdint>

/// What each part of a closed loop is told. Made in one place, so that every datapath runs alike.
namespace gensink::engine {

/// A closed loop as planned, the same at both ends.
struct ClosedLoopSpec {
    flow::SenderSpec sender;
    flow::AckSpec ack;
    std::uint32_t streams = 1;
    std::uint32_t flows = 1;  ///< of each stream
    std::uint32_t fan_out = 1;
    bool paced = false;
    std::uint32_t run_id = 0;
    double ticks_per_second = 1e9;
};

/// Times of blocks fetched one by one that are kept, of each stream.
inline constexpr std::uint32_t kept_block_times = 10000;

[[nodiscard]] flow::FlowSetSpec flow_set_spec(const ClosedLoopSpec& loop);

/// `fields`: of flow 0; payload_bytes is ignored.
[[nodiscard]] SegmentSpec
segment_spec(const ClosedLoopSpec& loop, std::uint8_t stream, const wire::FrameFields& fields);

/// UDP payload of the loop's largest frame.
[[nodiscard]] std::uint16_t largest_payload(const ClosedLoopSpec& loop);

/// `burst`: frames that the sink takes in one poll. The line always holds what one poll and the
/// timers of all flows can tell at once: an ACK for which it lacked room would be made good by no
/// later one where nothing follows.
[[nodiscard]] AckerSpec acker_spec(const ClosedLoopSpec& loop, std::uint32_t burst);

[[nodiscard]] SinkSpec
sink_spec(const ClosedLoopSpec& loop, std::uint16_t destination_port, std::uint32_t burst);

/// Of the ACKs that answer frames with `fields`.
[[nodiscard]] wire::FrameFields ack_fields(const wire::FrameFields& fields);

}  // namespace gensink::engine
