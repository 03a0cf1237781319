// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/names.hpp"
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

/// Sections on the closed loop: predictions, transfers, where the flows' time went, latencies.
namespace gensink::report::detail {

namespace {

using counters::Histogram;
using counters::Latencies;
using trial::LoadKind;

[[nodiscard]] bool is_closed(const Sample& sample) {
    return std::ranges::any_of(sample.trials, [](const trial::TrialResult* one) {
        return one->counts.transport.has_value();
    });
}

/// An open loop may have hold times, and has no flows that are acknowledged.
[[nodiscard]] bool has_flows(const Sample& sample) {
    return std::ranges::any_of(sample.trials, [](const trial::TrialResult* one) {
        return one->counts.transport && !one->counts.transport->flows.empty();
    });
}

/// The samples of a kind of load that have a closed loop.
[[nodiscard]] std::vector<const Sample*> closed_samples(const Page& page, LoadKind kind) {
    std::vector<const Sample*> found;
    for (const Sample& sample : page.samples) {
        if (sample.kind == kind && is_closed(sample)) {
            found.push_back(&sample);
        }
    }
    return found;
}

[[nodiscard]] std::vector<CellText> keys_of(const Page& page, const Sample& sample) {
    return key_values(page, page.saved.plan.cells.at(sample.cell));
}

/// Means over the trials, each as its unit is written.
void add_means(
    const Sample& sample, std::initializer_list<const char*> metrics, std::vector<CellText>& row
) {
    for (const char* metric : metrics) {
        row.emplace_back(value_text(metric, mean(sample, metric)));
    }
}

/// Of all trials together: a mean would hide what one of them was.
[[nodiscard]] std::string timeouts_of(const Sample& sample) {
    std::uint64_t sum = 0;
    for (const trial::TrialResult* one : sample.trials) {
        for (const auto& core : one->counts.gen) {
            sum += core.measured.transport.timeouts;
        }
    }
    return count(sum);
}

void add_transfer_table(Page& page, const std::vector<const Sample*>& samples, LoadKind kind) {
    page.title(
        fmt::format("Transfers at {} (the application's bytes, acknowledged)", load_text(kind))
    );
    Table table(
        key_titles(page),
        {{"", {"payload", "KiB/s"}},
         {"a flow", {"blocks/s", "outstanding"}},
         {"ACK:data", {"ratio"}},
         {"", {"sent again", "timeouts"}},
         {"", {"seconds"}}}
    );
    for (const Sample* sample : samples) {
        std::vector<CellText> row = keys_of(page, *sample);
        add_means(
            *sample,
            {"transfer.bps_payload",
             "transfer.kib_per_s",
             "transfer.blocks_per_s",
             "transfer.outstanding_max"},
            row
        );
        row.emplace_back(number(mean(*sample, "transfer.acks_per_frame")));
        add_means(*sample, {"transfer.retransmit_ratio"}, row);
        row.emplace_back(timeouts_of(*sample));
        add_means(*sample, {"transfer.seconds"}, row);
        table.add(std::move(row));
    }
    page.table(table);
}

[[nodiscard]] std::string rule_of(const Sample& sample) {
    const stats::OutlierRule& rule = sample.trials.front()->outliers;
    const std::string name = outlier_names.at(static_cast<std::size_t>(rule.kind));
    const bool counted =
        rule.kind == stats::OutlierKind::trim_high || rule.kind == stats::OutlierKind::trim_both;
    return counted ? fmt::format("{} {}", name, rule.trim) : name;
}

/// Raw and kept means side by side: what a rule leaves out is never hidden.
void add_object_table(Page& page, const std::vector<const Sample*>& samples, LoadKind kind) {
    const auto fetches = [](const Sample* sample) {
        return mean(*sample, "transfer.object_raw_ms").has_value();
    };
    if (std::ranges::none_of(samples, fetches)) {
        return;
    }
    page.title(fmt::format("Objects fetched one by one at {} (ms)", load_text(kind)));
    Table table(
        key_titles(page),
        {{"mean", {"raw", "kept"}},
         {"", {"outliers"}, true},
         {"", {"median", "p99", "max", "timeouts"}}}
    );
    for (const Sample* sample : samples) {
        if (!fetches(sample)) {
            continue;
        }
        std::vector<CellText> row = keys_of(page, *sample);
        add_means(*sample, {"transfer.object_raw_ms", "transfer.object_ms"}, row);
        row.emplace_back(rule_of(*sample));
        add_means(
            *sample,
            {"transfer.object_median_ms", "transfer.object_p99_ms", "transfer.object_max_ms"},
            row
        );
        row.emplace_back(timeouts_of(*sample));
        table.add(std::move(row));
    }
    page.table(table);
}

void add_time_table(Page& page, const std::vector<const Sample*>& samples, LoadKind kind) {
    page.title(fmt::format("Where the flows' time went at {}", load_text(kind)));
    Table table(
        key_titles(page),
        {{"share of time", {"window", "ack timer", "ring", "pacing", "pool", "cpu", "sum"}}}
    );
    for (const Sample* sample : samples) {
        std::vector<CellText> row = keys_of(page, *sample);
        std::optional<double> sum;
        for (const char* cause : flow_cause_names) {
            const auto share = mean(*sample, fmt::format("transfer.{}_ratio", cause));
            row.emplace_back(percent(share));
            if (share) {
                sum = sum.value_or(0) + *share;
            }
        }
        row.emplace_back(percent(sum));
        table.add(std::move(row));
    }
    page.table(table);
}

struct LatencyRow {
    const char* what;
    Histogram Latencies::*which;
};

constexpr std::array latency_rows{
    LatencyRow{"frame", &Latencies::frame},
    LatencyRow{"frame, intended", &Latencies::frame_intended},
    LatencyRow{"block", &Latencies::block},
    LatencyRow{"block, intended", &Latencies::block_intended},
    LatencyRow{"hold", &Latencies::hold},
};

/// All trials of a cell in one histogram.
[[nodiscard]] Histogram merged(const Sample& sample, Histogram Latencies::*which) {
    Histogram all;
    for (const trial::TrialResult* one : sample.trials) {
        if (one->counts.transport) {
            all.merge(one->counts.transport->latencies.*which);
        }
    }
    return all;
}

void add_latency_table(Page& page, const std::vector<const Sample*>& samples, LoadKind kind) {
    std::vector<std::string> keys = key_titles(page);
    keys.emplace_back("of");
    Table table(std::move(keys), {{"us", {"p50", "p90", "p99", "p99.9", "max"}}});
    bool answered = false;
    for (const Sample* sample : samples) {
        const double hz = static_cast<double>(sample->trials.front()->counts.tsc_hz);
        for (const LatencyRow& one : latency_rows) {
            const Histogram all = merged(*sample, one.which);
            if (all.total() == 0 || hz == 0) {
                continue;
            }
            answered = answered || one.which != &Latencies::hold;
            std::vector<CellText> row = keys_of(page, *sample);
            row.emplace_back(one.what);
            for (const auto& quantile : quantile_keys) {
                row.emplace_back(
                    number(static_cast<double>(all.quantile(quantile.second)) * 1e6 / hz)
                );
            }
            row.emplace_back(number(static_cast<double>(all.largest()) * 1e6 / hz));
            table.add(std::move(row));
        }
    }
    if (table.empty()) {
        return;
    }
    constexpr const char* answers =
        "to the ACK, from sending and from the intended time; hold: of a burst";
    page.title(
        answered ? fmt::format("Latency at {}: {}", load_text(kind), answers)
                 : fmt::format(
                       "Hold time at {}: from a burst's first frame being due to its send call",
                       load_text(kind)
                   )
    );
    page.table(table);
}

/// A value with its unit: the column has several metrics.
[[nodiscard]] std::string with_unit(const std::string& metric, std::optional<double> value) {
    const trial::Metric* found = trial::find_metric(metric);
    const std::string text = value_text(metric, value);
    const bool bare = found != nullptr && found->unit != "fps" && found->unit != "bit/s";
    return value && bare ? fmt::format("{} {}", text, found->unit) : text;
}

}  // namespace

void add_predictions(Page& page) {
    const auto& predictions = page.saved.result.predictions;
    if (predictions.empty()) {
        return;
    }
    page.title("Predicted beside measured");
    const bool several = std::ranges::any_of(predictions, [&](const auto& one) {
        return one.load_kind != predictions.front().load_kind;
    });
    std::vector<std::string> keys = key_titles(page);
    keys.emplace_back("at");  // left out where all of its rows are empty
    Table table(
        std::move(keys),
        {{"payload, or time of an object", {"predicted", "measured", "ratio"}},
         {"limit", {"predicted", "measured"}, true}}
    );
    for (const experiment::Prediction& one : predictions) {
        std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(one.cell));
        row.emplace_back(several ? load_text(one.load_kind) : "");
        row.emplace_back(with_unit(one.metric, one.predicted));
        row.emplace_back(with_unit(one.metric, one.measured));
        row.emplace_back(one.ratio ? fmt::format("{:.3f}", *one.ratio) : "-");
        row.emplace_back(one.predicted_limit.empty() ? "-" : one.predicted_limit);
        row.emplace_back(
            one.measured_limit,
            one.predicted_limit.empty() || one.predicted_limit == one.measured_limit ? Style::plain
                                                                                     : Style::doubt
        );
        table.add(std::move(row));
    }
    page.table(table);
}

