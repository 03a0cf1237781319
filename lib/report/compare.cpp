// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare.hpp"

#include "report/detail/match.hpp"
#include "report/detail/page.hpp"
#include "report/detail/selection.hpp"
#include "report/format.hpp"
#include "stats/decision.hpp"
#include "stats/interval.hpp"
#include "stats/quantile.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gensink::report {

namespace {

using detail::CellMatch;
using detail::Sample;
using experiment::Verdict;
using trial::LoadKind;

/// One side of a comparison: the result and its samples.
struct Side {
    const char* name;
    const Saved& saved;
    std::vector<Sample> samples;
};

[[nodiscard]] const Sample* find_sample(const Side& side, std::size_t cell, LoadKind kind) {
    const auto found = std::ranges::find_if(side.samples, [&](const Sample& sample) {
        return sample.cell == cell && sample.kind == kind && sample.counted;
    });
    return found == side.samples.end() ? nullptr : &*found;
}

/// Costs are compared at equal load and all else at max, where both have such trials.
[[nodiscard]] std::optional<LoadKind>
common_kind(const Side& a, const Side& b, const CellMatch& match, trial::MetricKind metric) {
    std::array order{LoadKind::max, LoadKind::as_planned, LoadKind::cost};
    if (metric == trial::MetricKind::cost) {
        order = {LoadKind::cost, LoadKind::as_planned, LoadKind::max};
    }
    for (const LoadKind kind : order) {
        if (find_sample(a, match.a, kind) != nullptr && find_sample(b, match.b, kind) != nullptr) {
            return kind;
        }
    }
    return std::nullopt;
}

[[nodiscard]] std::vector<double> values_of(const Sample& sample, const trial::Metric& metric) {
    std::vector<double> values;
    for (const trial::TrialResult* one : sample.trials) {
        if (const std::optional<double> value = metric.value(*one)) {
            values.push_back(*value);
        }
    }
    return values;
}

/// Why the trials behind a side forbid a verdict; empty where they do not.
[[nodiscard]] std::string objection(const Side& side, const Sample& sample, CellComparison& cell) {
    if (sample.invalid > 0) {
        cell.verdict = Verdict::invalid;
        return fmt::format(
            "{} of the {} trials of {} are invalid", sample.invalid, sample.trials.size(), side.name
        );
    }
    const trial::Metric* metric = trial::find_metric(cell.metric);
    const bool rate = metric != nullptr && metric->kind == trial::MetricKind::rate;
    for (const trial::TrialResult* one : sample.trials) {
        for (const trial::Reason& reason : one->reasons) {
            const bool levelled = reason.code == trial::ReasonCode::sink_limit ||
                                  reason.code == trial::ReasonCode::generator_limit;
            if (rate && sample.kind == LoadKind::max && levelled) {
                return fmt::format(
                    "saturated cells of a refusing wire report cost, not a throughput gain ({}: "
                    "{})",
                    side.name,
                    reason.message
                );
            }
        }
    }
    return {};
}

[[nodiscard]] Verdict verdict_of(const CellComparison& cell, double margin) {
    const std::optional<stats::Interval> interval =
        cell.interval ? std::optional(stats::Interval{cell.interval->low, cell.interval->high})
                      : std::nullopt;
    switch (stats::decide(interval, margin)) {
    case stats::Decision::gain:
        return Verdict::gain;
    case stats::Decision::loss:
        return Verdict::loss;
    case stats::Decision::no_difference:
        return Verdict::no_difference;
    default:
        return Verdict::inconclusive;
    }
}

void fill_numbers(
    const trial::Metric& metric,
    const std::vector<double>& a,
    const std::vector<double>& b,
    double confidence,
    CellComparison& cell
) {
    cell.trials_a = a.size();
    cell.trials_b = b.size();
    // Where less is better the samples change places, and the ratio is the gain.
    const bool more = metric.better == plan::Better::higher;
    const auto change = stats::welch(more ? a : b, more ? b : a, confidence);
    if (change) {
        cell.gain_ratio = change->ratio;
        if (change->interval) {
            cell.interval = experiment::Interval{change->interval->low, change->interval->high};
        }
    } else if (cell.refusal.empty()) {
        cell.refusal = a.empty() || b.empty() ? "the metric has no value in these trials"
                                              : "a value is 0: a ratio is undefined";
    }
}

[[nodiscard]] CellComparison compare_cell(
    const Side& a,
    const Side& b,
    const CellMatch& match,
    const trial::Metric& metric,
    const CompareOptions& options
) {
    CellComparison cell;
    cell.metric = metric.name;
    cell.arm = match.arm;
    cell.point = a.saved.plan.cells.at(match.a).point;
    const std::optional<LoadKind> kind = common_kind(a, b, match, metric.kind);
    if (!kind) {
        cell.refusal = "no trial counts at a load that both have";
        cell.verdict = Verdict::invalid;
        return cell;
    }
    cell.load_kind = *kind;
    const Sample& left = *find_sample(a, match.a, *kind);
    const Sample& right = *find_sample(b, match.b, *kind);
    cell.mean_a = detail::mean(left, metric.name);
    cell.mean_b = detail::mean(right, metric.name);
    cell.refusal = objection(a, left, cell);
    if (cell.refusal.empty()) {
        cell.refusal = objection(b, right, cell);
    }
    fill_numbers(
        metric, values_of(left, metric), values_of(right, metric), options.confidence, cell
    );
    if (cell.refusal.empty()) {
        cell.verdict = verdict_of(cell, options.margin_ratio);
    }
    return cell;
}

[[nodiscard]] std::vector<std::string> common_metrics(const Saved& a, const Saved& b) {
    std::vector<std::string> metrics = a.plan.metrics;
    for (const std::string& metric : b.plan.metrics) {
        if (std::ranges::find(metrics, metric) == metrics.end()) {
            metrics.push_back(metric);
        }
    }
    std::erase_if(metrics, [](const std::string& name) {
        return trial::find_metric(name) == nullptr;
    });
    return metrics;
}

[[nodiscard]] bool any_valid(const Saved& saved) {
    return std::ranges::any_of(saved.result.trials, [](const trial::TrialResult& trial) {
        return trial.complete && trial.valid();
    });
}

[[nodiscard]] std::optional<double> cost_load(const Side& side, std::size_t cell) {
    const Sample* sample = find_sample(side, cell, LoadKind::cost);
    return sample != nullptr ? detail::mean_intended(*sample) : std::nullopt;
}

/// Each run finds its own load for cost trials; a large gap blurs what is compared.
void note_cost_loads(
    const Side& a,
    const Side& b,
    const std::vector<CellMatch>& matches,
    std::vector<std::string>& notes
) {
    constexpr double gap_ratio = 0.05;
    for (const CellMatch& match : matches) {
        const auto left = cost_load(a, match.a);
        const auto right = cost_load(b, match.b);
        if (left && right && std::fabs(*right / *left - 1.0) > gap_ratio) {
            notes.push_back(fmt::format(
                "cost was measured at different loads (A {}, B {}); set compare.cost_load in both "
                "profiles to compare at one",
                fps(left),
                fps(right)
            ));
            return;
        }
    }
}

/// Worst first, as within one result: a harm anywhere outweighs a gain elsewhere.
[[nodiscard]] Verdict overall(const std::vector<CellComparison>& cells, const std::string& metric) {
    for (const Verdict verdict :
         {Verdict::invalid, Verdict::inconclusive, Verdict::loss, Verdict::gain}) {
        if (std::ranges::any_of(cells, [&](const CellComparison& cell) {
                return cell.metric == metric && !cell.placebo && cell.verdict == verdict;
            })) {
            return verdict;
        }
    }
    return Verdict::no_difference;
}

[[nodiscard]] std::string
headline_of(const SavedComparison& comparison, const std::string& metric) {
    std::vector<std::string> parts;
    for (const CellComparison& cell : comparison.cells) {
        if (cell.metric != metric || cell.placebo || cell.verdict != comparison.verdict) {
            continue;
        }
        const std::string point = detail::point_text(cell.point);
        std::string part = cell.arm + (point.empty() ? "" : " at " + point);
        if (cell.gain_ratio) {
            part += " " + gain(cell.gain_ratio);
        }
        if (cell.interval) {
            part += fmt::format(" ({})", gain_range(cell.interval->low, cell.interval->high));
        }
        parts.push_back(std::move(part));
    }
    return fmt::format(
        "{}: {}, gain of B over A: {}",
        experiment::name(comparison.verdict),
        metric,
        join(parts, "; ")
    );
}

[[nodiscard]] tl::unexpected<Error> too_different(const std::vector<Difference>& differences) {
    std::vector<std::string> parts;
    parts.reserve(differences.size());
    for (const Difference& one : differences) {
        parts.push_back(fmt::format("{} ({} / {})", one.what, one.a, one.b));
    }
    return fail(
        ErrorKind::usage,
        fmt::format(
            "{} things differ, so a gain could come from any of them: {}; measure again with all "
            "but "
            "one equal, or say --force",
            differences.size(),
            join(parts, ", ")
        )
    );
}

[[nodiscard]] std::optional<double> mean_of(const std::vector<double>& values) {
    const auto mean = stats::mean_interval(values, CompareOptions{}.confidence);
    return mean ? std::optional(mean->mean) : std::nullopt;
}

[[nodiscard]] CellComparison compare_cell(
    const PublishedCell& a,
    const PublishedCell& b,
    const trial::Metric& metric,
    const CompareOptions& options
) {
    CellComparison cell;
    cell.metric = metric.name;
    cell.arm = a.arm;
    cell.point = a.point;
    cell.placebo = a.placebo;
    cell.mean_a = mean_of(a.values);
    cell.mean_b = mean_of(b.values);
    fill_numbers(metric, a.values, b.values, options.confidence, cell);
    if (cell.refusal.empty() && !cell.interval) {
        cell.refusal = "a single value on a side has no interval";
    }
    cell.verdict = verdict_of(cell, options.margin_ratio);
    return cell;
}

}  // namespace

