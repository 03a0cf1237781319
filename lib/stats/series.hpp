// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gensink::stats {

/// Value below which the share `p` (0..1) of the sample lies, linear between order statistics:
/// position p * (n - 1), "type 7" of Hyndman and Fan, The American Statistician 50(4), 1996 (what R
/// and NumPy do by default). Absent for no value.
[[nodiscard]] std::optional<double> percentile(std::span<const double> values, double p);

[[nodiscard]] std::optional<double> median(std::span<const double> values);

/// Correlation of each value with the next, over the mean of all (Box and Jenkins' r1). Absent
/// below three values or without variation.
[[nodiscard]] std::optional<double> lag1_autocorrelation(std::span<const double> values);

/// Above this, rounds are not independent enough for a t interval at face value.
inline constexpr double autocorrelation_limit = 0.3;

/// Rounds that a t interval of half-width `half_width` needs at `confidence`, when a pilot of
/// `pilot_n` rounds showed `deviation`. The pilot's deviation is itself uncertain: its 80 % upper
/// confidence bound, s * sqrt((n - 1) / chi2(0.2, n - 1)), is used. Units of deviation and half
/// width agree. Absent for pilot_n < 2, half_width <= 0, or where `limit` rounds do not do.
[[nodiscard]] std::optional<unsigned> rounds_for_precision(
    double deviation, std::size_t pilot_n, double half_width, double confidence, unsigned limit
);

}  // namespace gensink::stats