void add_transfers(Page& page) {
    for (const LoadKind kind : shown_kinds) {
        const auto samples = closed_samples(page, kind);
        if (samples.empty()) {
            continue;
        }
        if (std::ranges::any_of(samples, [](const Sample* one) { return has_flows(*one); })) {
            add_transfer_table(page, samples, kind);
            add_object_table(page, samples, kind);
            add_time_table(page, samples, kind);
        }
        add_latency_table(page, samples, kind);
    }
}

/// Raw, kept, median and p99 of the profile's metrics, where trials may be left out.
void add_cells(Page& page) {
    const plan::Outliers& outliers = page.saved.plan.outliers;
    if (outliers.rule == plan::OutlierRule::none) {
        return;
    }
    for (const std::string& metric : page.saved.plan.metrics) {
        Table table(
            key_titles(page),
            {{"mean", {"raw", "kept"}}, {"", {"median", "p99", "min", "max", "trials"}}}
        );
        for (const experiment::CellStatistic& one : page.saved.result.cells) {
            if (one.metric != metric) {
                continue;
            }
            std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(one.cell));
            for (const double value :
                 {one.mean, one.trimmed_mean, one.median, one.p99, one.low, one.high}) {
                row.emplace_back(value_text(metric, value));
            }
            row.emplace_back(count(one.n));
            table.add(std::move(row));
        }
        if (!table.empty()) {
            page.title(fmt::format(
                "{} ({}) over trials, outliers {}",
                metric,
                unit_text(metric),
                outlier_names.at(static_cast<std::size_t>(outliers.rule))
            ));
            page.table(table);
        }
    }
}

}  // namespace gensink::report::detail