Result<SavedComparison>
compare(const Published& a, const Published& b, const CompareOptions& options) {
    const trial::Metric* const metric = trial::find_metric(a.metric);
    if (metric == nullptr || a.metric != b.metric) {
        return fail(
            ErrorKind::usage,
            fmt::format(
                "the tables give '{}' and '{}'; both must give one metric that gensink knows",
                a.metric,
                b.metric
            )
        );
    }
    std::vector<std::pair<const PublishedCell*, const PublishedCell*>> pairs;
    for (const PublishedCell& cell : a.cells) {
        const auto other = std::ranges::find_if(b.cells, [&](const PublishedCell& one) {
            return one.arm == cell.arm && one.point == cell.point;
        });
        if (other != b.cells.end()) {
            pairs.emplace_back(&cell, &*other);
        }
    }
    if (pairs.empty()) {
        return fail(ErrorKind::usage, "the two tables have no arm and point in common");
    }
    CompareOptions each = options;
    each.confidence =
        stats::simultaneous_confidence(options.confidence, static_cast<unsigned>(pairs.size()));
    SavedComparison comparison;
    for (const auto& [left, right] : pairs) {
        comparison.cells.push_back(compare_cell(*left, *right, *metric, each));
    }
    comparison.verdict = overall(comparison.cells, a.metric);
    comparison.headline = headline_of(comparison, a.metric);
    return comparison;
}

