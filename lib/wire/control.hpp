// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "wire/checksum.hpp"
#include "wire/size.hpp"

#include <cstddef>
#include <cstdint>

/// Frames that an end hands to its control thread.
namespace gensink::wire {

/// Of the frames in which generator and sink agree on trials: Local Experimental EtherType 1
/// (IEEE 802 clause 9.2.4), so that no router forwards them and no host answers.
inline constexpr std::uint16_t control_ethertype = 0x88b5;
inline constexpr std::uint16_t arp_ethertype = 0x0806;
inline constexpr std::uint16_t ipv4_ethertype = 0x0800;

[[nodiscard]] inline std::uint16_t ethertype(const std::byte* frame) {
    return swap16(load<std::uint16_t>(frame + 12));
}

/// Of a frame that is not gensink's data; `bytes` is its length without FCS.
[[nodiscard]] inline bool is_control(const std::byte* frame, std::uint32_t bytes) {
    return bytes > ethernet_bytes && ethertype(frame) == control_ethertype;
}

/// ARP, or ICMP over IPv4: somebody may want an answer.
[[nodiscard]] inline bool may_ask(const std::byte* frame, std::uint32_t bytes) {
    constexpr auto icmp = std::byte{1};
    return bytes >= headers_bytes &&
           (ethertype(frame) == arp_ethertype ||
            (ethertype(frame) == ipv4_ethertype && frame[ethernet_bytes + 9] == icmp));
}

}  // namespace gensink::wire
