// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/charts.hpp"
#include "report/format.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

/// Charts of what happened over time, within a trial and from trial to trial.
namespace gensink::report::detail {

namespace {

using counters::Histogram;
using counters::Latencies;

/// More lines than these make a chart of none.
constexpr std::size_t most_series = 12;

[[nodiscard]] std::string sample_name(const Page& page, const Sample& sample) {
    const CellSummary& cell = page.saved.plan.cells.at(sample.cell);
    const std::string point = point_text(cell.point);
    return (cell.placebo ? "placebo" : cell.arm) + (point.empty() ? "" : ", " + point);
}

struct LatencyKind {
    const char* title;
    Histogram Latencies::*which;
};

constexpr std::array latency_kinds{
    LatencyKind{"Latency of frames, from sending to the ACK", &Latencies::frame},
    LatencyKind{"Latency of frames, from the intended time to the ACK", &Latencies::frame_intended},
    LatencyKind{"Latency of blocks, from sending to the last ACK", &Latencies::block},
    LatencyKind{
        "Latency of blocks, from the intended time to the last ACK", &Latencies::block_intended},
    LatencyKind{
        "Hold time: from a burst's first frame being due to its send call", &Latencies::hold},
};

/// Percentiles, on an axis of nines: 0 is the smallest, 1 is 90 %, 2 is 99 %; as far as the number
/// of values tells.
[[nodiscard]] ChartSeries percentiles(const Histogram& histogram, std::uint64_t hz) {
    ChartSeries series;
    series.line = true;
    const double last = std::min(5.0, std::log10(static_cast<double>(histogram.total())));
    constexpr int steps = 4;  // a nine
    const int end = static_cast<int>(std::lround(last * steps));
    for (int i = 0; i <= end; ++i) {
        const double nines = static_cast<double>(i) / steps;
        const double ratio = 1 - std::pow(10, -nines);
        const double us =
            static_cast<double>(histogram.quantile(ratio)) * 1e6 / static_cast<double>(hz);
        series.points.push_back({nines, us, {}, {}, fmt::format("p{:g}", ratio * 100)});
    }
    return series;
}

[[nodiscard]] ChartSeries line_of(const Page& page, const Sample& sample, const LatencyKind& kind) {
    Histogram all;
    std::uint64_t hz = 0;
    for (const trial::TrialResult* one : sample.trials) {
        if (one->counts.transport) {
            all.merge(one->counts.transport->latencies.*(kind.which));
            hz = one->counts.tsc_hz;
        }
    }
    if (hz == 0 || all.total() == 0) {
        return {};
    }
    ChartSeries series = percentiles(all, hz);
    series.name = sample_name(page, sample);
    return series;
}

/// Calls that moved frames, by how many; and all such calls.
struct Calls {
    counters::BurstCounts by_frames{};
    std::uint64_t all = 0;

