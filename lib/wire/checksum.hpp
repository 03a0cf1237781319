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
    sum = (sum & 0xffffffffU) + (sum >> 32);
    sum = (sum & 0xffffU) + (sum >> 16);
    return static_cast<std::uint16_t>((sum & 0xffffU) + (sum >> 16));
}

/// Ones' complement addition of 64-bit words: the carry comes back in.
[[nodiscard]] constexpr std::uint64_t add_carry(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum + (sum < b ? 1 : 0);
}

/// Sum of `bytes` bytes in memory order, not folded; an odd last byte is padded with zero.
[[nodiscard]] inline std::uint64_t sum_bytes(const std::byte* p, std::size_t bytes) {
    std::uint64_t even = 0;
    std::uint64_t odd = 0;
    for (; bytes >= 16; p += 16, bytes -= 16) {
        even = add_carry(even, load<std::uint64_t>(p));
        odd = add_carry(odd, load<std::uint64_t>(p + 8));
    }
    if ((bytes & 8) != 0) {
        even = add_carry(even, load<std::uint64_t>(p));
        p += 8;
    }
    if ((bytes & 4) != 0) {
        odd = add_carry(odd, load<std::uint32_t>(p));
        p += 4;
    }
    if ((bytes & 2) != 0) {
        odd = add_carry(odd, load<std::uint16_t>(p));
        p += 2;
    }
    if ((bytes & 1) != 0) {
        odd = add_carry(odd, static_cast<std::uint8_t>(*p));
    }
    return add_carry(even, odd);
}

/// Copies, and returns the sum of what was copied as sum_bytes() does.
[[nodiscard]] inline std::uint64_t
copy_and_sum(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::uint64_t even = 0;
    std::uint64_t odd = 0;
    for (; bytes >= 16; to += 16, from += 16, bytes -= 16) {
        const auto first = load<std::uint64_t>(from);
        const auto second = load<std::uint64_t>(from + 8);
        store(to, first);
        store(to + 8, second);
        even = add_carry(even, first);
        odd = add_carry(odd, second);
    }
    std::memcpy(to, from, bytes);
    return add_carry(add_carry(even, odd), sum_bytes(from, bytes));
}

}  // namespace gensink::wire
