// SPDX-License-Identifier: BSD-3-Clause
#include "stats/interval.hpp"

#include "stats/quantile.hpp"
#include "stats/welford.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gensink::stats {
namespace {

bool all_positive(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double v) {
        return v > 0.0 && std::isfinite(v);
    });
}

std::vector<double> logs(std::span<const double> values) {
    std::vector<double> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), [](double v) {
        return std::log(v);
    });
    return result;
}

Interval around(double mean, double half) {
    return {mean - half, mean + half};
}

/// expm1 keeps the digits of changes far below 1 %.
Interval as_ratio(Interval log_interval) {
    return {std::expm1(log_interval.low), std::expm1(log_interval.high)};
}

struct WelchResult {
    double difference = 0;
    double standard_error = 0;
    double freedom = 0;
    std::optional<Interval> interval;
};

WelchResult welch_of(const Welford& baseline, const Welford& arm, double confidence) {
    WelchResult result;
    result.difference = arm.mean() - baseline.mean();
    if (baseline.n() < 2 || arm.n() < 2) {
        return result;
    }
    const double n_baseline = static_cast<double>(baseline.n());
    const double n_arm = static_cast<double>(arm.n());
    const double v_baseline = baseline.variance() / n_baseline;
    const double v_arm = arm.variance() / n_arm;
    const double variance = v_baseline + v_arm;
    result.standard_error = std::sqrt(variance);
    if (variance <= 0.0) {
        result.freedom = n_baseline + n_arm - 2.0;
        result.interval = around(result.difference, 0.0);
        return result;
    }
    result.freedom = variance * variance /
                     (v_baseline * v_baseline / (n_baseline - 1.0) + v_arm * v_arm / (n_arm - 1.0));
    const double half = t_two_sided(confidence, result.freedom) * result.standard_error;
    result.interval = around(result.difference, half);
    return result;
}

}  // namespace

std::optional<Estimate> mean_interval(std::span<const double> values, double confidence) {
    if (values.empty()) {
        return std::nullopt;
    }
    const Welford sum = welford(values);
    Estimate result{.n = sum.n(), .mean = sum.mean(), .standard_error = 0, .interval = {}};
    if (sum.n() >= 2) {
        const double n = static_cast<double>(sum.n());
        result.standard_error = sum.deviation() / std::sqrt(n);
        const double half = t_two_sided(confidence, n - 1.0) * result.standard_error;
        result.interval = around(sum.mean(), half);
    }
    return result;
}

std::optional<Change> change_of_logs(std::span<const double> log_ratios, double confidence) {
    const auto mean = mean_interval(log_ratios, confidence);
    if (!mean) {
        return std::nullopt;
    }
    Change change;
    change.n = mean->n;
    change.log_mean = mean->mean;
    change.ratio = std::expm1(mean->mean);
    if (mean->interval) {
        const double n = static_cast<double>(mean->n);
        change.log_deviation = mean->standard_error * std::sqrt(n);
        change.freedom = n - 1.0;
        change.interval = as_ratio(*mean->interval);
    }
    return change;
}

std::optional<Change>
paired(std::span<const double> baseline, std::span<const double> arm, double confidence) {
    if (baseline.size() != arm.size() || !all_positive(baseline) || !all_positive(arm)) {
        return std::nullopt;
    }
    std::vector<double> log_ratios(baseline.size());
    for (std::size_t i = 0; i < baseline.size(); ++i) {
        log_ratios[i] = std::log(arm[i] / baseline[i]);
    }
    return change_of_logs(log_ratios, confidence);
}

std::optional<Change>
welch(std::span<const double> baseline, std::span<const double> arm, double confidence) {
    if (baseline.empty() || arm.empty() || !all_positive(baseline) || !all_positive(arm)) {
        return std::nullopt;
    }
    const WelchResult logs_differ =
        welch_of(welford(logs(baseline)), welford(logs(arm)), confidence);
    Change change;
    change.n = std::min(baseline.size(), arm.size());
    change.log_mean = logs_differ.difference;
    change.ratio = std::expm1(logs_differ.difference);
    change.freedom = logs_differ.freedom;
    if (logs_differ.interval) {
        change.interval = as_ratio(*logs_differ.interval);
    }
    return change;
}

std::optional<Estimate>
welch_difference(std::span<const double> baseline, std::span<const double> arm, double confidence) {
    if (baseline.empty() || arm.empty()) {
        return std::nullopt;
    }
    const WelchResult means = welch_of(welford(baseline), welford(arm), confidence);
    return Estimate{
        .n = std::min(baseline.size(), arm.size()),
        .mean = means.difference,
        .standard_error = means.standard_error,
        .interval = means.interval,
    };
}

}  // namespace gensink::stats
