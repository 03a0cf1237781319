// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <tuple>

namespace gensink::experiment::detail {

namespace {

using trial::LoadKind;
using trial::ReasonCode;
using trial::TrialResult;

std::string name_trial(const plan::Plan& plan, const TrialResult& trial) {
    const std::string arm = label(plan.cells[trial.cell]);
    return trial.round == 0 ? fmt::format("{}, calibration", arm)
                            : fmt::format("{}, round {}", arm, trial.round);
}

/// An invalid trial is never repeated away: one spoils its cell's comparisons.
std::string invalid_text(const Analysis& analysis, const Match& match) {
    for (const std::size_t cell : {match.baseline, match.arm}) {
        for (const TrialResult* trial : analysis.table.all(cell, match.kind)) {
            if (standing(*trial) == Standing::invalid) {
                return fmt::format(
                    "{}: {}", name_trial(analysis.plan, *trial), why_invalid(*trial)
                );
            }
        }
    }
    return {};
}

/// Cost trials cannot run where every calibration of the point failed.
std::string calibration_text(const Analysis& analysis, const Match& match) {
    if (match.kind != LoadKind::cost || !analysis.table.all(match.arm, match.kind).empty()) {
        return {};
    }
    for (const TrialResult& trial : analysis.result.trials) {
        const bool here = trial.cell == match.baseline || trial.cell == match.arm;
        if (here && trial.round == 0 && trial.load_kind == LoadKind::max &&
            standing(trial) == Standing::invalid) {
            return fmt::format(
                "no cost load was found ({}: {})",
                name_trial(analysis.plan, trial),
                why_invalid(trial)
            );
        }
    }
    return {};
}

/// What the frames pass, from one end to the other.
auto path_of(const plan::TrialPlan& trial) {
    const plan::KernelPlan kernel = trial.kernel.value_or(plan::KernelPlan{});
    const std::string sink = trial.sink ? trial.sink->device_written : std::string{};
    return std::tuple(trial.wire, trial.gen.device_written, sink, kernel.protocol, kernel.sender);
}

/// At max, a wire that refuses frames levels the arms: the sink's rate is all that is seen. Arms
/// that are different paths are compared by just that: what arrives over each.
std::string limit_text(const Analysis& analysis, const Match& match) {
    const auto path = [&](std::size_t cell) {
        return path_of(analysis.plan.cells[cell].trial);
    };
    if (match.metric->kind != trial::MetricKind::rate || match.kind != LoadKind::max ||
        path(match.baseline) != path(match.arm)) {
        return {};
    }
    for (const std::size_t cell : {match.baseline, match.arm}) {
        for (const TrialResult* trial : analysis.table.all(cell, match.kind)) {
            for (const auto& reason : trial->reasons) {
                if (reason.code == ReasonCode::sink_limit ||
                    reason.code == ReasonCode::generator_limit) {
                    return fmt::format(
                        "saturated cells of a refusing wire report cost, not a throughput gain "
                        "({}: {})",
                        name_trial(analysis.plan, *trial),
                        reason.message
                    );
                }
            }
        }
    }
    return {};
}

}  // namespace

std::vector<Match> matches(const plan::Plan& plan) {
    std::vector<Match> result;
    for (const std::string& name : plan.metrics) {
        const trial::Metric* metric = trial::find_metric(name);
        if (metric == nullptr) {
            continue;
        }
        for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
            if (const auto baseline = baseline_of(plan, cell)) {
                result.push_back({
                    .metric = metric,
                    .baseline = *baseline,
                    .arm = cell,
                    .kind = load_kind(plan, plan.cells[cell], metric->kind),
                });
            }
        }
    }
    return result;
}

Comparison start_comparison(const plan::Plan& plan, const Match& match) {
    Comparison comparison;
    comparison.metric = match.metric->name;
    comparison.arm = plan.cells[match.arm].arm;
    comparison.point = plan.cells[match.arm].point;
    comparison.placebo = plan.cells[match.arm].placebo;
    return comparison;
}

Objection objection(const Analysis& analysis, const Match& match) {
    if (std::string text = invalid_text(analysis, match); !text.empty()) {
        return {.verdict = Verdict::invalid, .text = std::move(text)};
    }
    if (std::string text = calibration_text(analysis, match); !text.empty()) {
        return {.verdict = Verdict::invalid, .text = std::move(text)};
    }
    return {.verdict = Verdict::inconclusive, .text = limit_text(analysis, match)};
}

Gains gains_of(const trial::Metric& metric, const std::vector<Pair>& pairs) {
    Gains gains;
    for (const Pair& pair : pairs) {
        const auto baseline = metric.value(*pair.baseline);
        const auto arm = metric.value(*pair.arm);
        if (!baseline || !arm) {
            ++gains.undefined;
            continue;
        }
        if (!(*baseline > 0.0 && *arm > 0.0)) {
            ++gains.not_positive;
            continue;
        }
        const double log_ratio = std::log(*arm / *baseline);
        gains.logs.push_back(metric.better == plan::Better::higher ? log_ratio : -log_ratio);
        gains.baseline_sum += *baseline;
        gains.arm_sum += *arm;
    }
    return gains;
}

void spread_placebo(ExperimentResult& result) {
    for (const Comparison& placebo : result.comparisons) {
        if (!placebo.placebo || placebo.verdict != Verdict::invalid) {
            continue;
        }
        for (Comparison& comparison : result.comparisons) {
            if (!comparison.placebo && comparison.refusal.empty() &&
                comparison.metric == placebo.metric && comparison.point == placebo.point) {
                comparison.verdict = Verdict::invalid;
                comparison.refusal = placebo.refusal.empty() ? "the placebo moved beyond the margin"
                                                             : "placebo: " + placebo.refusal;
            }
        }
    }
}

}  // namespace gensink::experiment::detail
