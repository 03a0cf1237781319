// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "stats/interval.hpp"
#include "stats/outliers.hpp"
#include "stats/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gensink::experiment::detail {

namespace {

using trial::LoadKind;

constexpr std::array round_kinds{LoadKind::as_planned, LoadKind::max, LoadKind::cost};

/// Without an undisturbed trial the disturbed ones are better than nothing, if it is said.
TrialList trials_to_show(Analysis& analysis, std::size_t cell, LoadKind kind) {
    TrialList list = analysis.table.counted(cell, kind);
    if (!list.empty()) {
        return list;
    }
    for (const trial::TrialResult* trial : analysis.table.all(cell, kind)) {
        if (trial->complete) {
            list.push_back(trial);
        }
    }
    if (!list.empty()) {
        const plan::Cell& shown = analysis.plan.cells[cell];
        warn(
            analysis.result,
            fmt::format(
                "{}{}: every trial was disturbed; its numbers come from disturbed trials",
                label(shown),
                at_text(shown.point)
            )
        );
    }
    return list;
}

std::optional<CellStatistic>
statistic(const trial::Metric& metric, const TrialList& list, const plan::StatsPlan& asked) {
    std::vector<double> values;
    values.reserve(list.size());
    for (const trial::TrialResult* trial : list) {
        if (const auto value = metric.value(*trial)) {
            values.push_back(*value);
        }
    }
    const auto mean = stats::mean_interval(values, asked.confidence);
    if (!mean) {
        return std::nullopt;
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return CellStatistic{
        .cell = list.front()->cell,
        .metric = std::string(metric.name),
        .n = mean->n,
        .mean = mean->mean,
        .trimmed_mean =
            stats::kept_mean(values, trial::outlier_rule(asked.outliers)).value_or(mean->mean),
        .median = stats::median(values).value_or(mean->mean),
        .p99 = stats::percentile(values, 0.99).value_or(*high),
        .low = *low,
        .high = *high,
        .interval = mean->interval,
        .load_kind = list.front()->load_kind,
    };
}

}  // namespace

void summarise_cells(Analysis& analysis) {
    for (std::size_t cell = 0; cell < analysis.plan.cells.size(); ++cell) {
        for (const LoadKind kind : round_kinds) {
            const TrialList list = trials_to_show(analysis, cell, kind);
            for (const trial::Metric& metric : trial::metrics()) {
                if (auto shown = statistic(metric, list, analysis.plan.stats)) {
                    analysis.result.cells.push_back(*std::move(shown));
                }
            }
        }
    }
}

}  // namespace gensink::experiment::detail
