// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/outliers.hpp"

#include "experiment/detail/layout.hpp"
#include "experiment/detail/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace gensink::experiment::detail {

namespace {

/// A mean that a rule moves by less is not worth a warning.
constexpr double moved_ratio = 0.01;

/// What a rule does to one cell: values in the order of the pairs that have one.
stats::Kept kept_of(
    const trial::Metric& metric,
    const std::vector<Pair>& pairs,
    const trial::TrialResult* Pair::*side,
    const stats::OutlierRule& rule
) {
    std::vector<double> values;
    values.reserve(pairs.size());
    for (const Pair& pair : pairs) {
        const auto value = metric.value(*(pair.*side));
        if (!value) {
            // No rule for a metric that a trial lacks.
            return stats::Kept{std::vector<bool>(pairs.size(), true)};
        }
        values.push_back(*value);
    }
    return stats::keep(values, rule);
}

/// What the rule cut of the blocks of a trial, over all trials of a cell.
struct BlocksCut {
    std::size_t low = 0;
    std::size_t high = 0;
    std::uint64_t timeouts = 0;
};

BlocksCut blocks_cut(const TrialList& trials) {
    BlocksCut sum;
    for (const trial::TrialResult* trial : trials) {
        if (!trial->counts.transport) {
            continue;
        }
        const auto& ticks = trial->counts.transport->block_ticks;
        const std::vector<double> values(ticks.begin(), ticks.end());
        const stats::Kept kept = stats::keep(values, trial->outliers);
        sum.low += kept.cut_low;
        sum.high += kept.cut_high;
        for (const auto& core : trial->counts.gen) {
            sum.timeouts += core.measured.transport.timeouts;
        }
    }
    return sum;
}

std::optional<double> mean_of(
    const ExperimentResult& result, std::size_t cell, trial::LoadKind kind, const char* metric
) {
    const auto found = std::ranges::find_if(result.cells, [&](const CellStatistic& statistic) {
        return statistic.cell == cell && statistic.load_kind == kind && statistic.metric == metric;
    });
    return found == result.cells.end() ? std::nullopt : std::optional(found->mean);
}

}  // namespace

std::string rule_text(const stats::OutlierRule& rule) {
    switch (rule.kind) {
    case stats::OutlierKind::trim_high:
        return fmt::format("trim_high {}", rule.trim);
    case stats::OutlierKind::trim_both:
        return fmt::format("trim_both {}", rule.trim);
    case stats::OutlierKind::mad:
        return "mad";
    case stats::OutlierKind::none:
        break;
    }
    return "none";
}

KeptPairs kept_pairs(
    const trial::Metric& metric, const std::vector<Pair>& pairs, const stats::OutlierRule& rule
) {
    const stats::Kept baseline = kept_of(metric, pairs, &Pair::baseline, rule);
    const stats::Kept arm = kept_of(metric, pairs, &Pair::arm, rule);
    KeptPairs kept;
    kept.cut_low = baseline.cut_low + arm.cut_low;
    kept.cut_high = baseline.cut_high + arm.cut_high;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (baseline.keeps[i] && arm.keeps[i]) {
            kept.pairs.push_back(pairs[i]);
        }
    }
    return kept;
}

bool cuts_blocks_on_one_side(const std::vector<Pair>& pairs) {
    TrialList trials;
    for (const Pair& pair : pairs) {
        trials.push_back(pair.baseline);
        trials.push_back(pair.arm);
    }
    const BlocksCut cut = blocks_cut(trials);
    return (cut.low == 0) != (cut.high == 0);
}

const trial::Metric* raw_metric(const trial::Metric& metric) {
    return metric.name == "transfer.object_ms" ? trial::find_metric("transfer.object_raw_ms")
                                               : nullptr;
}

void warn_of_one_sided_blocks(Analysis& analysis) {
    std::string first;
    std::size_t cells = 0;
    for (std::size_t cell = 0; cell < analysis.plan.cells.size(); ++cell) {
        const plan::Cell& planned = analysis.plan.cells[cell];
        const auto kind = load_kind(analysis.plan, planned, trial::MetricKind::other);
        const TrialList trials = analysis.table.counted(cell, kind);
        const auto raw = mean_of(analysis.result, cell, kind, "transfer.object_raw_ms");
        const auto kept = mean_of(analysis.result, cell, kind, "transfer.object_ms");
        if (planned.placebo || trials.empty() || !raw || !kept ||
            !(std::abs(*raw / *kept - 1) > moved_ratio)) {
            continue;
        }
        const BlocksCut cut = blocks_cut(trials);
        if ((cut.low == 0) == (cut.high == 0)) {
            continue;
        }
        ++cells;
        if (first.empty()) {
            first = fmt::format(
                "{}{}: mean {:.4g} ms of what {} keeps, {:.4g} ms raw, {} timeouts in {} trials",
                label(planned),
                at_text(planned.point),
                *kept,
                rule_text(trials.front()->outliers),
                *raw,
                cut.timeouts,
                trials.size()
            );
        }
    }
    if (cells > 0) {
        warn(
            analysis.result,
            fmt::format(
                "the outlier rule cut one side only and moved the mean: {}{}; what it leaves out "
                "may be what the arms differ in, so read the raw mean and the timeouts",
                first,
                cells > 1 ? fmt::format(" (and {} more cells)", cells - 1) : ""
            )
        );
    }
}

}  // namespace gensink::experiment::detail
