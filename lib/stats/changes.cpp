// SPDX-License-Identifier: BSD-3-Clause
#include "stats/changes.hpp"

#include "stats/decision.hpp"
#include "stats/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gensink::stats {

namespace {

struct Level {
    double mean = 0;
    double squares = 0;  ///< of the deviations from it, summed
};

[[nodiscard]] Level level_of(std::span<const double> values) {
    Level level;
    for (const double value : values) {
        level.mean += value / static_cast<double>(values.size());
    }
    for (const double value : values) {
        level.squares += (value - level.mean) * (value - level.mean);
    }
    return level;
}

/// A stretch of a series.
struct Part {
    std::size_t begin = 0;
    std::size_t size = 0;
};

/// The whole, then windows of halving length that overlap by half, down to three values.
[[nodiscard]] std::vector<Part> windows_of(Part whole) {
    std::vector<Part> windows{whole};
    for (std::size_t size = (whole.size + 1) / 2; size >= 3; size = (size + 1) / 2) {
        const std::size_t step = size / 2;
        for (std::size_t at = 0; at + size < whole.size + step; at += step) {
            const std::size_t begin = std::min(at, whole.size - size);
            windows.push_back({whole.begin + begin, size});
        }
    }
    return windows;
}

[[nodiscard]] ChangePoint
split_at(std::span<const double> logs, std::size_t at, double confidence) {
    const Level before = level_of(logs.first(at));
    const Level after = level_of(logs.subspan(at));
    const auto n = static_cast<double>(at);
    const auto m = static_cast<double>(logs.size() - at);
    ChangePoint point{at, {}};
    Change& change = point.change;
    change.n = std::min(at, logs.size() - at);
    change.log_mean = after.mean - before.mean;
    change.ratio = std::expm1(change.log_mean);
    change.freedom = n + m - 2;
    const double variance = (before.squares + after.squares) / change.freedom;
    const double reach =
        t_two_sided(confidence, change.freedom) * std::sqrt(variance * (1 / n + 1 / m));
    change.interval =
        Interval{std::expm1(change.log_mean - reach), std::expm1(change.log_mean + reach)};
    return point;
}

/// How far a change's interval stays from 0; negative where it holds 0.
[[nodiscard]] double distance(const Change& change) {
    return std::max(std::log1p(change.interval->low), -std::log1p(change.interval->high));
}

[[nodiscard]] std::optional<ChangePoint>
clearest_change(std::span<const double> logs, Part whole, double confidence, double margin) {
    const std::vector<Part> windows = windows_of(whole);
    std::size_t tried = 0;
    for (const Part& window : windows) {
        tried += window.size - 1;
    }
    const double each = simultaneous_confidence(confidence, static_cast<unsigned>(tried));
    std::optional<ChangePoint> best;
    for (const Part& window : windows) {
        for (std::size_t at = 1; at < window.size; ++at) {
            ChangePoint point = split_at(logs.subspan(window.begin, window.size), at, each);
            const Decision decision = decide(point.change.interval, margin);
            const bool counts = decision == Decision::gain || decision == Decision::loss;
            if (counts && (!best || distance(point.change) > distance(best->change))) {
                point.at += window.begin;
                best = point;
            }
        }
    }
    return best;
}

}  // namespace

std::vector<ChangePoint>
change_points(std::span<const double> values, double confidence, double margin_ratio) {
    std::vector<double> logs;
    logs.reserve(values.size());
    for (const double value : values) {
        if (!(value > 0)) {
            return {};
        }
        logs.push_back(std::log(value));
    }

    std::vector<ChangePoint> points;
    std::vector<Part> parts{{0, logs.size()}};
    while (!parts.empty()) {
        const Part part = parts.back();
        parts.pop_back();
        const auto point =
            part.size < 3 ? std::nullopt : clearest_change(logs, part, confidence, margin_ratio);
        if (point) {
            parts.push_back({part.begin, point->at - part.begin});
            parts.push_back({point->at, part.begin + part.size - point->at});
            points.push_back(*point);
        }
    }
    std::ranges::sort(points, {}, &ChangePoint::at);
    return points;
}

}  // namespace gensink::stats
