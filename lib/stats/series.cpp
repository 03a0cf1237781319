// SPDX-License-Identifier: BSD-3-Clause
#include "stats/series.hpp"

#include "stats/quantile.hpp"
#include "stats/welford.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gensink::stats {

std::optional<double> percentile(std::span<const double> values, double p) {
    if (values.empty()) {
        return std::nullopt;
    }
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double share = position - static_cast<double>(below);
    return sorted[below] + share * (sorted[above] - sorted[below]);
}

std::optional<double> median(std::span<const double> values) {
    return percentile(values, 0.5);
}

std::optional<double> lag1_autocorrelation(std::span<const double> values) {
    if (values.size() < 3) {
        return std::nullopt;
    }
    const double mean = welford(values).mean();
    double neighbours = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        squares += (values[i] - mean) * (values[i] - mean);
        if (i > 0) {
            neighbours += (values[i] - mean) * (values[i - 1] - mean);
        }
    }
    if (!(squares > 0.0)) {
        return std::nullopt;
    }
    return neighbours / squares;
}

std::optional<unsigned> rounds_for_precision(
    double deviation, std::size_t pilot_n, double half_width, double confidence, unsigned limit
) {
    if (pilot_n < 2 || !(half_width > 0.0) || !(deviation >= 0.0)) {
        return std::nullopt;
    }
    const double freedom = static_cast<double>(pilot_n - 1);
    const double upper = deviation * std::sqrt(freedom / chi_square_quantile(0.2, freedom));
    for (unsigned n = 2; n <= limit; ++n) {
        const double half = t_two_sided(confidence, n - 1.0) * upper / std::sqrt(n);
        if (half <= half_width) {
            return n;
        }
    }
    return std::nullopt;
}

}  // namespace gensink::stats
