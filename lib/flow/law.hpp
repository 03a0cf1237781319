// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "flow/transport.hpp"

#include <cstdint>
#include <optional>

/// What a transfer's limits predict, by arithmetic alone. Rates are bit/s of the application's
/// bytes; those of a window or a timer are of one flow.
namespace gensink::flow::law {

/// The application's bytes in a frame, mean over a block.
[[nodiscard]] double payload_per_frame(const SenderSpec& sender);

/// Bytes that a frame takes of the line, mean over a block: with FCS, preamble and gap.
[[nodiscard]] double wire_bytes_per_frame(const SenderSpec& sender);

/// Of `frames_per_second` frames.
[[nodiscard]] double frames_bps(const SenderSpec& sender, double frames_per_second);

/// A line of `line_bps` (layer 1) filled with frames back to back.
[[nodiscard]] double link_bps(const SenderSpec& sender, double line_bps);

/// n * MSS / RTT, with n the frames that the window admits. Absent without a window or an RTT.
[[nodiscard]] std::optional<double> window_bps(const SenderSpec& sender, Duration rtt);

/// N / (T + RTT), with N the frames that the window admits and T the sink's delay. Absent unless
/// N frames bring about no other ACK, and where no timer would end the silence.
[[nodiscard]] std::optional<double>
ack_timer_bps(const SenderSpec& sender, const AckSpec& ack, Duration rtt);

/// c(B) = a + b/B ticks a frame.
[[nodiscard]] double
generator_fps(double frame_ticks, double call_ticks, double burst, double ticks_per_second);

struct Path {
    Duration rtt{0};                 ///< of a full frame on the idle path, serialisation included
    std::optional<double> line_bps;  ///< layer 1; absent: frames take no time
};

struct ObjectTime {
    double seconds = 0;        ///< from the first frame, a connection's too, to the last ACK
    std::uint32_t rounds = 0;  ///< generations of frames, each set free by ACKs of the one before
};

/// A block fetched alone: frame by frame, what the sink answers to each and what every ACK lets go,
/// with slow start or a window alone. Absent where an ACK would only come by the timeout, and for
/// objects beyond 2^22 frames.
[[nodiscard]] std::optional<ObjectTime>
object_time(const SenderSpec& sender, const AckSpec& ack, const Path& path);

}  // namespace gensink::flow::law
