// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/interval.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gensink::stats {

/// One point of the law c = a + b / key.
struct LawPoint {
    double key = 0;   ///< above 0, e.g. the burst
    double cost = 0;  ///< above 0, e.g. ticks per frame
};

struct Law {
    double a = 0;
    double b = 0;

    [[nodiscard]] double at(double key) const { return a + b / key; }
};

/// Fits a and b so that the squares of (law - cost) / cost sum to the least: a percent counts the
/// same at every key. Absent below two different keys, or where a value is not above 0.
[[nodiscard]] std::optional<Law> fit_law(std::span<const LawPoint> points);

/// 1 - residual / total squares, both weighted 1 / cost^2 as the fit is; 1 where all costs are
/// equal and met. Absent for no point.
[[nodiscard]] std::optional<double> r_squared(const Law& law, std::span<const LawPoint> points);

/// Largest |law / cost - 1|.
[[nodiscard]] double worst_misfit(const Law& law, std::span<const LawPoint> points);

/// Beyond this misfit the report says that the law does not hold.
inline constexpr double law_misfit_limit_ratio = 0.05;

/// The law over rounds: fitted in each, then means and t intervals of a and b.
struct RoundsFit {
    std::size_t rounds = 0;
    Law law;  ///< means of a and of b
    std::optional<Interval> a_interval;
    std::optional<Interval> b_interval;
    double r_squared = 0;     ///< of `law` on each point's mean over rounds
    double worst_misfit = 0;  ///< likewise: noise between rounds is not misfit
    bool holds = false;       ///< worst misfit within law_misfit_limit_ratio
};

/// `rounds[i]` holds the same keys, in the same order, for every i. Absent where no round can be
/// fitted or the keys differ.
[[nodiscard]] std::optional<RoundsFit>
fit_rounds(std::span<const std::vector<LawPoint>> rounds, double confidence);

}  // namespace gensink::stats