Result<SavedComparison> compare(const Saved& a, const Saved& b, const CompareOptions& options) {
    for (const auto& [saved, name] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
        if (!any_valid(*saved)) {
            return fail(
                ErrorKind::measurement,
                fmt::format("{} has no valid trial to compare; its report says why", name),
                saved->plan.name
            );
        }
    }
    const std::vector<CellMatch> matches = detail::match_cells(a, b);
    const std::vector<std::string> metrics = common_metrics(a, b);
    if (matches.empty() || metrics.empty()) {
        return fail(
            ErrorKind::usage,
            "the two results have no arm and point in common; compare results of the same profile"
        );
    }
    SavedComparison comparison;
    comparison.differences = differences(a, b, options.keys);
    if (comparison.differences.size() > 1 && !options.force) {
        return too_different(comparison.differences);
    }
    const Side left{"A", a, detail::samples(a)};
    const Side right{"B", b, detail::samples(b)};
    CompareOptions each = options;
    each.confidence =
        stats::simultaneous_confidence(options.confidence, static_cast<unsigned>(matches.size()));
    for (const std::string& metric : metrics) {
        for (const CellMatch& match : matches) {
            comparison.cells.push_back(
                compare_cell(left, right, match, *trial::find_metric(metric), each)
            );
        }
    }
    if (a.run.id == b.run.id && !a.run.id.empty()) {
        comparison.notes.emplace_back("A and B are the same run");
    }
    note_cost_loads(left, right, matches, comparison.notes);
    comparison.verdict = overall(comparison.cells, metrics.front());
    comparison.headline = headline_of(comparison, metrics.front());
    return comparison;
}

}  // namespace gensink::report
