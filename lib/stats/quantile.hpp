// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace gensink::stats {

/// Half-width of a two-sided t interval in standard errors: t(confidence, freedom).
/// NaN unless 0 < confidence < 1 and freedom > 0.
[[nodiscard]] double t_two_sided(double confidence, double freedom);

/// Value below which a chi-square variable falls with probability `p`; NaN out of range.
[[nodiscard]] double chi_square_quantile(double p, double freedom);

/// Confidence of each of `comparisons` intervals, so that all hold together with `confidence`
/// (Bonferroni); `comparisons` = 0 is taken as 1.
[[nodiscard]] constexpr double simultaneous_confidence(double confidence, unsigned comparisons) {
    return comparisons < 2 ? confidence : 1.0 - (1.0 - confidence) / comparisons;
}

}  // namespace gensink::stats
