// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// The Internet checksum (RFC 1071). Sums are kept in memory order, so that no byte is swapped in a
/// loop: a ones' complement sum of swapped words is the swapped sum.
namespace gensink::wire {

static_assert(std::endian::native == std::endian::little);

[[nodiscard]] constexpr std::uint16_t swap16(std::uint16_t v) {
    return static_cast<std::uint16_t>((v << 8) | (v >> 8));
}

[[nodiscard]] constexpr std::uint32_t swap32(std::uint32_t v) {
    return __builtin_bswap32(v);
}

[[nodiscard]] constexpr std::uint64_t swap64(std::uint64_t v) {
    return __builtin_bswap64(v);
}

/// An unaligned value in memory order.
template <class T>
[[nodiscard]] inline T load(const std::byte* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

template <class T>
inline void store(std::byte* p, T v) {
    std::memcpy(p, &v, sizeof v);
}

/// Ones' complement sum of 16-bit words down to 16 bits; 0xffff and 0 are both zero.
[[nodiscard]] constexpr std::uint16_t fold(std::uint64_t sum) {
    sum = (sum & 0xffffffffU) + (sum >> 32);
    sum = (sum & 0xffffU) + (sum >> 16 & 0xffffU) + (sum >> 32);
    sum = (sum & 0xffffU) + (sum >> 16);
    return static_cast<std::uint16_t>((sum & 0xffffU) + (sum >> 16));
}

/// Sum of `bytes` bytes in memory order, not folded; an odd last byte is padded with zero.
[[nodiscard]] inline std::uint64_t sum_bytes(const std::byte* p, std::size_t bytes) {
    std::uint64_t sum = 0;
    std::size_t at = 0;
    for (; at + 4 <= bytes; at += 4) {
        sum += load<std::uint32_t>(p + at);
    }
    if (at + 2 <= bytes) {
        sum += load<std::uint16_t>(p + at);
        at += 2;
    }
    if (at < bytes) {
        sum += static_cast<std::uint8_t>(p[at]);
    }
    return sum;
}

}  // namespace gensink::wire
