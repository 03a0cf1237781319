// SPDX-License-Identifier: BSD-3-Clause
#include "flow/transport.hpp"

#include <algorithm>

namespace gensink::flow {

namespace {

constexpr std::uint32_t lower_headers_bytes = 46;  // Ethernet 14, IPv4 20, UDP 8, FCS 4
constexpr std::uint32_t min_frame_bytes = 64;      // IEEE 802.3 clause 4A.4.2

}  // namespace

BlockCut cut(std::uint64_t bytes, std::uint32_t mss, std::uint32_t least) {
    BlockCut made;
    made.frames = static_cast<std::uint32_t>((bytes + mss - 1) / mss);
    const auto rest = static_cast<std::uint32_t>(bytes - std::uint64_t{made.frames - 1} * mss);
    made.full = static_cast<std::uint16_t>(mss);
    made.before_last = made.full;
    made.last = static_cast<std::uint16_t>(rest);
    if (made.frames == 1) {
        made.full = made.before_last = made.last;
    } else if (rest < least) {
        made.last = static_cast<std::uint16_t>(least);
        made.before_last = static_cast<std::uint16_t>(mss - (least - rest));
    }
    return made;
}

std::uint64_t
charge(const WindowSpec& window, std::uint32_t payload_bytes, std::uint32_t header_bytes) {
    switch (window.accounting) {
    case Accounting::payload:
        return payload_bytes;
    case Accounting::frame:
        return std::max(min_frame_bytes, lower_headers_bytes + payload_bytes + header_bytes);
    case Accounting::truesize:
        break;
    }
    return window.truesize_bytes;
}

namespace {

std::uint32_t frames_admitted_from(std::uint32_t first, const SenderSpec& spec, std::uint32_t cap) {
    const WindowSpec& window = spec.window;
    if (!window.limit_bytes) {
        return cap;
    }
    const std::uint64_t limit =
        *window.limit_bytes - std::min(*window.limit_bytes, window.reserve_bytes);
    std::uint64_t outstanding = 0;
    std::uint32_t frames = 0;
    for (std::uint32_t at = first; frames < cap; ++frames) {
        const std::uint64_t more = charge(window, spec.block.bytes_of(at), spec.header_bytes);
        const bool fits =
            window.admit == Admit::must_fit ? outstanding + more <= limit : outstanding < limit;
        if (!fits) {
            break;
        }
        outstanding += more;
        at = at + 1 == spec.block.frames ? 0 : at + 1;
    }
    return frames;
}

}  // namespace

std::uint32_t frames_admitted(const SenderSpec& spec, std::uint32_t cap) {
    return frames_admitted_from(0, spec, cap);
}

std::uint32_t most_frames_admitted(const SenderSpec& spec, std::uint32_t cap) {
    // Only the last two pieces of a block may be smaller than the others.
    const std::uint32_t frames = spec.block.frames;
    return std::max(
        {frames_admitted_from(0, spec, cap),
         frames_admitted_from(frames - std::min(frames, 2U), spec, cap),
         frames_admitted_from(frames - std::min(frames, 1U), spec, cap)}
    );
}

}  // namespace gensink::flow
