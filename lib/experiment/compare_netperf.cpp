// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/text.hpp"
#include "stats/interval.hpp"
#include "stats/netperf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gensink::experiment::detail {

namespace {

namespace netperf = stats::netperf;

std::vector<double> values_of(const trial::Metric& metric, const TrialList& list) {
    std::vector<double> values;
    for (const trial::TrialResult* trial : list) {
        if (const auto value = metric.value(*trial)) {
            values.push_back(*value);
        }
    }
    return values;
}

/// netperf watches throughput, local and remote CPU; here the profile's metrics name what to watch.
std::vector<std::vector<double>> watched(const plan::Plan& plan, const Table& table) {
    std::vector<std::vector<double>> series;
    for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
        for (const std::string& name : plan.metrics) {
            if (const trial::Metric* metric = trial::find_metric(name)) {
                const auto kind = load_kind(plan, plan.cells[cell], metric->kind);
                const TrialList list = table.counted(cell, kind);
                auto values = values_of(*metric, list);
                if (!values.empty() || list.empty()) {  // a metric without value is not watched
                    series.push_back(std::move(values));
                }
            }
        }
    }
    return series;
}

std::string wide_text(
    const std::vector<double>& baseline,
    const std::vector<double>& arm,
    netperf::Level level,
    double limit
) {
    const auto width = [level](const std::vector<double>& values) {
        const auto ratio = netperf::width_ratio(values, level);
        return ratio ? percent(*ratio) : std::string("unknown");
    };
    return fmt::format(
        "netperf's rule: confidence not achieved after {} iterations; full width {} of the "
        "baseline, {} of the arm, {} asked of every metric and arm",
        std::min(baseline.size(), arm.size()),
        width(baseline),
        width(arm),
        percent(limit)
    );
}

void judge(
    Comparison& comparison, const Interval& baseline, const Interval& arm, plan::Better better
) {
    if (baseline.low <= arm.high && arm.low <= baseline.high) {
        comparison.refusal = "netperf's rule: the intervals of the two arms overlap";
        return;
    }
    if (comparison.placebo) {
        comparison.verdict = Verdict::invalid;
        return;
    }
    const bool higher = arm.low > baseline.high;
    comparison.verdict = higher == (better == plan::Better::higher) ? Verdict::gain : Verdict::loss;
}

Comparison
compare(const Analysis& analysis, const Match& match, std::optional<netperf::Level> level) {
    const plan::StatsPlan& asked = analysis.plan.stats;
    const auto baseline =
        values_of(*match.metric, analysis.table.counted(match.baseline, match.kind));
    const auto arm = values_of(*match.metric, analysis.table.counted(match.arm, match.kind));
    const auto baseline_mean = stats::mean_interval(baseline, asked.confidence);
    const auto arm_mean = stats::mean_interval(arm, asked.confidence);

    Comparison comparison = start_comparison(analysis.plan, match);
    Objection against = objection(analysis, match);
    if (baseline_mean && arm_mean && baseline_mean->mean > 0.0 && arm_mean->mean > 0.0) {
        const double ratio = arm_mean->mean / baseline_mean->mean;
        comparison.rounds = std::min(baseline.size(), arm.size());
        comparison.baseline_mean = baseline_mean->mean;
        comparison.arm_mean = arm_mean->mean;
        comparison.gain_ratio =
            match.metric->better == plan::Better::higher ? ratio - 1.0 : 1.0 / ratio - 1.0;
    } else if (against.text.empty()) {
        against.text = "no mean above 0 in both arms";
    }
    if (against.text.empty() && !level) {
        against.text = "netperf's rule has levels 95 and 99 only";
    }
    if (against.text.empty() && !netperf_converged(analysis.plan, analysis.table)) {
        against.text = wide_text(baseline, arm, *level, asked.netperf_width_ratio);
    }
    comparison.verdict = against.verdict;
    comparison.refusal = std::move(against.text);
    if (comparison.refusal.empty()) {
        judge(comparison, *baseline_mean->interval, *arm_mean->interval, match.metric->better);
    }
    return comparison;
}

}  // namespace

bool netperf_converged(const plan::Plan& plan, const Table& table) {
    const auto level = netperf::level(plan.stats.confidence);
    return level &&
           netperf::converged(watched(plan, table), *level, plan.stats.netperf_width_ratio);
}

void compare_netperf(Analysis& analysis) {
    const auto level = netperf::level(analysis.plan.stats.confidence);
    for (const Match& match : matches(analysis.plan)) {
        analysis.result.comparisons.push_back(compare(analysis, match, level));
    }
    spread_placebo(analysis.result);
    warn(
        analysis.result,
        "stats.rule netperf compares two intervals held side by side and stops as soon as they are "
        "narrow, so it covers less than its level says; the paired rule is the honest one"
    );
}

}  // namespace gensink::experiment::detail
