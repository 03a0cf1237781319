// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "wire/checksum.hpp"
#include "wire/size.hpp"

#include <cstddef>
#include <cstdint>

/// gensink's header: the first 18 bytes of the UDP payload, network byte order.
///
///     0  run id      4   random, per trial
///     4  stream      1
///     5  flags       1   bits 0-1 phase, bit 2 answer at once, bit 3 is an ACK, bits 4-7 version
///     (1) 6  sequence    6   per stream, from 0
///    12  time        4   TSC / 16, low 32 bits, when the frame was built
///    16  check       2   makes the ones' complement sum of the nine words all ones
///
/// A constant sum adds nothing to the UDP checksum (RFC 1624 section 3), so a template's UDP
/// checksum stays right whatever the stamp says.
namespace gensink::wire {

inline constexpr std::size_t stamp_offset = headers_bytes;
inline constexpr std::uint8_t stamp_version = 1;
inline constexpr unsigned time_shift = 4;
/// Flags beside the phase.
inline constexpr std::uint8_t answer_at_once = 4;
inline constexpr std::uint8_t is_ack = 8;
inline constexpr std::uint64_t sequence_mask = (std::uint64_t{1} << 48) - 1;

/// Bytes 4 to 11 as one number: stream, flags, sequence. `marks`: the phase, and flags beside it.
[[nodiscard]] constexpr std::uint64_t
stamp_word(std::uint8_t stream, std::uint8_t marks, std::uint64_t sequence) {
    const std::uint64_t flags = static_cast<std::uint64_t>(stamp_version << 4 | marks);
    return std::uint64_t{stream} << 56 | flags << 48 | (sequence & sequence_mask);
}

/// The check for a run, a stamp word and a time, all as numbers (not in memory order).
[[nodiscard]] constexpr std::uint16_t
stamp_check(std::uint32_t run_id, std::uint64_t word, std::uint32_t time) {
    const std::uint64_t sum =
        (word >> 32) + (word & 0xffffffffU) + std::uint64_t{run_id} + std::uint64_t{time};
    return static_cast<std::uint16_t>(~fold(sum));
}

/// Writes what changes from frame to frame; the run id stands in the template.
inline void
write_stamp(std::byte* frame, std::uint32_t run_id, std::uint64_t word, std::uint32_t time) {
    std::byte* at = frame + stamp_offset;
    store(at + 4, swap64(word));
    store(at + 12, swap32(time));
    store(at + 16, swap16(stamp_check(run_id, word, time)));
}

/// A stamp as read; `sound` only where version and check fit.
struct Stamp {
    std::uint64_t word = 0;
    std::uint32_t time = 0;
    bool sound = false;

    [[nodiscard]] std::uint8_t stream() const { return static_cast<std::uint8_t>(word >> 56); }

    [[nodiscard]] std::uint8_t phase() const { return static_cast<std::uint8_t>(word >> 48 & 3U); }

    [[nodiscard]] bool has(std::uint8_t flag) const { return (word >> 48 & flag) != 0; }

    [[nodiscard]] std::uint64_t sequence() const { return word & sequence_mask; }
};

[[nodiscard, gnu::always_inline]] inline Stamp
read_stamp(const std::byte* frame, std::uint32_t run_id) {
    const std::byte* at = frame + stamp_offset;
    Stamp stamp{swap64(load<std::uint64_t>(at + 4)), swap32(load<std::uint32_t>(at + 12)), false};
    // The nine words in memory order; 35 bits at the most, so that three steps fold it.
    std::uint64_t sum = load<std::uint32_t>(at + 4) + std::uint64_t{load<std::uint32_t>(at + 8)} +
                        load<std::uint32_t>(at + 12) + load<std::uint16_t>(at + 16) +
                        swap32(run_id);
    sum = (sum & 0xffffffffU) + (sum >> 32);
    sum = (sum & 0xffffU) + (sum >> 16);
    sum = (sum & 0xffffU) + (sum >> 16);
    stamp.sound = sum == 0xffff && (stamp.word >> 52 & 0xfU) == stamp_version;
    return stamp;
}

}  // namespace gensink::wire
