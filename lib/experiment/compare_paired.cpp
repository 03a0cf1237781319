// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/outliers.hpp"
#include "experiment/detail/text.hpp"
#include "stats/decision.hpp"
#include "stats/interval.hpp"
#include "stats/quantile.hpp"
#include "stats/series.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::experiment::detail {

namespace {

Verdict as_verdict(stats::Decision decision) {
    switch (decision) {
    case stats::Decision::gain:
        return Verdict::gain;
    case stats::Decision::loss:
        return Verdict::loss;
    case stats::Decision::no_difference:
        return Verdict::no_difference;
    case stats::Decision::inconclusive:
        break;
    }
    return Verdict::inconclusive;
}

/// A placebo is cleared, moved, or neither; it gains nothing.
Verdict placebo_verdict(const std::optional<Interval>& interval, double margin) {
    switch (stats::placebo_lie(interval, margin)) {
    case stats::PlaceboLie::inside:
        return Verdict::no_difference;
    case stats::PlaceboLie::outside:
        return Verdict::invalid;
    case stats::PlaceboLie::straddles:
        break;
    }
    return Verdict::inconclusive;
}

/// Why the pairs allow no ratio; empty where they do.
std::string no_ratio_text(const Gains& gains, std::size_t pairs) {
    if (gains.not_positive > 0) {
        return fmt::format(
            "the value is 0 in {} of {} rounds: a ratio is undefined, see the cells",
            gains.not_positive,
            pairs
        );
    }
    if (!gains.logs.empty()) {
        return {};
    }
    return gains.undefined > 0 ? "the metric has no value in these trials"
                               : "no round counted: none was whole and undisturbed";
}

void fill_numbers(Comparison& comparison, const Gains& gains, double confidence) {
    const auto change = stats::change_of_logs(gains.logs, confidence);
    if (!change) {
        return;
    }
    const double n = static_cast<double>(change->n);
    comparison.rounds = change->n;
    comparison.gain_ratio = change->ratio;
    comparison.interval = change->interval;
    comparison.baseline_mean = gains.baseline_sum / n;
    comparison.arm_mean = gains.arm_sum / n;
    comparison.lag1_autocorrelation = stats::lag1_autocorrelation(gains.logs).value_or(0.0);
    if (change->interval) {
        comparison.smallest_margin_ratio = stats::smallest_margin(*change->interval);
    }
}

Verdict
verdict_of(bool placebo, const std::optional<Interval>& interval, const plan::ComparePlan& asked) {
    return placebo ? placebo_verdict(interval, asked.margin_ratio)
                   : as_verdict(stats::decide(interval, asked.margin_ratio));
}

/// What the comparison would say without outlier rules.
void fill_raw(
    Comparison& comparison,
    const trial::Metric& metric,
    const std::vector<Pair>& pairs,
    const plan::ComparePlan& asked,
    double confidence
) {
    const trial::Metric* raw = raw_metric(metric);
    const Gains gains = gains_of(raw == nullptr ? metric : *raw, pairs);
    if (const auto change = stats::change_of_logs(gains.logs, confidence)) {
        comparison.raw_gain_ratio = change->ratio;
        comparison.raw_verdict = verdict_of(comparison.placebo, change->interval, asked);
    }
}

/// A rule that cuts one tail alone may cut what the arms differ in.
void warn_of_changed_verdict(Analysis& analysis, const Comparison& comparison) {
    warn(
        analysis.result,
        fmt::format(
            "{} of {}{} is {} of what the outlier rule keeps, and {} ({}) of all: the rule cut one "
            "side only, and changes the verdict",
            comparison.metric,
            comparison.placebo ? "the placebo" : comparison.arm,
            at_text(comparison.point),
            name(comparison.verdict),
            name(*comparison.raw_verdict),
            signed_percent(*comparison.raw_gain_ratio)
        )
    );
}

Comparison compare(Analysis& analysis, const Match& match, double confidence) {
    const plan::ComparePlan& asked = *analysis.plan.compare;
    const Pairs pairs = pair_up(
        analysis.table.all(match.baseline, match.kind), analysis.table.all(match.arm, match.kind)
    );
    const KeptPairs kept =
        kept_pairs(*match.metric, pairs.counted, trial::outlier_rule(analysis.plan.stats.outliers));
    const Gains gains = gains_of(*match.metric, kept.pairs);
    Comparison comparison = start_comparison(analysis.plan, match);
    fill_numbers(comparison, gains, confidence);
    if (std::any_of(pairs.all.begin(), pairs.all.end(), [](const Pair& p) {
            return p.disturbed;
        })) {
        const Gains all = gains_of(*match.metric, pairs.all);
        if (const auto change = stats::change_of_logs(all.logs, confidence)) {
            comparison.gain_with_disturbed_ratio = change->ratio;
        }
    }
    Objection against = objection(analysis, match);
    if (against.text.empty()) {
        against.text = no_ratio_text(gains, pairs.counted.size());
    }
    if (!against.text.empty()) {
        comparison.verdict = against.verdict;
        comparison.refusal = std::move(against.text);
        return comparison;
    }
    comparison.verdict = verdict_of(comparison.placebo, comparison.interval, asked);
    const bool within = raw_metric(*match.metric) != nullptr;
    if (kept.pairs.size() != pairs.counted.size() || within) {
        fill_raw(comparison, *match.metric, pairs.counted, asked, confidence);
    }
    const bool one_sided = kept.one_sided() || (within && cuts_blocks_on_one_side(pairs.counted));
    if (one_sided && comparison.raw_verdict && *comparison.raw_verdict != comparison.verdict) {
        warn_of_changed_verdict(analysis, comparison);
    }
    return comparison;
}

void warn_of_autocorrelation(Analysis& analysis) {
    for (const std::string& metric : analysis.plan.metrics) {
        const Comparison* worst = nullptr;
        for (const Comparison& comparison : analysis.result.comparisons) {
            if (comparison.metric == metric &&
                comparison.lag1_autocorrelation > stats::autocorrelation_limit &&
                (worst == nullptr || comparison.lag1_autocorrelation > worst->lag1_autocorrelation
                )) {
                worst = &comparison;
            }
        }
        if (worst == nullptr) {
            continue;
        }
        warn(
            analysis.result,
            fmt::format(
                "{}: rounds depend on each other (lag-1 autocorrelation {:.2f} for {}{}), so its "
                "intervals may be too narrow; let the host settle, or run more rounds",
                metric,
                worst->lag1_autocorrelation,
                worst->placebo ? "placebo" : worst->arm,
                at_text(worst->point)
            )
        );
    }
}

void warn_of_placebo(Analysis& analysis) {
    const double margin = analysis.plan.compare->margin_ratio;
    for (const Comparison& comparison : analysis.result.comparisons) {
        if (!comparison.placebo || !comparison.interval || !comparison.refusal.empty() ||
            comparison.verdict == Verdict::no_difference) {
            continue;
        }
        const std::string change =
            change_text(comparison.gain_ratio, comparison.interval, analysis.plan.stats.confidence);
        warn(
            analysis.result,
            comparison.verdict == Verdict::invalid
                ? fmt::format(
                      "the placebo moved {}{} by {}, beyond the margin of {}: order or label "
                      "changes it here, so no difference of it can be believed",
                      comparison.metric,
                      at_text(comparison.point),
                      change,
                      percent(margin)
                  )
                : fmt::format(
                      "the placebo's {}{} ({}) reaches beyond the margin of {}: order and labels "
                      "could not be cleared at this margin; more rounds narrow it",
                      comparison.metric,
                      at_text(comparison.point),
                      change,
                      percent(margin)
                  )
        );
    }
}

}  // namespace

void compare_paired(Analysis& analysis) {
    const double confidence = stats::simultaneous_confidence(
        analysis.plan.stats.confidence, simultaneous_comparisons(analysis.plan)
    );
    for (const Match& match : matches(analysis.plan)) {
        analysis.result.comparisons.push_back(compare(analysis, match, confidence));
    }
    spread_placebo(analysis.result);
    warn_of_placebo(analysis);
    warn_of_autocorrelation(analysis);
}

}  // namespace gensink::experiment::detail
