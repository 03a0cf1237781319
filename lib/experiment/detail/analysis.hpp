// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/detail/table.hpp"
#include "experiment/experiment.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// The steps of `analyse`; each appends to `result`.
namespace gensink::experiment::detail {

struct Analysis {
    const plan::Plan& plan;
    const Table& table;
    ExperimentResult& result;
};

/// Adds a warning once.
void warn(ExperimentResult& result, std::string text);

/// Every metric over the counted trials of every cell and load kind.
void summarise_cells(Analysis& analysis);

/// Paired t intervals on per-round log ratios, simultaneous over arms and points.
void compare_paired(Analysis& analysis);

/// The same comparisons by netperf's rule: each arm's interval alone. GAIN or LOSS only where every
/// metric of every cell converged and the two intervals are disjoint; it can prove no equality.
void compare_netperf(Analysis& analysis);

/// Whether netperf's rule would stop after the trials in `table`.
[[nodiscard]] bool netperf_converged(const plan::Plan& plan, const Table& table);

void fit_laws(Analysis& analysis);

/// By rates at load max, paired with the best point's of each round.
void find_knees(Analysis& analysis);

/// Needs cells and verdict.
void check_expectations(Analysis& analysis);

/// Verdict and headline, from the comparisons of the first metric.
void conclude(Analysis& analysis);

/// Log gains of the pairs: > 0 is better for the arm.
struct Gains {
    std::vector<double> logs;
    double baseline_sum = 0;
    double arm_sum = 0;
    std::size_t undefined = 0;  ///< pairs for which the metric has no value
    std::size_t not_positive = 0;
};

[[nodiscard]] Gains gains_of(const trial::Metric& metric, const std::vector<Pair>& pairs);

/// A metric of an arm's cell against the baseline's.
struct Match {
    const trial::Metric* metric = nullptr;
    std::size_t baseline = 0;
    std::size_t arm = 0;
    trial::LoadKind kind{};
};

/// Every comparison that the plan asks for, metric-major.
[[nodiscard]] std::vector<Match> matches(const plan::Plan& plan);

/// A comparison with its labels alone.
[[nodiscard]] Comparison start_comparison(const plan::Plan& plan, const Match& match);

/// What forbids a verdict whatever the numbers say; empty text: nothing does.
struct Objection {
    Verdict verdict = Verdict::inconclusive;
    std::string text;
};

[[nodiscard]] Objection objection(const Analysis& analysis, const Match& match);

/// What moved the placebo moves the arms: their differences of that metric prove nothing there.
void spread_placebo(ExperimentResult& result);

}  // namespace gensink::experiment::detail
