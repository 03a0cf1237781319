// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/text.hpp"
#include "stats/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gensink::experiment::detail {

namespace {

/// Cells of one arm that differ in the fitted key alone.
struct Curve {
    std::string arm;
    Point others;
    std::vector<std::size_t> cells;
    std::vector<double> keys;
};

constexpr std::array<std::pair<std::string_view, double>, 6> units{
    {{"", 1.0}, {"B", 1.0}, {"kB", 1e3}, {"KiB", 1024.0}, {"MB", 1e6}, {"MiB", 1048576.0}}};

/// The value of "32" or "4 KiB": a sweep may mix units.
std::optional<double> number_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    std::string_view unit(end);
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    const auto known = std::find_if(units.begin(), units.end(), [unit](const auto& candidate) {
        return candidate.first == unit;
    });
    if (end == text.c_str() || !(value > 0.0) || known == units.end()) {
        return std::nullopt;
    }
    return value * known->second;
}

std::vector<Curve> curves(const plan::Plan& plan) {
    std::vector<Curve> found;
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        const plan::Cell& cell = plan.cells[i];
        Point others = cell.point;
        const auto key = std::find_if(others.begin(), others.end(), [&plan](const auto& swept) {
            return swept.first == plan.fit->key;
        });
        if (cell.placebo || key == others.end()) {
            continue;
        }
        const auto number = number_of(key->second);
        if (!number) {
            continue;
        }
        others.erase(key);
        auto curve = std::find_if(found.begin(), found.end(), [&](const Curve& c) {
            return c.arm == cell.arm && c.others == others;
        });
        if (curve == found.end()) {
            curve = found.insert(found.end(), Curve{cell.arm, std::move(others), {}, {}});
        }
        curve->cells.push_back(i);
        curve->keys.push_back(*number);
    }
    return found;
}

/// Points of each round in which every cell of the curve has a counted trial.
std::vector<std::vector<stats::LawPoint>>
whole_rounds(const Analysis& analysis, const Curve& curve, const trial::Metric& metric) {
    std::map<unsigned, std::vector<stats::LawPoint>> rounds;
    for (std::size_t i = 0; i < curve.cells.size(); ++i) {
        const plan::Cell& cell = analysis.plan.cells[curve.cells[i]];
        const auto kind = load_kind(analysis.plan, cell, metric.kind);
        for (const trial::TrialResult* trial : analysis.table.counted(curve.cells[i], kind)) {
            const auto value = metric.value(*trial);
            auto& points = rounds[trial->round];
            if (value && *value > 0.0 && points.size() == i) {
                points.push_back({.key = curve.keys[i], .cost = *value});
            }
        }
    }
    std::vector<std::vector<stats::LawPoint>> whole;
    for (auto& [round, points] : rounds) {
        if (points.size() == curve.cells.size()) {
            whole.push_back(std::move(points));
        }
    }
    return whole;
}

void fit_curve(Analysis& analysis, const Curve& curve, const trial::Metric& metric) {
    const auto rounds = whole_rounds(analysis, curve, metric);
    const auto fitted = stats::fit_rounds(rounds, analysis.plan.stats.confidence);
    if (!fitted) {
        warn(
            analysis.result,
            fmt::format(
                "no fit of {} for {}{}: it needs a round with two or more values of {}",
                metric.name,
                curve.arm,
                at_text(curve.others),
                analysis.plan.fit->key
            )
        );
        return;
    }
    analysis.result.fits.push_back({
        .arm = curve.arm,
        .metric = std::string(metric.name),
        .key = analysis.plan.fit->key,
        .point = curve.others,
        .rounds = fitted->rounds,
        .a = fitted->law.a,
        .b = fitted->law.b,
        .a_interval = fitted->a_interval,
        .b_interval = fitted->b_interval,
        .r_squared = fitted->r_squared,
        .worst_misfit_ratio = fitted->worst_misfit,
        .law_holds = fitted->holds,
    });
    if (!fitted->holds) {
        warn(
            analysis.result,
            fmt::format(
                "the law {} = a + b / {} does not hold for {}{}: it misses a point by {}, more "
                "than "
                "{}; read the points, not a and b",
                metric.name,
                analysis.plan.fit->key,
                curve.arm,
                at_text(curve.others),
                percent(fitted->worst_misfit),
                percent(stats::law_misfit_limit_ratio)
            )
        );
    }
}

/// A b that the reference shows too is the cost of the call, not of a doorbell.
void compare_with_reference(Analysis& analysis) {
    const std::string& reference = analysis.plan.fit->reference;
    for (const Fit& base : analysis.result.fits) {
        if (reference.empty() || base.arm != reference || !base.b_interval) {
            continue;
        }
        for (const Fit& fit : analysis.result.fits) {
            if (fit.arm == reference || fit.point != base.point || !fit.b_interval ||
                fit.b_interval->low > base.b_interval->high ||
                base.b_interval->low > fit.b_interval->high) {
                continue;
            }
            warn(
                analysis.result,
                fmt::format(
                    "b of {}{} ({:.1f}) cannot be told from b of {} ({:.1f}): it may be the cost "
                    "of "
                    "the call alone",
                    fit.arm,
                    at_text(fit.point),
                    fit.b,
                    reference,
                    base.b
                )
            );
        }
    }
}

}  // namespace

void fit_laws(Analysis& analysis) {
    if (!analysis.plan.fit) {
        return;
    }
    const trial::Metric* metric = trial::find_metric(analysis.plan.fit->metric);
    const auto found = curves(analysis.plan);
    if (metric == nullptr || found.empty()) {
        warn(
            analysis.result,
            fmt::format(
                "no fit: {} is not swept over numbers, or {} is no metric",
                analysis.plan.fit->key,
                analysis.plan.fit->metric
            )
        );
        return;
    }
    for (const Curve& curve : found) {
        fit_curve(analysis, curve, *metric);
    }
    compare_with_reference(analysis);
}

}  // namespace gensink::experiment::detail
