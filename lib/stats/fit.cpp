// SPDX-License-Identifier: BSD-3-Clause
#include "stats/fit.hpp"

#include <algorithm>
#include <cmath>

namespace gensink::stats {
namespace {

bool usable(std::span<const LawPoint> points) {
    return std::all_of(points.begin(), points.end(), [](const LawPoint& p) {
        return p.key > 0.0 && p.cost > 0.0 && std::isfinite(p.key) && std::isfinite(p.cost);
    });
}

bool same_keys(std::span<const LawPoint> left, std::span<const LawPoint> right) {
    return std::equal(
        left.begin(),
        left.end(),
        right.begin(),
        right.end(),
        [](const auto& l, const auto& r) { return l.key == r.key; }
    );
}

std::vector<LawPoint> mean_points(std::span<const std::vector<LawPoint>> rounds) {
    std::vector<LawPoint> means = rounds.front();
    for (std::size_t i = 0; i < means.size(); ++i) {
        double sum = 0.0;
        for (const auto& round : rounds) {
            sum += round[i].cost;
        }
        means[i].cost = sum / static_cast<double>(rounds.size());
    }
    return means;
}

}  // namespace

std::optional<Law> fit_law(std::span<const LawPoint> points) {
    if (points.size() < 2 || !usable(points)) {
        return std::nullopt;
    }
    // Weighted straight line over x = 1 / key, centred so that nearly equal keys do not cancel.
    double weights = 0.0;
    double sum_x = 0.0;
    double sum_cost = 0.0;
    for (const auto& p : points) {
        const double w = 1.0 / (p.cost * p.cost);
        weights += w;
        sum_x += w / p.key;
        sum_cost += w * p.cost;
    }
    const double mean_x = sum_x / weights;
    const double mean_cost = sum_cost / weights;
    double sxx = 0.0;
    double sxy = 0.0;
    for (const auto& p : points) {
        const double w = 1.0 / (p.cost * p.cost);
        const double dx = 1.0 / p.key - mean_x;
        sxx += w * dx * dx;
        sxy += w * dx * (p.cost - mean_cost);
    }
    if (!(sxx > weights * mean_x * mean_x * 1e-20)) {
        return std::nullopt;  // one key only
    }
    const double b = sxy / sxx;
    return Law{.a = mean_cost - b * mean_x, .b = b};
}

std::optional<double> r_squared(const Law& law, std::span<const LawPoint> points) {
    if (points.empty() || !usable(points)) {
        return std::nullopt;
    }
    double weights = 0.0;
    double sum_cost = 0.0;
    for (const auto& p : points) {
        weights += 1.0 / (p.cost * p.cost);
        sum_cost += 1.0 / p.cost;
    }
    const double mean_cost = sum_cost / weights;
    double residual = 0.0;
    double total = 0.0;
    for (const auto& p : points) {
        residual += std::pow((law.at(p.key) - p.cost) / p.cost, 2);
        total += std::pow((p.cost - mean_cost) / p.cost, 2);
    }
    if (total <= 0.0) {
        return residual <= 0.0 ? 1.0 : 0.0;
    }
    return 1.0 - residual / total;
}

double worst_misfit(const Law& law, std::span<const LawPoint> points) {
    double worst = 0.0;
    for (const auto& p : points) {
        worst = std::max(worst, std::abs(law.at(p.key) / p.cost - 1.0));
    }
    return worst;
}

std::optional<RoundsFit>
fit_rounds(std::span<const std::vector<LawPoint>> rounds, double confidence) {
    std::vector<double> a;
    std::vector<double> b;
    for (const auto& round : rounds) {
        const auto law = fit_law(round);
        if (!law || !same_keys(round, rounds.front())) {
            return std::nullopt;
        }
        a.push_back(law->a);
        b.push_back(law->b);
    }
    const auto mean_a = mean_interval(a, confidence);
    const auto mean_b = mean_interval(b, confidence);
    if (!mean_a || !mean_b) {
        return std::nullopt;
    }
    const auto points = mean_points(rounds);
    RoundsFit fit;
    fit.rounds = a.size();
    fit.law = {.a = mean_a->mean, .b = mean_b->mean};
    fit.a_interval = mean_a->interval;
    fit.b_interval = mean_b->interval;
    fit.r_squared = r_squared(fit.law, points).value_or(0.0);
    fit.worst_misfit = worst_misfit(fit.law, points);
    fit.holds = fit.worst_misfit <= law_misfit_limit_ratio;
    return fit;
}

}  // namespace gensink::stats
