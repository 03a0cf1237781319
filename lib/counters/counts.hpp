// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// What datapath threads count. Integers only; 64 bits; totals since the thread started.
namespace gensink::counters {

/// Parts of a trial. The value travels in every frame (two bits).
enum class Phase : std::uint8_t { settle = 0, warmup = 1, measure = 2, drain = 3 };

/// The one thing that each generator turn's ticks are charged to.
enum class TxCause : std::uint8_t { sending, pacing, window, ring_full, pool_empty };
inline constexpr std::size_t tx_causes = 5;

/// The one thing that each sink turn's ticks are charged to.
enum class SinkCause : std::uint8_t { receiving, acking, polling };
inline constexpr std::size_t sink_causes = 3;

inline constexpr std::size_t max_burst = 512;
/// Index = frames in one call; 0 counts calls that moved nothing.
using BurstCounts = std::array<std::uint64_t, max_burst + 1>;

/// What a flow of the closed loop waited for; window: for room; ack_timer: for room that the sink's
/// delayed ACK kept back; cpu: it was served, or waited for its core.
enum class FlowCause : std::uint8_t { window, ack_timer, ring, pacing, pool, cpu };
inline constexpr std::size_t flow_causes = 6;
using FlowTimes = std::array<std::uint64_t, flow_causes>;  ///< ticks

/// The closed loop at one generator core, over all its flows.
struct TransportCounts {
    std::uint64_t frames_acked = 0;
    std::uint64_t payload_acked = 0;  ///< the application's bytes
    std::uint64_t blocks_acked = 0;
    std::uint64_t acks_received = 0;
    std::uint64_t acks_useless = 0;   ///< said nothing new, or made no sense
    std::uint64_t retransmitted = 0;  ///< frames
    std::uint64_t timeouts = 0;
    std::uint64_t given_up = 0;          ///< frames
    std::uint64_t most_outstanding = 0;  ///< frames of one flow, since the last phase change
    FlowTimes flow_ticks{};              ///< summed over flows, brought up to date at phase changes
};

/// What the kernel tells of TCP connections (tcp(7), TCP_INFO), over those of one core. The times
/// are the kernel's: while data waited to be sent or acknowledged, in microseconds.
struct TcpCounts {
    std::uint64_t retransmitted = 0;      ///< segments
    std::uint64_t busy_us = 0;            ///< in all
    std::uint64_t receive_window_us = 0;  ///< of it, held back by the receiver's window
    std::uint64_t send_buffer_us = 0;     ///< of it, by the size of the send buffer
};

/// One generator core.
struct TxCounts {
    std::uint64_t frames_built = 0;
    std::uint64_t frames_accepted = 0;
    std::uint64_t frame_bytes = 0;    ///< of accepted frames, with FCS
    std::uint64_t payload_bytes = 0;  ///< UDP payload of accepted frames
    std::uint64_t send_calls = 0;
    std::uint64_t frames_asked = 0;         ///< sum over send calls
    std::uint64_t pool_failures = 0;        ///< turns that wanted frames and found the pool empty
    std::uint64_t frames_skipped = 0;       ///< departures forgotten by tx.behind: skip
    std::uint64_t bytes_copied = 0;         ///< by the generator, into the frames it built
    std::uint64_t kernel_bytes_copied = 0;  ///< by the kernel, of payload it was given to send
    std::uint64_t frames_chained = 0;       ///< built of two segments: the payload was not copied
    std::array<std::uint64_t, tx_causes> cause_ticks{};
    std::array<std::uint64_t, tx_causes> cause_turns{};
    std::uint64_t longest_turn_ticks = 0;  ///< since the last phase change
    std::uint64_t long_turns = 0;          ///< turns above run.turn_limit
    std::uint64_t stalled_ticks = 0;       ///< in turns too long to have run undisturbed
    BurstCounts burst_asked{};
    BurstCounts burst_accepted{};
    TransportCounts transport{};
    TcpCounts tcp{};
};

/// One stream at the generator.
struct TxStreamCounts {
    std::uint64_t frames_accepted = 0;
    std::uint64_t first_sequence = 0;
};

/// One transmit queue while it runs.
struct TxQueueState {
    std::uint64_t accepted = 0;
    std::uint64_t waiting = 0;  ///< frames built that the port has not accepted yet
};

/// Frames of one stream that carry one phase's mark, as one sink core saw them.
struct StreamCounts {
    std::uint64_t in_order = 0;     ///< first copy, and no later frame seen before it
    std::uint64_t late = 0;         ///< first copy, after a frame sent later (RFC 4737 reordered)
    std::uint64_t duplicate = 0;    ///< any further copy
    std::uint64_t corrupt = 0;      ///< a checksum does not fit
    std::uint64_t stale = 0;        ///< older than the sequence window: late or duplicate, unknown
    std::uint64_t frame_bytes = 0;  ///< of in_order + late, with FCS
    std::uint64_t payload_bytes = 0;  ///< of in_order + late
};

/// One sink core; `frames` counts whatever arrived, by phase mark or not.
struct SinkCounts {
    std::uint64_t frames = 0;
    std::uint64_t frame_bytes = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t foreign = 0;      ///< our UDP port, another run's id
    std::uint64_t background = 0;   ///< anything else: ARP, neighbour discovery, ...
    std::uint64_t stray_bytes = 0;  ///< of frame_bytes, those of foreign and background frames
    std::uint64_t receive_calls = 0;
    std::array<std::uint64_t, sink_causes> cause_ticks{};
    std::array<std::uint64_t, sink_causes> cause_turns{};
    std::uint64_t longest_turn_ticks = 0;
    std::uint64_t long_turns = 0;
    std::uint64_t stalled_ticks = 0;
    BurstCounts burst_received{};
    std::uint64_t acks_sent = 0;
    std::uint64_t acks_by_timer = 0;  ///< of acks_sent, those that the delay made
    std::uint64_t acks_dropped = 0;   ///< the path delay's line was full; a later ACK covers them
};

}  // namespace gensink::counters
