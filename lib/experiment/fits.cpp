// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/curve.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/predict.hpp"
#include "experiment/detail/text.hpp"
#include "stats/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gensink::experiment::detail {

namespace {

/// Points of each round in which every cell of the curve has a counted trial.
std::vector<std::vector<stats::LawPoint>>
whole_rounds(const Analysis& analysis, const Curve& curve, const trial::Metric& metric) {
    const bool straight = analysis.plan.fit->law != plan::LawKind::inverse;
    std::map<unsigned, std::vector<stats::LawPoint>> rounds;
    for (std::size_t i = 0; i < curve.cells.size(); ++i) {
        const plan::Cell& cell = analysis.plan.cells[curve.cells[i]];
        const auto kind = load_kind(analysis.plan, cell, metric.kind);
        // A straight line over the key is the inverse law over its reciprocal.
        const double key = straight ? 1 / curve.keys[i] : curve.keys[i];
        for (const trial::TrialResult* trial : analysis.table.counted(curve.cells[i], kind)) {
            const auto value = metric.value(*trial);
            auto& points = rounds[trial->round];
            if (value && *value > 0.0 && points.size() == i) {
                points.push_back({.key = key, .cost = *value});
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

/// Takes off the curve what something other than the window limited, and says which.
std::vector<std::string>
leave_out(const Analysis& analysis, const trial::Metric& metric, Curve& curve) {
    std::vector<std::string> left_out;
    Curve kept{curve.arm, curve.others, {}, {}, {}};
    for (std::size_t i = 0; i < curve.cells.size(); ++i) {
        const plan::Cell& cell = analysis.plan.cells[curve.cells[i]];
        const auto kind = load_kind(analysis.plan, cell, metric.kind);
        const Prediction* found = prediction_of(analysis.result, curve.cells[i], kind);
        if (found != nullptr && found->measured_limit == limits::window) {
            kept.cells.push_back(curve.cells[i]);
            kept.keys.push_back(curve.keys[i]);
            kept.texts.push_back(curve.texts[i]);
            continue;
        }
        left_out.push_back(fmt::format(
            "{} ({})", curve.texts[i], found == nullptr ? "no limit known" : found->measured_limit
        ));
    }
    curve = std::move(kept);
    return left_out;
}

/// Bytes a second in one unit of the metric; absent where it is no rate of bytes.
std::optional<double> bytes_per_second(const trial::Metric& metric) {
    if (metric.unit == "bit/s") {
        return 1.0 / 8;
    }
    return metric.unit == "KiB/s" ? std::optional(1024.0) : std::nullopt;
}

/// metric = (key - offset) / rtt, out of metric = intercept + slope * key. False: no line rises.
bool to_affine(Fit& fit, double unit) {
    const double slope = fit.b * unit;
    if (!(slope > 0)) {
        return false;
    }
    fit.law = plan::LawKind::affine;
    const auto interval = fit.b_interval;
    const double offset = -fit.a / fit.b;
    fit.a = 1 / slope;
    fit.a_interval.reset();
    if (interval && interval->low > 0) {
        fit.a_interval = Interval{1 / (interval->high * unit), 1 / (interval->low * unit)};
    }
    fit.b = offset;
    fit.b_interval.reset();
    return true;
}

std::string law_text(const Fit& fit) {
    switch (fit.law) {
    case plan::LawKind::affine:
        return fmt::format("{} = ({} - offset) / RTT", fit.metric, fit.key);
    case plan::LawKind::linear:
        return fmt::format("{} = a + b * {}", fit.metric, fit.key);
    default:
        return fmt::format("{} = a + b / {}", fit.metric, fit.key);
    }
}

void warn_of_no_fit(Analysis& analysis, const Curve& curve, const trial::Metric& metric) {
    const bool affine = analysis.plan.fit->law == plan::LawKind::affine;
    warn(
        analysis.result,
        fmt::format(
            "no fit of {} for {}{}: it needs a round with two or more values of {}{}",
            metric.name,
            curve.arm,
            at_text(curve.others),
            analysis.plan.fit->key,
            affine ? " that the window limits, and a rate that rises with them" : ""
        )
    );
}

void fit_curve(Analysis& analysis, Curve curve, const trial::Metric& metric) {
    const bool affine = analysis.plan.fit->law == plan::LawKind::affine;
    const auto left_out = affine ? leave_out(analysis, metric, curve) : std::vector<std::string>{};
    const auto rounds = whole_rounds(analysis, curve, metric);
    const auto fitted = stats::fit_rounds(rounds, analysis.plan.stats.confidence);
    if (!fitted) {
        warn_of_no_fit(analysis, curve, metric);
        return;
    }
    Fit fit{
        .law = affine ? plan::LawKind::inverse : analysis.plan.fit->law,
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
        .left_out = left_out,
    };
    if (affine && !to_affine(fit, bytes_per_second(metric).value_or(1))) {
        warn_of_no_fit(analysis, curve, metric);
        return;
    }
    analysis.result.fits.push_back(fit);
    if (!fit.law_holds) {
        warn(
            analysis.result,
            fmt::format(
                "the law {} does not hold for {}{}: it misses a point by {}, more than {}; read "
                "the points, not the law's numbers",
                law_text(fit),
                curve.arm,
                at_text(curve.others),
                percent(fit.worst_misfit_ratio),
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
    const auto found = curves(analysis.plan, analysis.plan.fit->key);
    const bool affine = analysis.plan.fit->law == plan::LawKind::affine;
    if (affine && metric != nullptr && !bytes_per_second(*metric)) {
        warn(
            analysis.result,
            fmt::format("no fit: {} is no rate of bytes, as law affine needs", metric->name)
        );
        return;
    }
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
