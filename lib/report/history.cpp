// SPDX-License-Identifier: BSD-3-Clause
#include "report/history.hpp"

#include "report/detail/selection.hpp"
#include "report/format.hpp"
#include "stats/changes.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::report {

namespace {

using trial::LoadKind;

/// The load at which a metric is read, of those that the cell was run at.
[[nodiscard]] const detail::Sample* sample_for(
    const std::vector<detail::Sample>& samples, std::size_t cell, const trial::Metric& metric
) {
    const bool cost = metric.kind == trial::MetricKind::cost;
    const LoadKind unwanted = cost ? LoadKind::max : LoadKind::cost;
    const detail::Sample* found = nullptr;
    for (const detail::Sample& sample : samples) {
        if (sample.cell == cell && (found == nullptr || found->kind == unwanted)) {
            found = &sample;
        }
    }
    return found;
}

[[nodiscard]] std::vector<std::pair<std::string, std::string>> facts_of(const Saved& saved) {
    const RunInfo& run = saved.run;
    std::vector<std::pair<std::string, std::string>> facts = run.versions;
    facts.emplace_back("profile", saved.plan.profile_digest);
    facts.emplace_back("--set", join(saved.plan.overrides, " "));
    facts.emplace_back("CPU", run.host.cpu_model);
    facts.emplace_back("microcode", run.host.microcode);
    facts.emplace_back("kernel", run.host.kernel);
    facts.emplace_back("kernel options", run.host.kernel_options);
    facts.emplace_back("governor", run.host.governor);
    facts.emplace_back("host", run.host.hostname);
    return facts;
}

[[nodiscard]] std::string version_of(const RunInfo& run) {
    const auto found =
        std::ranges::find(run.versions, "gensink", &std::pair<std::string, std::string>::first);
    return found == run.versions.end() ? std::string() : found->second;
}

void fill_values(
    const detail::Sample& sample,
    const trial::Metric& metric,
    double confidence,
    HistoryEntry& entry
) {
    std::vector<double> values;
    values.reserve(sample.trials.size());
    for (const trial::TrialResult* one : sample.trials) {
        if (const std::optional<double> value = metric.value(*one)) {
            values.push_back(*value);
        }
    }
    const auto mean = stats::mean_interval(values, confidence);
    entry.trials = values.size();
    if (mean) {
        entry.mean = mean->mean;
        entry.interval = mean->interval;
    }
    if (sample.invalid > 0) {
        entry.refusal =
            fmt::format("{} of {} trials are invalid", sample.invalid, sample.trials.size());
    } else if (!sample.counted) {
        entry.refusal = "no trial counts";
    } else if (!mean) {
        entry.refusal = "the metric has no value";
    } else if (!(mean->mean > 0)) {
        entry.refusal = "0: a ratio is undefined";
    }
}

/// Marks the entries at which a level begins.
void mark_changes(HistorySeries& series, const HistoryOptions& options) {
    std::vector<double> values;
    std::vector<HistoryEntry*> counted;
    values.reserve(series.entries.size());
    counted.reserve(series.entries.size());
    for (HistoryEntry& entry : series.entries) {
        if (entry.refusal.empty() && entry.mean) {
            values.push_back(*entry.mean);
            counted.push_back(&entry);
        }
    }
    for (const stats::ChangePoint& point :
         stats::change_points(values, options.confidence, options.margin_ratio)) {
        counted.at(point.at)->change = point.change;
    }
}

}  // namespace

HistorySeries& History::series_of(const HistorySeries& like) {
    const auto found = std::ranges::find_if(series_, [&](const HistorySeries& one) {
        return one.profile == like.profile && one.metric == like.metric && one.arm == like.arm &&
               one.point == like.point && one.load_kind == like.load_kind;
    });
    return found != series_.end() ? *found : series_.emplace_back(like);
}

void History::add(const Saved& saved, const std::string& path) {
    if (!options_.profile.empty() && saved.plan.name != options_.profile) {
        return;
    }
    const std::string name = !options_.metric.empty()     ? options_.metric
                             : saved.plan.metrics.empty() ? std::string()
                                                          : saved.plan.metrics.front();
    const trial::Metric* metric = trial::find_metric(name);
    if (metric == nullptr) {
        return;
    }
    const std::vector<detail::Sample> samples = detail::samples(saved);
    for (std::size_t i = 0; i < saved.plan.cells.size(); ++i) {
        const CellSummary& cell = saved.plan.cells[i];
        const detail::Sample* sample = sample_for(samples, i, *metric);
        if (cell.placebo || sample == nullptr) {
            continue;
        }
        HistoryEntry entry;
        entry.started = saved.run.started;
        entry.path = path;
        entry.version = version_of(saved.run);
        entry.facts = facts_of(saved);
        fill_values(*sample, *metric, options_.confidence, entry);
        series_of({saved.plan.name, name, cell.arm, cell.point, sample->kind, {}}
        ).entries.push_back(std::move(entry));
    }
}

std::vector<HistorySeries> History::finish() && {
    for (HistorySeries& series : series_) {
        std::ranges::stable_sort(series.entries, {}, &HistoryEntry::started);
        mark_changes(series, options_);
    }
    return std::move(series_);
}

}  // namespace gensink::report
