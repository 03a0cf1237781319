// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gensink {

using Duration = std::chrono::nanoseconds;

[[nodiscard]] constexpr double seconds(Duration d) {
    return std::chrono::duration<double>(d).count();
}

/// Two 64-byte lines: adjacent-line prefetch pairs them on x86 (Intel optimization manual 3.7.3).
inline constexpr std::size_t cache_block_bytes = 128;

/// Time-stamp counter ticks. Never called cycles: the core's clock is another one.
struct Ticks {
    std::uint64_t value = 0;
};

}  // namespace gensink