    void add(const counters::BurstCounts& counts) {
        for (std::size_t i = 1; i < counts.size(); ++i) {
            by_frames.at(i) += counts.at(i);
            all += counts.at(i);
        }
    }
};

void add_calls(Chart& chart, const std::string& name, const Calls& calls) {
    if (calls.all == 0 || chart.series.size() >= most_series) {
        return;
    }
    ChartSeries series{name, false, false, {}};
    for (std::size_t i = 1; i < calls.by_frames.size(); ++i) {
        if (calls.by_frames.at(i) > 0) {
            series.points.push_back(
                {static_cast<double>(i),
                 100 * static_cast<double>(calls.by_frames.at(i)) / static_cast<double>(calls.all),
                 {},
                 {},
                 count(calls.by_frames.at(i)) + " calls"}
            );
        }
    }
    chart.series.push_back(std::move(series));
}

/// Of one end, over the sample's trials.
[[nodiscard]] Calls calls_of(const Sample& sample, bool gen) {
    Calls calls;
    for (const trial::TrialResult* one : sample.trials) {
        for (const auto& core : one->counts.gen) {
            calls.add(gen ? core.measured.burst_accepted : counters::BurstCounts{});
        }
        for (const auto& core : one->counts.sink) {
            calls.add(gen ? counters::BurstCounts{} : core.measured.burst_received);
        }
    }
    return calls;
}

void add_burst_chart(const Page& page, bool gen, std::vector<Chart>& charts) {
    if (page.samples.empty()) {
        return;
    }
    Chart chart;
    chart.title =
        gen ? "Bursts: frames accepted by a send call" : "Bursts: frames of a receive call";
    chart.x = {"frames a call", true, {}};
    chart.y = {"share of calls that moved frames, %", false, {}};
    const bool several = page.samples.front().kind != page.samples.back().kind;
    for (const Sample& sample : page.samples) {
        const std::string at = several ? " at " + load_text(sample.kind) : "";
        add_calls(chart, sample_name(page, sample).append(at), calls_of(sample, gen));
    }
    if (chart.series.empty()) {
        return;
    }
    chart.text = fmt::format(
        "How many frames each call that moved any did move, by cell{}.",
        chart.series.size() == most_series ? "; the first twelve" : ""
    );
    charts.push_back(std::move(chart));
}

/// "batched, block_size 128 B, load max"
[[nodiscard]] std::string trial_name(const Page& page, const trial::TrialResult& one) {
    const std::string point = point_text(page.saved.plan.cells.at(one.cell).point);
    return fmt::format(
        "{}{}{}, {}", one.arm, point.empty() ? "" : ", ", point, load_text(one.load_kind)
    );
}

}  // namespace

void add_latency_charts(const Page& page, std::vector<Chart>& charts) {
    for (const LatencyKind& kind : latency_kinds) {
        Chart chart;
        chart.title = kind.title;
        chart.x = {
            "percentile",
            false,
            {{0, "0"}, {1, "90"}, {2, "99"}, {3, "99.9"}, {4, "99.99"}, {5, "99.999"}}};
        chart.y = {"us", true, {}};
        for (const Sample& sample : page.samples) {
            ChartSeries series = line_of(page, sample, kind);
            if (!series.points.empty() && chart.series.size() < most_series) {
                chart.series.push_back(std::move(series));
            }
        }
        if (!chart.series.empty()) {
            chart.text = fmt::format(
                "Percentiles over all trials of a cell, {} lines{}; the 99th of {} is {} us.",
                chart.series.size(),
                chart.series.size() == most_series ? " (the first)" : "",
                chart.series.front().name,
                number(chart.series.front()
                           .points
                           .at(std::min<std::size_t>(8, chart.series.front().points.size() - 1))
                           .y)
            );
            charts.push_back(std::move(chart));
        }
    }
}

void add_burst_charts(const Page& page, std::vector<Chart>& charts) {
    add_burst_chart(page, true, charts);
    add_burst_chart(page, false, charts);
}

void add_timeline(const Page& page, std::vector<Chart>& charts) {
    Chart chart;
    chart.title = "Timeline: what arrived, trial by trial";
    chart.x = {"trial, in the order of the run", false, {}};
    chart.y = {"payload at the sink, bit/s", false, {}};
    const trial::Metric* metric = trial::find_metric("rx.bps_payload");
    const auto& trials = page.saved.result.trials;
    if (std::ranges::none_of(trials, [&](const auto& one) {
            return metric->value(one).has_value();
        })) {
        metric = trial::find_metric("tx.fps");
        chart.y.label = "offered, frame/s";
    }
    ChartSeries counted{"ran undisturbed", false, false, {}};
    ChartSeries disturbed{"disturbed, invalid or cut short", false, false, {}};
    double place = 0;
    for (const trial::TrialResult& one : trials) {
        place += 1;
        ChartSeries& series = one.complete && one.valid() ? counted : disturbed;
        if (const auto value = metric->value(one)) {
            series.points.push_back({place, *value, {}, {}, trial_name(page, one)});
        }
    }
    if (counted.points.empty() && disturbed.points.empty()) {
        return;
    }
    chart.text = fmt::format(
        "{} trials ran undisturbed, {} did not.", counted.points.size(), disturbed.points.size()
    );
    for (ChartSeries* series : {&counted, &disturbed}) {
        if (!series->points.empty()) {
            chart.series.push_back(std::move(*series));
        }
    }
    charts.push_back(std::move(chart));
}

}  // namespace gensink::report::detail
