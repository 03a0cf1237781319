// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace gensink::experiment::detail {

/// Spreads nearby seeds over all 64 bits (SplitMix64; Steele, Lea, Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

/// Even over 0..count-1. std::uniform_int_distribution differs between standard libraries, and an
/// order must be the same everywhere for a seed.
[[nodiscard]] inline std::size_t below(std::mt19937_64& random, std::size_t count) {
    const std::uint64_t excess = (UINT64_MAX % count + 1) % count;
    std::uint64_t value = random();
    while (value > UINT64_MAX - excess) {
        value = random();
    }
    return static_cast<std::size_t>(value % count);
}

/// Fisher-Yates; the order depends on seed, round and attempt alone, so that a repeated round does
/// not change those after it.
template <class T>
void shuffle(std::vector<T>& items, std::uint64_t seed, unsigned round, unsigned attempt) {
    const std::uint64_t place = (std::uint64_t{round} << 32U) | attempt;
    std::mt19937_64 random(mix(mix(seed) ^ place));
    for (std::size_t left = items.size(); left > 1; --left) {
        std::swap(items[left - 1], items[below(random, left)]);
    }
}

}  // namespace gensink::experiment::detail
