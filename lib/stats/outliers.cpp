// SPDX-License-Identifier: BSD-3-Clause
#include "stats/outliers.hpp"

#include "stats/series.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gensink::stats {

namespace {

/// MAD to deviation for a normal sample: 1 / quantile(0.75).
constexpr double mad_scale = 1.4826;
constexpr double mad_deviations = 3;

Kept keep_trimmed(std::span<const double> values, std::size_t low, std::size_t high) {
    Kept kept{std::vector<bool>(values.size(), true)};
    if (low + high >= values.size()) {
        return kept;
    }
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [values](std::size_t left, std::size_t right) {
        return values[left] < values[right];
    });
    for (std::size_t i = 0; i < low; ++i) {
        kept.keeps[order[i]] = false;
    }
    for (std::size_t i = 0; i < high; ++i) {
        kept.keeps[order[order.size() - 1 - i]] = false;
    }
    kept.cut_low = low;
    kept.cut_high = high;
    return kept;
}

Kept keep_near_median(std::span<const double> values) {
    Kept kept{std::vector<bool>(values.size(), true)};
    const auto middle = median(values);
    if (!middle) {
        return kept;
    }
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const double value : values) {
        deviations.push_back(std::abs(value - *middle));
    }
    const double limit = mad_deviations * mad_scale * *median(deviations);
    for (std::size_t i = 0; i < values.size(); ++i) {
        kept.keeps[i] = deviations[i] <= limit;
        kept.cut_low += !kept.keeps[i] && values[i] < *middle ? 1 : 0;
        kept.cut_high += !kept.keeps[i] && values[i] > *middle ? 1 : 0;
    }
    if (kept.cut_low + kept.cut_high == values.size()) {
        return {std::vector<bool>(values.size(), true)};
    }
    return kept;
}

}  // namespace

Kept keep(std::span<const double> values, const OutlierRule& rule) {
    switch (rule.kind) {
    case OutlierKind::trim_high:
        return keep_trimmed(values, 0, rule.trim);
    case OutlierKind::trim_both:
        return keep_trimmed(values, rule.trim, rule.trim);
    case OutlierKind::mad:
        return keep_near_median(values);
    case OutlierKind::none:
        break;
    }
    return {std::vector<bool>(values.size(), true)};
}

std::vector<double> kept_values(std::span<const double> values, const Kept& kept) {
    std::vector<double> result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (kept.keeps[i]) {
            result.push_back(values[i]);
        }
    }
    return result;
}

std::optional<double> kept_mean(std::span<const double> values, const OutlierRule& rule) {
    const std::vector<double> left = kept_values(values, keep(values, rule));
    if (left.empty()) {
        return std::nullopt;
    }
    return std::accumulate(left.begin(), left.end(), 0.0) / static_cast<double>(left.size());
}

}  // namespace gensink::stats
