// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/runner.hpp"
#include "experiment/detail/text.hpp"
#include "stats/quantile.hpp"
#include "stats/series.hpp"
#include "stats/welford.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gensink::experiment::detail {

namespace {

using plan::pilot_rounds;
constexpr unsigned min_rounds = plan::fewest_sized_rounds;
constexpr unsigned max_rounds = plan::most_sized_rounds;

/// Rounds that bring the widest interval of the first metric to the precision; above max_rounds
/// where those do not do. Absent where the pilot shows no deviation.
std::optional<unsigned>
rounds_needed(const plan::Plan& plan, const std::vector<trial::TrialResult>& pilot) {
    const Table table(plan.cells.size(), pilot);
    const double confidence =
        stats::simultaneous_confidence(plan.stats.confidence, simultaneous_comparisons(plan));
    // The interval lives on log ratios: +-2.5 % of the ratio is +-ln 1.025 of its log.
    const double half_width = std::log1p(*plan.stats.precision_ratio);
    std::optional<unsigned> needed;
    for (const Match& match : matches(plan)) {
        if (match.metric->name != plan.metrics.front() || plan.cells[match.arm].placebo) {
            continue;
        }
        const Pairs pairs =
            pair_up(table.all(match.baseline, match.kind), table.all(match.arm, match.kind));
        const Gains gains = gains_of(*match.metric, pairs.counted);
        if (gains.logs.size() < 2) {
            return std::nullopt;
        }
        const double deviation = stats::welford(gains.logs).deviation();
        const auto rounds = stats::rounds_for_precision(
            deviation, gains.logs.size(), half_width, confidence, max_rounds
        );
        needed = std::max(needed.value_or(0), rounds.value_or(max_rounds + 1));
    }
    return needed;
}

}  // namespace

void Runner::size_by_pilot() {
    if (stopped() || !plan_.has_pilot()) {
        return;
    }
    const trial::Metric* metric = trial::find_metric(plan_.metrics.front());
    if (metric == nullptr) {
        return;
    }
    std::vector<Slot> slots;
    std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(slots), [&](const Slot& slot) {
        return slot.kind == load_kind(plan_, plan_.cells[slot.cell], metric->kind);
    });
    total_ += pilot_rounds * static_cast<unsigned>(slots.size());
    std::vector<trial::TrialResult> pilot;
    for (unsigned i = 1; i <= pilot_rounds; ++i) {
        const std::size_t first = result_.trials.size();
        if (play(0, 0, slots) == RoundEnd::stopped) {
            return;
        }
        for (std::size_t t = first; t < result_.trials.size(); ++t) {
            pilot.push_back(result_.trials[t]);
            pilot.back().round = i;  // kept as round 0, looked at as a round of its own
        }
    }
    const auto needed = rounds_needed(plan_, pilot);
    if (!needed) {
        warn(
            result_,
            fmt::format("the pilot shows no deviation to size by; {} rounds as planned", rounds_)
        );
        return;
    }
    total_ -= rounds_ * static_cast<unsigned>(slots_.size());
    rounds_ = std::clamp(*needed, min_rounds, max_rounds);
    total_ += rounds_ * static_cast<unsigned>(slots_.size());
    if (*needed > max_rounds) {
        warn(
            result_,
            fmt::format(
                "a precision of +-{} needs more than {} rounds by the pilot; {} are run and the "
                "interval will be wider: lengthen run.measure or quiet the host",
                percent(*plan_.stats.precision_ratio),
                max_rounds,
                max_rounds
            )
        );
    }
}

}  // namespace gensink::experiment::detail
