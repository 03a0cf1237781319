// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gensink::experiment::detail {

namespace {

using Compared = std::vector<const Comparison*>;

Compared deciding(const Analysis& analysis, bool placebo) {
    Compared found;
    for (const Comparison& comparison : analysis.result.comparisons) {
        if (comparison.placebo == placebo && comparison.metric == analysis.plan.metrics.front()) {
            found.push_back(&comparison);
        }
    }
    return found;
}

bool any(const Compared& compared, Verdict verdict) {
    return std::any_of(compared.begin(), compared.end(), [verdict](const Comparison* comparison) {
        return comparison->verdict == verdict;
    });
}

/// Worst first. Among conclusive points a harm anywhere outweighs a gain elsewhere, and a gain
/// somewhere without harm anywhere is a gain; the headline says which point is which.
Verdict overall(const Compared& arms, const Compared& placebos) {
    if (any(placebos, Verdict::invalid)) {
        return Verdict::invalid;
    }
    for (const Verdict verdict :
         {Verdict::invalid, Verdict::inconclusive, Verdict::loss, Verdict::gain}) {
        if (any(arms, verdict)) {
            return verdict;
        }
    }
    return Verdict::no_difference;
}

/// "4.21x better than", "12.3 % worse than".
std::string effect_text(double gain) {
    if (gain >= 1.0) {
        return fmt::format("{:.3g}x better than", 1.0 + gain);
    }
    return fmt::format("{:.3g} % {} than", 100.0 * std::abs(gain), gain < 0.0 ? "worse" : "better");
}

std::string inconclusive_text(const Analysis& analysis, const Comparison& comparison) {
    const std::string change =
        change_text(comparison.gain_ratio, comparison.interval, analysis.plan.stats.confidence);
    if (!comparison.interval) {
        return fmt::format("{}; an interval needs at least two rounds", change);
    }
    return fmt::format(
        "{} contains 0 and leaves the margin of +-{}; more rounds narrow it",
        change,
        percent(analysis.plan.compare->margin_ratio)
    );
}

/// What was found for one arm at one point, without its verdict's name.
std::string finding(const Analysis& analysis, const Comparison& comparison) {
    const std::string who = comparison.placebo ? "the placebo" : comparison.arm;
    const std::string& baseline = analysis.plan.compare->baseline;
    const std::string change =
        change_text(comparison.gain_ratio, comparison.interval, analysis.plan.stats.confidence);
    std::string text = fmt::format("{} of {}", comparison.metric, who);
    if (!comparison.refusal.empty()) {
        text += fmt::format("{}: {}", at_text(comparison.point), comparison.refusal);
        if (comparison.rounds > 0 && comparison.verdict == Verdict::inconclusive) {
            text += fmt::format(" (seen: {})", change);
        }
        return text;
    }
    switch (comparison.verdict) {
    case Verdict::gain:
    case Verdict::loss:
        text += fmt::format(" is {} {} ({})", effect_text(comparison.gain_ratio), baseline, change);
        break;
    case Verdict::no_difference:
        text += fmt::format(
            " is within +-{} of {} ({})",
            percent(analysis.plan.compare->margin_ratio),
            baseline,
            change
        );
        break;
    case Verdict::inconclusive:
        text += fmt::format(" against {}: {}", baseline, inconclusive_text(analysis, comparison));
        break;
    case Verdict::invalid:
        text += fmt::format(
            " (the baseline under another label) moved by {}, beyond the margin of {}: order or "
            "label changes the result here",
            change,
            percent(analysis.plan.compare->margin_ratio)
        );
        break;
    }
    return text + at_text(comparison.point);
}

/// Findings of one verdict, joined.
std::string findings(const Analysis& analysis, const Compared& compared, Verdict verdict) {
    std::string text;
    for (const Comparison* comparison : compared) {
        if (comparison->verdict == verdict) {
            text += (text.empty() ? "" : "; ") + finding(analysis, *comparison);
        }
    }
    return text;
}

/// The deciding verdict's findings first, then what differs elsewhere.
std::string sentence(const Analysis& analysis, const Compared& arms, Verdict verdict) {
    std::string text = fmt::format("{}: {}", name(verdict), findings(analysis, arms, verdict));
    for (const Verdict other :
         {Verdict::inconclusive, Verdict::loss, Verdict::gain, Verdict::no_difference}) {
        if (other != verdict && any(arms, other)) {
            text += fmt::format(". {}: {}", name(other), findings(analysis, arms, other));
        }
    }
    return text;
}

bool cell_invalid(const Analysis& analysis, std::string& why) {
    for (const trial::TrialResult& trial : analysis.result.trials) {
        if (trial.round > 0 && standing(trial) == Standing::invalid) {
            const plan::Cell& cell = analysis.plan.cells[trial.cell];
            why = fmt::format(
                "{}{}, round {}: {}",
                label(cell),
                at_text(cell.point),
                trial.round,
                why_invalid(trial)
            );
            return true;
        }
    }
    return false;
}

void conclude_without_comparison(Analysis& analysis) {
    ExperimentResult& result = analysis.result;
    std::string why;
    if (cell_invalid(analysis, why)) {
        result.verdict = Verdict::invalid;
        result.headline = fmt::format("{}: {}", name(result.verdict), why);
        return;
    }
    const bool any_counts = std::ranges::any_of(result.trials, [](const trial::TrialResult& trial) {
        return trial.valid();
    });
    if (!any_counts && !result.trials.empty()) {
        result.verdict = Verdict::invalid;
        result.headline =
            fmt::format("{}: no trial counts; each has a reason below", name(result.verdict));
        return;
    }
    result.verdict = Verdict::inconclusive;
    if (!result.knees.empty()) {
        result.headline.clear();
        for (const Knee& knee : result.knees) {
            result.headline += (result.headline.empty() ? "" : "\n") + describe(knee);
        }
        return;
    }
    result.headline = fmt::format(
        "measured {} cell{} in {} round{}; nothing was compared",
        analysis.plan.cells.size(),
        analysis.plan.cells.size() == 1 ? "" : "s",
        result.rounds_counted,
        result.rounds_counted == 1 ? "" : "s"
    );
}

}  // namespace

void conclude(Analysis& analysis) {
    ExperimentResult& result = analysis.result;
    result.has_verdict = false;
    if (analysis.plan.compare && !analysis.plan.metrics.empty()) {
        const Compared arms = deciding(analysis, false);
        const Compared placebos = deciding(analysis, true);
        if (!arms.empty()) {
            result.has_verdict = true;
            result.verdict = overall(arms, placebos);
            const bool moved = any(placebos, Verdict::invalid);
            result.headline = moved ? fmt::format(
                                          "{}: {}",
                                          name(result.verdict),
                                          findings(analysis, placebos, Verdict::invalid)
                                      )
                                    : sentence(analysis, arms, result.verdict);
            return;
        }
    }
    conclude_without_comparison(analysis);
}

}  // namespace gensink::experiment::detail
