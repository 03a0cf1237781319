// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/outliers.hpp"
#include "experiment/detail/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gensink::experiment {

namespace detail {

void warn(ExperimentResult& result, std::string text) {
    auto& warnings = result.warnings;
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
        warnings.push_back(std::move(text));
    }
}

namespace {

/// Rounds with an attempt in which every trial of the round is there, whole and undisturbed.
unsigned count_rounds(const plan::Plan& plan, const std::vector<trial::TrialResult>& trials) {
    const std::size_t whole = round_slots(plan).size();
    std::map<std::pair<unsigned, unsigned>, std::size_t> usable;
    for (const trial::TrialResult& trial : trials) {
        const Standing worth = standing(trial);
        if (trial.round > 0 && trial.complete &&
            (worth == Standing::good || worth == Standing::invalid)) {
            ++usable[{trial.round, trial.attempt}];
        }
    }
    std::set<unsigned> rounds;
    for (const auto& [place, count] : usable) {
        if (count == whole) {
            rounds.insert(place.first);
        }
    }
    return static_cast<unsigned>(rounds.size());
}

/// Disturbance that falls on one arm more than on another is a finding of its own.
void warn_of_disturbances(Analysis& analysis) {
    struct Tally {
        unsigned disturbed = 0;
        unsigned trials = 0;
    };

    std::map<std::string, Tally> arms;
    unsigned disturbed = 0;
    for (const trial::TrialResult& trial : analysis.result.trials) {
        if (trial.round == 0 || trial.cell >= analysis.plan.cells.size()) {
            continue;
        }
        Tally& tally = arms[label(analysis.plan.cells[trial.cell])];
        ++tally.trials;
        if (standing(trial) == Standing::disturbed) {
            ++tally.disturbed;
            ++disturbed;
        }
    }
    if (disturbed == 0) {
        return;
    }
    std::string counts;
    for (const auto& [arm, tally] : arms) {
        counts += fmt::format(
            "{}{} {} of {}", counts.empty() ? "" : ", ", arm, tally.disturbed, tally.trials
        );
    }
    warn(
        analysis.result,
        fmt::format(
            "disturbed trials by arm: {}; they do not count, and the gain with them is shown "
            "beside",
            counts
        )
    );
}

void warn_of_unknown_metrics(Analysis& analysis) {
    for (const std::string& metric : analysis.plan.metrics) {
        if (trial::find_metric(metric) == nullptr) {
            warn(
                analysis.result, fmt::format("{} is no metric; nothing was compared by it", metric)
            );
        }
    }
}

}  // namespace

}  // namespace detail

const char* name(Verdict verdict) {
    switch (verdict) {
    case Verdict::gain:
        return "GAIN";
    case Verdict::loss:
        return "LOSS";
    case Verdict::no_difference:
        return "NO DIFFERENCE";
    case Verdict::inconclusive:
        return "INCONCLUSIVE";
    case Verdict::invalid:
        break;
    }
    return "INVALID";
}

void analyse(const plan::Plan& plan, ExperimentResult& result) {
    result.cells.clear();
    result.comparisons.clear();
    result.fits.clear();
    result.knees.clear();
    result.predictions.clear();
    result.expectations.clear();
    detail::predict_trials(plan, result);
    const detail::Table table(plan.cells.size(), result.trials);
    detail::Analysis analysis{.plan = plan, .table = table, .result = result};
    result.rounds_counted = detail::count_rounds(plan, result.trials);
    detail::warn_of_unknown_metrics(analysis);
    detail::summarise_cells(analysis);
    detail::predict_cells(analysis);
    detail::warn_of_one_sided_blocks(analysis);
    if (plan.stats.rule == plan::Rule::netperf) {
        detail::compare_netperf(analysis);
    } else if (plan.compare) {
        detail::compare_paired(analysis);
    }
    detail::warn_of_disturbances(analysis);
    detail::fit_laws(analysis);
    detail::find_knees(analysis);
    detail::conclude(analysis);
    detail::check_expectations(analysis);
}

}  // namespace gensink::experiment
