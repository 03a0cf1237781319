// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include <cstdint>

/// How a block is cut into frames.
namespace gensink::flow {

/// A block of one flow: `frames` frames, all with `full` bytes of the application but the last two.
/// Bytes of the application, without headers of any layer.
struct BlockCut {
    std::uint32_t frames = 1;
    std::uint16_t full = 0;
    std::uint16_t before_last = 0;  ///< differs from `full` where the last piece lacked bytes
    std::uint16_t last = 0;

    [[nodiscard]] std::uint16_t bytes_of(std::uint32_t frame) const {
        return frame + 2 < frames ? full : frame + 1 < frames ? before_last : last;
    }

    [[nodiscard]] std::uint64_t bytes() const {
        return frames < 2 ? last : std::uint64_t{frames - 2} * full + before_last + last;
    }
};

/// Cuts `bytes` at `mss`; no piece is smaller than `least` unless the whole block is (it is then
/// padded by whoever builds the frame). Needs bytes > 0, mss >= 2 * least.
[[nodiscard]] BlockCut cut(std::uint64_t bytes, std::uint32_t mss, std::uint32_t least);

}  // namespace gensink::flow
