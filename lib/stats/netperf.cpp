// SPDX-License-Identifier: BSD-3-Clause
#include "stats/netperf.hpp"

#include "stats/quantile.hpp"
#include "stats/welford.hpp"

#include <algorithm>
#include <cmath>

namespace gensink::stats::netperf {
namespace {

double confidence_of(Level level) {
    return level == Level::percent_95 ? 0.95 : 0.99;
}

}  // namespace

std::optional<Level> level(double confidence) {
    constexpr double rounding = 1e-9;  // 0.99 may have been written as 99 %
    if (std::abs(confidence - 0.95) < rounding) {
        return Level::percent_95;
    }
    if (std::abs(confidence - 0.99) < rounding) {
        return Level::percent_99;
    }
    return std::nullopt;
}

std::optional<double> width_ratio(std::span<const double> values, Level level) {
    const Welford sum = welford(values);
    if (sum.n() < 2 || !(sum.mean() > 0.0)) {
        return std::nullopt;
    }
    const double n = static_cast<double>(sum.n());
    const double t = t_two_sided(confidence_of(level), n - 1.0);
    return 2.0 * t * sum.deviation() / (std::sqrt(n) * sum.mean());
}

bool converged(std::span<const std::vector<double>> series, Level level, double max_width_ratio) {
    return !series.empty() && std::all_of(series.begin(), series.end(), [&](const auto& values) {
        if (values.size() < min_iterations || values.size() > max_iterations) {
            return false;
        }
        const auto width = width_ratio(values, level);
        return width && *width <= max_width_ratio;
    });
}

std::optional<double>
service_demand_us_per_kib(double cpu_percent, double kib_per_second, unsigned cpus) {
    if (!(kib_per_second > 0.0)) {
        return std::nullopt;
    }
    return cpu_percent * 1e4 / kib_per_second * cpus;
}

}  // namespace gensink::stats::netperf
