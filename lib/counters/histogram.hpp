// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gensink::counters {

/// Log-linear histogram of ticks: 32 steps an octave, so that a value is known to 1/32 (3.1 %), in
/// fixed memory. Values of 2^42 and more fall into the last bucket.
class Histogram {
  public:
    static constexpr unsigned step_bits = 5;
    static constexpr unsigned octaves = 42 - step_bits;
    static constexpr std::size_t buckets = (octaves + 1) << step_bits;

    void add(std::uint64_t value, std::uint64_t times = 1) {
        counts_[index(value)] += times;
        largest_ = value > largest_ ? value : largest_;
        smallest_ = value < smallest_ ? value : smallest_;
    }

    /// A saved histogram's bucket.
    void restore(std::uint64_t low, std::uint64_t times) { counts_[index(low)] += times; }

    /// A saved histogram's smallest and largest value.
    void restore_bounds(std::uint64_t smallest, std::uint64_t largest) {
        smallest_ = smallest;
        largest_ = largest;
    }

    void merge(const Histogram& other) {
        for (std::size_t i = 0; i < buckets; ++i) {
            counts_[i] += other.counts_[i];
        }
        largest_ = other.largest_ > largest_ ? other.largest_ : largest_;
        smallest_ = other.smallest_ < smallest_ ? other.smallest_ : smallest_;
    }

    [[nodiscard]] std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t n : counts_) {
            sum += n;
        }
        return sum;
    }

    [[nodiscard]] std::uint64_t largest() const { return largest_; }

    /// 0 where nothing was added.
    [[nodiscard]] std::uint64_t smallest() const { return std::min(smallest_, largest_); }

    /// The value that at least `ratio` of all values do not exceed, to a bucket's middle and never
    /// outside what was added; 0 where nothing was.
    [[nodiscard]] std::uint64_t quantile(double ratio) const {
        const std::uint64_t all = total();
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < buckets; ++i) {
            sum += counts_[i];
            if (sum == all) {
                break;  // the largest is of this bucket
            }
            if (sum != 0 && static_cast<double>(sum) >= ratio * static_cast<double>(all)) {
                return std::max(low(i) + (low(i + 1) - low(i)) / 2, smallest());
            }
        }
        return largest_;
    }

    [[nodiscard]] const std::array<std::uint64_t, buckets>& counts() const { return counts_; }

    [[nodiscard]] static constexpr std::size_t index(std::uint64_t value) {
        if (value < (1U << step_bits)) {
            return value;
        }
        const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1 - step_bits;
        if (octave >= octaves) {
            return buckets - 1;
        }
        return ((octave + std::size_t{1}) << step_bits) +
               ((value >> octave) & ((1U << step_bits) - 1));
    }

    /// Smallest value of a bucket.
    [[nodiscard]] static constexpr std::uint64_t low(std::size_t bucket) {
        if (bucket < (1U << step_bits)) {
            return bucket;
        }
        const auto octave = static_cast<unsigned>(bucket >> step_bits) - 1;
        return (std::uint64_t{1 << step_bits} + (bucket & ((1U << step_bits) - 1))) << octave;
    }

  private:
    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t largest_ = 0;
    std::uint64_t smallest_ = ~std::uint64_t{0};
};

/// Where a frame's or a block's time went; in ticks, measure phase only.
struct Latencies {
    Histogram frame;           ///< accepted by the port -> its ACK came
    Histogram frame_intended;  ///< when it should have left -> its ACK came; empty at load max
    Histogram block;           ///< first frame accepted -> last frame's ACK came
    Histogram block_intended;
    Histogram hold;  ///< first frame of a burst ready -> send call; empty at load max
};

}  // namespace gensink::counters
