// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gensink::engine {

enum class Order : std::uint8_t { in_order, late, duplicate, stale };

/// Which of the last frames of one flow have come. One bit a sequence number, over a ring of words
/// that ends at the newest number seen.
class SequenceWindow {
  public:
    /// `words`: a power of two; at least 64 * (words - 1) numbers back are told apart.
    explicit SequenceWindow(std::size_t words) : bits_(words, 0), mask_(words - 1) {}

    [[nodiscard, gnu::always_inline]] Order observe(std::uint64_t sequence) {
        const std::uint64_t word = sequence >> 6;
        const std::uint64_t bit = std::uint64_t{1} << (sequence & 63);
        if (sequence >= next_) {
            if (word != newest_word_) {
                advance(word);
            }
            bits_[word & mask_] |= bit;
            next_ = sequence + 1;
            return Order::in_order;
        }
        if (newest_word_ - word > mask_) {
            return Order::stale;
        }
        std::uint64_t& seen = bits_[word & mask_];
        if ((seen & bit) != 0) {
            return Order::duplicate;
        }
        seen |= bit;
        return Order::late;
    }

    /// So many more have come, each the next after the one before it.
    [[gnu::always_inline]] void observe_next(std::uint32_t frames) {
        const bool whole = missing_ == next_;
        std::uint64_t left = frames;
        while (left != 0) {
            const std::uint64_t word = next_ >> 6;
            const std::uint64_t at = next_ & 63;
            if (word != newest_word_) {
                advance(word);
            }
            const std::uint64_t n = std::min(left, 64 - at);
            bits_[word & mask_] |= (~std::uint64_t{0} >> (64 - n)) << at;
            next_ += n;
            left -= n;
        }
        if (whole) {
            missing_ = next_;
        }
    }

    /// All numbers below it have come, as far back as the ring tells.
    [[nodiscard, gnu::noinline]] std::uint64_t first_missing() {
        const std::uint64_t oldest = (newest_word_ > mask_ ? newest_word_ - mask_ : 0) << 6;
        missing_ = missing_ < oldest ? oldest : missing_;
        while (missing_ < next_ && (bits_[(missing_ >> 6) & mask_] >> (missing_ & 63) & 1U) != 0) {
            ++missing_;
        }
        return missing_;
    }

    /// Every number below next() has come.
    [[nodiscard, gnu::always_inline]] bool is_whole() {
        if (next_ - missing_ <= 1) [[likely]] {
            missing_ = next_;  // the highest has come, or next() could not be above it
            return true;
        }
        return first_missing() == next_;
    }

    /// One above the highest number that has come.
    [[nodiscard]] std::uint64_t next() const { return next_; }

  private:
    [[gnu::noinline]] void advance(std::uint64_t word) {
        const std::uint64_t from = word - newest_word_ > mask_ ? word - mask_ : newest_word_ + 1;
        for (std::uint64_t w = from; w <= word; ++w) {
            bits_[w & mask_] = 0;
        }
        newest_word_ = word;
    }

    std::vector<std::uint64_t> bits_;
    std::uint64_t mask_;
    std::uint64_t newest_word_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t missing_ = 0;
};

}  // namespace gensink::engine
