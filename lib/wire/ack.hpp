// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "wire/checksum.hpp"
#include "wire/frame.hpp"
#include "wire/size.hpp"
#include "wire/stamp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// An ACK frame: gensink's header with the ACK flag, sequence = number of the ACK, then, in network
/// byte order,
///
///    18  flow        4
///    22  next        8   all frames of the flow below it have come
///    30  highest     8   one above the highest that came
///    38  frames      8   that have come, each counted once
///    46  payload     8   bytes of the application in them
///    54  held        8   nanoseconds for which the sink's timer kept the ACK back
///    62  check       2   makes the sum of bytes 18 to 63 all ones
///
/// Both checks keep the sum of the payload constant, so the template's UDP checksum stays right.
namespace gensink::wire {

inline constexpr std::uint16_t ack_payload_bytes = 64;
inline constexpr std::uint32_t ack_body_bytes = ack_payload_bytes - gensink_header_bytes;
inline constexpr std::uint32_t ack_frame_bytes_without_fcs = headers_bytes + ack_payload_bytes;

struct AckFields {
    std::uint8_t stream = 0;
    std::uint32_t flow = 0;
    std::uint64_t next = 0;
    std::uint64_t highest = 0;
    std::uint64_t frames = 0;
    std::uint64_t payload = 0;
    std::uint64_t held_ns = 0;
};

/// A whole ACK frame for write_ack(); `fields` as for write_frame, payload_bytes is ignored.
void write_ack_template(std::span<std::byte> out, const FrameFields& fields);

/// Writes what changes from ACK to ACK into a whole ACK frame (see write_ack_template).
inline void
write_ack(std::byte* frame, std::uint32_t run_id, std::uint64_t number, const AckFields& fields) {
    write_stamp(frame, run_id, stamp_word(fields.stream, is_ack, number), 0);
    std::byte* const at = frame + stamp_offset + gensink_header_bytes;
    const std::uint32_t flow = swap32(fields.flow);
    const std::array words{
        swap64(fields.next),
        swap64(fields.highest),
        swap64(fields.frames),
        swap64(fields.payload),
        swap64(fields.held_ns)};
    store(at, flow);
    // Summed before they are stored: reading back would wait for the frame's line.
    std::uint64_t sum = flow;
    for (std::size_t i = 0; i < words.size(); ++i) {
        store(at + 4 + 8 * i, words[i]);
        sum = add_carry(sum, words[i]);
    }
    store(at + 44, static_cast<std::uint16_t>(~fold(sum)));
}

/// A sound ACK of this run: true, and what it says. `bytes`: length without FCS.
[[nodiscard]] inline bool
read_ack(const std::byte* frame, std::uint32_t bytes, std::uint32_t run_id, AckFields& fields) {
    if (bytes < ack_frame_bytes_without_fcs ||
        load<std::uint32_t>(frame + stamp_offset) != swap32(run_id)) {
        return false;
    }
    const Stamp stamp = read_stamp(frame, run_id);
    const std::byte* const at = frame + stamp_offset + gensink_header_bytes;
    if (!stamp.sound || !stamp.has(is_ack) || fold(sum_bytes(at, ack_body_bytes)) != 0xffff) {
        return false;
    }
    fields.stream = stamp.stream();
    fields.flow = swap32(load<std::uint32_t>(at));
    fields.next = swap64(load<std::uint64_t>(at + 4));
    fields.highest = swap64(load<std::uint64_t>(at + 12));
    fields.frames = swap64(load<std::uint64_t>(at + 20));
    fields.payload = swap64(load<std::uint64_t>(at + 28));
    fields.held_ns = swap64(load<std::uint64_t>(at + 36));
    return true;
}

}  // namespace gensink::wire
