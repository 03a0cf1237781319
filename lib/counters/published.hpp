// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "base/units.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace gensink::counters {

/// Counts that one datapath thread publishes and the control thread reads.
/// Writer: the datapath thread, relaxed stores. Readers: any; a read may mix two publications, each
/// word of it being a value that was true.
template <class Counts>
class alignas(cache_block_bytes) Published {
    static_assert(sizeof(Counts) % sizeof(std::uint64_t) == 0);
    static constexpr std::size_t words = sizeof(Counts) / sizeof(std::uint64_t);
    using Words = std::array<std::uint64_t, words>;
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  public:
    void publish(const Counts& counts) {
        const Words from = std::bit_cast<Words>(counts);
        for (std::size_t i = 0; i < words; ++i) {
            words_[i].store(from[i], std::memory_order_relaxed);
        }
    }

    [[nodiscard]] Counts read() const {
        Words to{};
        for (std::size_t i = 0; i < words; ++i) {
            to[i] = words_[i].load(std::memory_order_relaxed);
        }
        return std::bit_cast<Counts>(to);
    }

  private:
    std::array<std::atomic<std::uint64_t>, words> words_{};
};

/// a OP b, word by word.
template <class Counts, class Op>
[[nodiscard]] Counts word_by_word(const Counts& a, const Counts& b, Op op) {
    using Words = std::array<std::uint64_t, sizeof(Counts) / sizeof(std::uint64_t)>;
    Words to = std::bit_cast<Words>(a);
    const Words from = std::bit_cast<Words>(b);
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = op(to[i], from[i]);
    }
    return std::bit_cast<Counts>(to);
}

/// Counts never fall: a borrow would be the caller's bug.
template <class Counts>
[[nodiscard]] Counts difference(const Counts& later, const Counts& earlier) {
    return word_by_word(later, earlier, std::minus<std::uint64_t>());
}

template <class Counts>
[[nodiscard]] Counts sum(const Counts& a, const Counts& b) {
    return word_by_word(a, b, std::plus<std::uint64_t>());
}

}  // namespace gensink::counters
