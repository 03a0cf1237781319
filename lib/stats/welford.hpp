// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace gensink::stats {

/// Running mean and variance without cancellation (B. P. Welford, Technometrics 4(3), 1962).
class Welford {
  public:
    void add(double value) {
        ++n_;
        const double delta = value - mean_;
        mean_ += delta / static_cast<double>(n_);
        squares_ += delta * (value - mean_);
    }

    [[nodiscard]] std::size_t n() const { return n_; }

    /// 0 for n = 0.
    [[nodiscard]] double mean() const { return mean_; }

    /// Of the sample, with n - 1; 0 for n < 2.
    [[nodiscard]] double variance() const {
        return n_ < 2 ? 0.0 : squares_ / static_cast<double>(n_ - 1);
    }

    [[nodiscard]] double deviation() const { return std::sqrt(variance()); }

  private:
    std::size_t n_ = 0;
    double mean_ = 0.0;
    double squares_ = 0.0;
};

[[nodiscard]] inline Welford welford(std::span<const double> values) {
    Welford sum;
    for (const double value : values) {
        sum.add(value);
    }
    return sum;
}

}  // namespace gensink::stats
