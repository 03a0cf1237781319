// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/curve.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/text.hpp"
#include "stats/interval.hpp"
#include "stats/quantile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace gensink::experiment::detail {

namespace {

using trial::LoadKind;
using trial::TrialResult;

/// A curve's points by rising burst.
Curve rising(Curve curve) {
    std::vector<std::size_t> order(curve.cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return curve.keys[i]; });
    Curve sorted{curve.arm, curve.others, {}, {}, {}};
    for (const std::size_t i : order) {
        sorted.cells.push_back(curve.cells[i]);
        sorted.keys.push_back(curve.keys[i]);
        sorted.texts.push_back(curve.texts[i]);
    }
    return sorted;
}

std::optional<double> mean_of(const TrialList& trials, const trial::Metric& metric) {
    std::vector<double> values;
    for (const TrialResult* trial : trials) {
        if (const auto value = metric.value(*trial)) {
            values.push_back(*value);
        }
    }
    const auto mean = stats::mean_interval(values, 0.99);
    return mean ? std::optional(mean->mean) : std::nullopt;
}

/// Only paced trials have hold times: those that measure cost at an equal load.
void fill_holds(const Analysis& analysis, std::size_t cell, Knee& knee, KneePoint& point) {
    const auto kind = load_kind(analysis.plan, analysis.plan.cells[cell], trial::MetricKind::cost);
    const TrialList trials = analysis.table.counted(cell, kind);
    point.hold_p50_us = mean_of(trials, *trial::find_metric("hold.p50_us"));
    point.hold_p99_us = mean_of(trials, *trial::find_metric("hold.p99_us"));
    if (!trials.empty() && !knee.hold_fps) {
        knee.hold_fps = trials.front()->intended_fps;
    }
}

KneeStanding standing_of(const KneePoint& point, double margin) {
    if (!point.interval) {
        return KneeStanding::undecided;
    }
    const double allowed = 1 - margin;
    if (point.interval->low > allowed) {
        return KneeStanding::within;
    }
    return point.interval->high < allowed ? KneeStanding::below : KneeStanding::undecided;
}

/// The point's rate over the best's, round by round.
void set_against_best(
    const TrialList& best,
    const TrialList& own,
    const trial::Metric& metric,
    Knee& knee,
    KneePoint& point
) {
    const Gains gains = gains_of(metric, pair_up(best, own).counted);
    const auto change = stats::change_of_logs(gains.logs, knee.confidence_ratio);
    knee.rounds = std::min(knee.rounds, gains.logs.size());
    if (!change) {
        return;
    }
    point.ratio = 1 + change->ratio;
    if (change->interval) {
        point.interval = Interval{1 + change->interval->low, 1 + change->interval->high};
    }
    point.standing = standing_of(point, knee.margin_ratio);
}

/// What forbids to read a knee off the rates; empty: nothing does.
std::string why_no_knee(const Analysis& analysis, const Curve& curve, LoadKind kind) {
    for (std::size_t i = 0; i < curve.cells.size(); ++i) {
        const TrialList trials = analysis.table.counted(curve.cells[i], kind);
        if (trials.empty()) {
            return fmt::format("no trial of {} {} counts", plan::knee_key, curve.texts[i]);
        }
        for (const TrialResult* trial : trials) {
            if (standing(*trial) == Standing::invalid) {
                return fmt::format(
                    "{} {}, round {}: {}",
                    plan::knee_key,
                    curve.texts[i],
                    trial->round,
                    why_invalid(*trial)
                );
            }
        }
    }
    return {};
}

/// The smallest bursts that are, and that could be, good enough. The best is, by its definition.
void decide_knee(Knee& knee) {
    const auto first = [&](auto fits) {
        const auto found = std::ranges::find_if(knee.points, fits, &KneePoint::standing);
        const auto index = static_cast<std::size_t>(found - knee.points.begin());
        return std::min(index, knee.best);
    };
    knee.proven = first([](KneeStanding standing) { return standing == KneeStanding::within; });
    knee.possible = first([](KneeStanding standing) { return standing != KneeStanding::below; });
}

