// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "wire/size.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gensink::wire {

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4Address = std::array<std::uint8_t, 4>;

/// full: computed over all bytes. pseudo: only the pseudo header, for a device that completes it
/// (DPDK rte_ether/rte_ip convention). zero: none (RFC 768).
enum class UdpChecksumField { full, pseudo, zero };

struct FrameFields {
    MacAddress source_mac{};
    MacAddress destination_mac{};
    Ipv4Address source_ip{};
    Ipv4Address destination_ip{};
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    std::uint16_t payload_bytes = gensink_header_bytes;  ///< UDP payload, >= 18
    std::uint32_t run_id = 0;
    UdpChecksumField checksum = UdpChecksumField::full;
};

/// Bytes that a driver is given: the frame without FCS, padded to 60 (IEEE 802.3 clause 4.4.2).
[[nodiscard]] constexpr std::uint32_t frame_bytes_without_fcs(std::uint32_t payload) {
    return frame_bytes(payload) - fcs_bytes;
}

/// Writes a whole frame without FCS: Ethernet II, IPv4 (no options, DF, TTL 64), UDP, gensink's
/// header with a sound stamp of stream 0, sequence 0, then a pattern that depends on the position
/// only. `out` must hold frame_bytes_without_fcs(payload_bytes).
void write_frame(std::span<std::byte> out, const FrameFields& fields);

}  // namespace gensink::wire
