// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Sizes of a frame by layer, in bytes, and what a link can carry.
namespace gensink::wire {

inline constexpr std::uint32_t fcs_bytes = 4;
inline constexpr std::uint32_t ethernet_bytes = 14;
inline constexpr std::uint32_t ipv4_bytes = 20;
inline constexpr std::uint32_t udp_bytes = 8;
inline constexpr std::uint32_t headers_bytes = ethernet_bytes + ipv4_bytes + udp_bytes;
inline constexpr std::uint32_t gensink_header_bytes = 18;
/// Preamble 7, start delimiter 1, inter-frame gap 12 (IEEE 802.3 clause 4.4.2).
inline constexpr std::uint32_t gap_bytes = 20;
inline constexpr std::uint32_t min_frame_bytes = 64;
inline constexpr std::uint32_t max_frame_bytes = 9728;

/// Frame with FCS that carries `payload` bytes of UDP payload.
[[nodiscard]] constexpr std::uint32_t frame_bytes(std::uint32_t payload) {
    const std::uint32_t bytes = headers_bytes + payload + fcs_bytes;
    return bytes < min_frame_bytes ? min_frame_bytes : bytes;
}

[[nodiscard]] constexpr std::uint32_t payload_bytes(std::uint32_t frame) {
    return frame - headers_bytes - fcs_bytes;
}

/// Largest UDP payload of one frame at an MTU (the IP packet's size limit).
[[nodiscard]] constexpr std::uint32_t mss_bytes(std::uint32_t mtu) {
    return mtu - ipv4_bytes - udp_bytes;
}

/// What the link is occupied for: frame, preamble and gap.
[[nodiscard]] constexpr std::uint32_t wire_bytes(std::uint32_t frame) {
    return frame + gap_bytes;
}

/// Frames per second of a full link; `frame` may be a mean over mixed sizes.
[[nodiscard]] constexpr double line_fps(double bps_l1, double frame) {
    return bps_l1 / (8.0 * (frame + gap_bytes));
}

}  // namespace gensink::wire