Knee find_knee(const Analysis& analysis, const Curve& curve, double confidence) {
    const plan::KneePlan& asked = *analysis.plan.knee;
    const trial::Metric& metric = *trial::find_metric(asked.metric);
    const auto kind =
        load_kind(analysis.plan, analysis.plan.cells[curve.cells.front()], metric.kind);
    Knee knee;
    knee.arm = curve.arm;
    knee.metric = asked.metric;
    knee.point = curve.others;
    knee.margin_ratio = asked.margin_ratio;
    knee.confidence_ratio = confidence;
    for (std::size_t i = 0; i < curve.cells.size(); ++i) {
        KneePoint& point = knee.points.emplace_back();
        point.burst = curve.texts[i];
        point.mean = mean_of(analysis.table.counted(curve.cells[i], kind), metric);
        fill_holds(analysis, curve.cells[i], knee, point);
        if (point.mean.value_or(0) > knee.points[knee.best].mean.value_or(0)) {
            knee.best = i;
        }
    }
    const TrialList& best = analysis.table.all(curve.cells[knee.best], kind);
    knee.rounds = best.size();
    for (std::size_t i = 0; i < curve.cells.size(); ++i) {
        if (i != knee.best) {
            set_against_best(
                best, analysis.table.all(curve.cells[i], kind), metric, knee, knee.points[i]
            );
        }
    }
    knee.points[knee.best].standing = KneeStanding::within;
    decide_knee(knee);
    knee.refusal = why_no_knee(analysis, curve, kind);
    return knee;
}

/// "45.4 us (p50), 2701 us (p99)"; empty where too few calls were timed.
std::string held_text(const KneePoint& point) {
    if (!point.hold_p50_us || !point.hold_p99_us) {
        return {};
    }
    const auto us = [](double value) {
        return value < 100 ? fmt::format("{:.3g} us", value) : fmt::format("{:.0f} us", value);
    };
    return fmt::format("{} (p50), {} (p99)", us(*point.hold_p50_us), us(*point.hold_p99_us));
}

std::string hold_text(const Knee& knee) {
    const std::string held = held_text(knee.points[knee.proven]);
    const std::string at_best = held_text(knee.points[knee.best]);
    if (held.empty()) {
        return {};
    }
    std::string text = fmt::format("; there a frame is held {}", held);
    if (knee.proven != knee.best && !at_best.empty()) {
        text += fmt::format(", at {} {}", knee.points[knee.best].burst, at_best);
    }
    return knee.hold_fps ? text + fmt::format(", at {:.4g} kfps", *knee.hold_fps / 1e3) : text;
}

/// "97.2 % [96.1, 98.3] of the best".
std::string share_text(const KneePoint& point) {
    const std::string range =
        point.interval
            ? fmt::format(
                  " [{:.1f}, {:.1f}]", 100 * point.interval->low, 100 * point.interval->high
              )
            : "";
    return fmt::format("{:.1f} %{} of the best", 100 * point.ratio, range);
}

}  // namespace

void find_knees(Analysis& analysis) {
    if (!analysis.plan.knee) {
        return;
    }
    const auto found = curves(analysis.plan, plan::knee_key);
    unsigned intervals = 0;
    for (const Curve& curve : found) {
        intervals += static_cast<unsigned>(curve.cells.size()) - 1;
    }
    const double confidence =
        stats::simultaneous_confidence(analysis.plan.stats.confidence, intervals);
    for (const Curve& curve : found) {
        analysis.result.knees.push_back(find_knee(analysis, rising(curve), confidence));
    }
}

}  // namespace gensink::experiment::detail

namespace gensink::experiment {

std::string describe(const Knee& knee) {
    using detail::percent;
    const std::string what = fmt::format(
        "knee of {} over {} for {}{}",
        knee.metric,
        plan::knee_key,
        knee.arm,
        detail::at_text(knee.point)
    );
    if (!knee.refusal.empty()) {
        return fmt::format("{}: INVALID: {}", what, knee.refusal);
    }
    const KneePoint& proven = knee.points[knee.proven];
    const KneePoint& best = knee.points[knee.best];
    const std::string margin = percent(knee.margin_ratio);
    if (knee.possible != knee.proven) {
        return fmt::format(
            "{} lies between {} and {}: INCONCLUSIVE, as {} has {}, and the margin is {}; more "
            "rounds narrow it{}",
            what,
            knee.points[knee.possible].burst,
            proven.burst,
            knee.points[knee.possible].burst,
            detail::share_text(knee.points[knee.possible]),
            margin,
            detail::hold_text(knee)
        );
    }
    if (knee.proven == knee.best) {
        return fmt::format(
            "{}: {}, the best itself: {}{}",
            what,
            best.burst,
            knee.best == 0 ? "no smaller one was swept"
                           : fmt::format("every smaller one is more than {} below it", margin),
            detail::hold_text(knee)
        );
    }
    return fmt::format(
        "{}: {}, with {} ({}), within {}{}",
        what,
        proven.burst,
        detail::share_text(proven),
        best.burst,
        margin,
        detail::hold_text(knee)
    );
}

}  // namespace gensink::experiment
