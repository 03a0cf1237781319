// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gensink::stats {

/// A confidence interval.
struct Interval {
    double low = 0;
    double high = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
};

/// A mean, or a difference of means.
struct Estimate {
    std::size_t n = 0;
    double mean = 0;
    double standard_error = 0;         ///< 0 while unknown
    std::optional<Interval> interval;  ///< absent where the data allow none (n < 2)
};

/// Mean of `values` with its t interval; absent for no value.
[[nodiscard]] std::optional<Estimate>
mean_interval(std::span<const double> values, double confidence);

/// A change by a factor: `ratio` = arm / baseline - 1, on geometric means.
struct Change {
    std::size_t n = 0;  ///< pairs, or the smaller sample of the two
    double ratio = 0;
    double log_mean = 0;               ///< mean log ratio: ratio = exp(log_mean) - 1
    double log_deviation = 0;          ///< of the log ratios (paired only)
    double freedom = 0;                ///< degrees of freedom of the interval; 0 without one
    std::optional<Interval> interval;  ///< of `ratio`; absent where the data allow none
};

/// Change from `log_ratios` of arm to baseline, one a round, by a t interval on the logs.
/// Absent for no value.
[[nodiscard]] std::optional<Change>
change_of_logs(std::span<const double> log_ratios, double confidence);

/// Change over pairs (baseline[i], arm[i]) of one round each: what a round shares cancels.
/// Absent unless the lengths agree, there is a pair, and every value is above 0.
[[nodiscard]] std::optional<Change>
paired(std::span<const double> baseline, std::span<const double> arm, double confidence);

/// Change between two samples that share nothing (saved results), by Welch's t on the logs with
/// Welch-Satterthwaite freedom (Biometrika 34, 1947). With a single value on either side there is
/// a ratio but no interval. Absent where a sample is empty or holds a value that is not above 0.
/// For a metric where lower is better, swap the samples: the ratio is then the gain.
[[nodiscard]] std::optional<Change>
welch(std::span<const double> baseline, std::span<const double> arm, double confidence);

/// Difference of means, arm - baseline, by Welch's t: for metrics that may be 0 or negative.
[[nodiscard]] std::optional<Estimate>
welch_difference(std::span<const double> baseline, std::span<const double> arm, double confidence);

}  // namespace gensink::stats
