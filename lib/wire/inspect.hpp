// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "wire/checksum.hpp"
#include "wire/size.hpp"
#include "wire/stamp.hpp"

#include <array>
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
    const std::uint64_t pseudo = add_carry(
        load<std::uint64_t>(ip + 12), (std::uint64_t{17} << 8) + load<std::uint16_t>(udp + 4)
    );
    return fold(add_carry(pseudo, sum_bytes(udp, length))) == 0xffff;
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

/// What a frame that passed every check looks like apart from its stamp. A frame that equals it
/// there and has a sound stamp passes the same checks, at a fraction of their cost: the stamp's sum
/// is the same in all (see stamp.hpp), so equal headers and an equal sum of the rest mean a fitting
/// checksum.
class KnownFrame {
  public:
    /// `frame` passed inspect() with `full`.
    void remember(const std::byte* frame, std::uint32_t bytes, bool full) {
        type_ = load<std::uint16_t>(frame + 12);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] = load<std::uint64_t>(frame + word_offset(i));
        }
        bytes_ = bytes;
        payload_bytes_ = swap16(load<std::uint16_t>(frame + 38)) - udp_bytes;
        const bool summed = full && load<std::uint16_t>(frame + headers_bytes - 2) != 0;
        behind_ = summed ? payload_bytes_ - gensink_header_bytes : 0;
        rest_ = behind_ == 0 ? 0 : rest(frame);
    }

    [[nodiscard, gnu::always_inline]] bool
    matches(const std::byte* frame, std::uint32_t bytes) const {
        std::uint64_t differ = load<std::uint16_t>(frame + 12) ^ type_;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            differ |= load<std::uint64_t>(frame + word_offset(i)) ^ words_[i];
        }
        return (differ | (bytes ^ bytes_)) == 0 && (behind_ == 0 || rest(frame) == rest_);
    }

    [[nodiscard]] std::uint32_t payload_bytes() const { return payload_bytes_; }

  private:
    /// IPv4 and UDP headers, bytes 14 to 41, as four overlapping words.
    static constexpr std::size_t word_offset(std::size_t i) { return i < 3 ? 14 + 8 * i : 34; }

    /// Sum of the payload behind the stamp.
    [[nodiscard]] std::uint16_t rest(const std::byte* frame) const {
        return fold(sum_bytes(frame + stamp_offset + gensink_header_bytes, behind_));
    }

    std::array<std::uint64_t, 4> words_{};
    std::uint32_t bytes_ = 0;  ///< 0 matches no frame
    std::uint32_t payload_bytes_ = 0;
    std::uint32_t behind_ = 0;  ///< payload bytes that are summed
    std::uint16_t type_ = 0;
    std::uint16_t rest_ = 0;
};

}  // namespace gensink::wire
