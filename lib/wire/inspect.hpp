// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "wire/checksum.hpp"
#include "wire/size.hpp"
#include "wire/stamp.hpp"

#include <cstddef>
#include <cstdint>

/// What a received frame is, by its bytes alone.
namespace gensink::wire {

enum class FrameKind : std::uint8_t {
    ours,        ///< this run's, every check fits
    corrupt,     ///< this run's by its id; the stamp is sound, another byte is not
    unreadable,  ///< this run's by its id, but the stamp cannot be trusted
    foreign,     ///< our UDP port, another run id
    background,  ///< any other frame
};

struct Inspected {
    FrameKind kind = FrameKind::background;
    Stamp stamp;                      ///< where kind is ours or corrupt
    std::uint32_t payload_bytes = 0;  ///< UDP payload by the UDP length
};

/// IPv4's header checksum and UDP's checksum; true where UDP carries none.
[[nodiscard]] inline bool checksums_fit(const std::byte* frame, std::uint32_t bytes) {
    const std::byte* const ip = frame + ethernet_bytes;
    const std::byte* const udp = ip + ipv4_bytes;
    const std::uint16_t length = swap16(load<std::uint16_t>(udp + 4));
    if (length < udp_bytes || ethernet_bytes + ipv4_bytes + length > bytes ||
        fold(sum_bytes(ip, ipv4_bytes)) != 0xffff) {
        return false;
    }
    if (load<std::uint16_t>(udp + 6) == 0) {
        return true;
    }
    const std::uint64_t pseudo =
        sum_bytes(ip + 12, 8) + (std::uint64_t{17} << 8) + load<std::uint16_t>(udp + 4);
    return fold(pseudo + sum_bytes(udp, length)) == 0xffff;
}

/// `bytes` is the length without FCS. `full` checks every byte after Ethernet's header, else the
/// stamp alone.
[[nodiscard]] inline Inspected inspect(
    const std::byte* frame,
    std::uint32_t bytes,
    std::uint32_t run_id,
    std::uint16_t destination_port,
    bool full
) {
    Inspected seen;
    constexpr std::uint32_t least = headers_bytes + gensink_header_bytes;
    // EtherType, version and header length in one 32-bit read: 08 00 45 xx.
    constexpr std::uint32_t ipv4_no_options = 0x450008;
    if (bytes < least || (load<std::uint32_t>(frame + 12) & 0xffffffU) != ipv4_no_options ||
        frame[23] != std::byte{17} || load<std::uint16_t>(frame + 36) != swap16(destination_port)) {
        return seen;
    }
    if (load<std::uint32_t>(frame + stamp_offset) != swap32(run_id)) {
        seen.kind = FrameKind::foreign;
        return seen;
    }
    seen.stamp = read_stamp(frame, run_id);
    seen.payload_bytes =
        static_cast<std::uint32_t>(swap16(load<std::uint16_t>(frame + 38))) - udp_bytes;
    if (!seen.stamp.sound) {
        seen.kind = FrameKind::unreadable;
    } else if (full && !checksums_fit(frame, bytes)) {
        seen.kind = FrameKind::corrupt;
    } else {
        seen.kind = FrameKind::ours;
    }
    return seen;
}

}  // namespace gensink::wire
