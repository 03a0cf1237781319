// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/charts.hpp"

#include "report/format.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

/// Charts of what was compared, swept and tried.
namespace gensink::report::detail {

namespace {

using experiment::CellStatistic;
using experiment::Comparison;

constexpr std::size_t most_metrics = 4;
constexpr std::size_t most_said = 6;

[[nodiscard]] std::string cell_name(const CellSummary& cell) {
    const std::string point = point_text(cell.point);
    return (cell.placebo ? "placebo" : cell.arm) + (point.empty() ? "" : " at " + point);
}

/// The series of that name, made where it is missing.
[[nodiscard]] ChartSeries& series_of(Chart& chart, const std::string& name) {
    const auto found = std::ranges::find(chart.series, name, &ChartSeries::name);
    return found != chart.series.end() ? *found
                                       : chart.series.emplace_back(ChartSeries{name, {}, {}, {}});
}

void add_gain_chart(const Page& page, const std::string& metric, std::vector<Chart>& charts) {
    Chart chart;
    const std::string baseline = page.saved.plan.baseline.value_or("the baseline");
    chart.title = fmt::format("{}: gain over {}", metric, baseline);
    chart.y.label = "gain, %";
    std::vector<std::string> said;
    for (const Comparison& one : page.saved.result.comparisons) {
        if (one.metric != metric || one.rounds == 0) {
            continue;
        }
        const std::string point = point_text(one.point);
        const std::string arm = one.placebo ? "placebo" : one.arm;
        const std::string place = fmt::format("{}{}{}", arm, point.empty() ? "" : ", ", point);
        ChartPoint at{static_cast<double>(chart.x.ticks.size()), one.gain_ratio * 100, {}, {}, {}};
        if (one.interval) {
            at.low = one.interval->low * 100;
            at.high = one.interval->high * 100;
        }
        at.text = experiment::name(one.verdict);
        chart.x.ticks.emplace_back(at.x, place);
        said.push_back(fmt::format("{} {} ({})", place, gain(one.gain_ratio), at.text));
        series_of(chart, arm).points.push_back(std::move(at));
    }
    if (said.empty()) {
        return;
    }
    if (said.size() > most_said) {
        said.resize(most_said);
        said.emplace_back("more in the numbers below");
    }
    if (page.saved.plan.margin_ratio) {
        chart.band = *page.saved.plan.margin_ratio * 100;
    }
    chart.text = fmt::format(
        "Gains over {} with their {} intervals, simultaneous over the points; within the shaded "
        "margin "
        "there is no difference. {}.",
        baseline,
        percent(page.saved.plan.confidence),
        join(said, "; ")
    );
    charts.push_back(std::move(chart));
}

/// The load at which a metric is read of a cell.
[[nodiscard]] const CellStatistic*
statistic_of(const Page& page, std::size_t cell, const std::string& metric) {
    const trial::Metric* known = trial::find_metric(metric);
    const bool cost = known != nullptr && known->kind == trial::MetricKind::cost;
    const auto unwanted = cost ? trial::LoadKind::max : trial::LoadKind::cost;
    const CellStatistic* found = nullptr;
    for (const CellStatistic& one : page.saved.result.cells) {
        if (one.cell == cell && one.metric == metric &&
            (found == nullptr || found->load_kind == unwanted)) {
            found = &one;
        }
    }
    return found;
}

/// The cell's name within a sweep: its arm, and where else it lies.
[[nodiscard]] std::string line_name(const CellSummary& cell, const std::string& key) {
    std::string name = cell.placebo ? "placebo" : cell.arm;
    for (const auto& [other, value] : cell.point) {
        if (other != key) {
            name += fmt::format(", {} {}", short_key(other), value);
        }
    }
    return name;
}

void add_means(const Page& page, const std::string& key, const std::string& metric, Chart& chart) {
    const auto& cells = page.saved.plan.cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto x = number_of(value_at(cells[i].point, key));
        const CellStatistic* one = statistic_of(page, i, metric);
        if (!x || one == nullptr) {
            continue;
        }
        ChartSeries& series = series_of(chart, line_name(cells[i], key));
        series.line = true;
        ChartPoint point{*x, one->mean, {}, {}, value_at(cells[i].point, key)};
        if (one->interval) {
            point.low = one->interval->low;
            point.high = one->interval->high;
        }
        series.points.push_back(std::move(point));
    }
}

/// "batched: 22.5 + 0.35 * frame_size (does not hold)"
[[nodiscard]] std::string law_name(const experiment::Fit& fit, const std::string& key) {
    const std::string point = point_text(fit.point);
    return fmt::format(
        "{}{}{}: {} + {} {} {}{}",
        fit.arm,
        point.empty() ? "" : ", ",
        point,
        number(fit.a),
        number(fit.b),
        fit.law == plan::LawKind::inverse ? "/" : "*",
        short_key(key),
        fit.law_holds ? "" : " (does not hold)"
    );
}

/// A law's curve from one place to another, in steps that a reader cannot see.
[[nodiscard]] ChartSeries
curve_of(const experiment::Fit& fit, const std::string& key, double low, double high) {
    constexpr int steps = 64;
    ChartSeries curve{law_name(fit, key), true, true, {}};
    for (int i = 0; i <= steps; ++i) {
        const double x = low * std::pow(high / low, static_cast<double>(i) / steps);
        const double y = fit.law == plan::LawKind::inverse ? fit.a + fit.b / x : fit.a + fit.b * x;
        curve.points.push_back({x, y, {}, {}, {}});
    }
    return curve;
}

void add_fits(const Page& page, const std::string& key, const std::string& metric, Chart& chart) {
    const double low = chart.x.ticks.front().first;  // sorted, and above 0
    const double high = chart.x.ticks.back().first;
    for (const experiment::Fit& fit : page.saved.result.fits) {
        if (fit.key == key && fit.metric == metric && fit.law != plan::LawKind::affine) {
            chart.series.push_back(curve_of(fit, key, low, high));
        }
    }
}

void add_predictions(
    const Page& page, const std::string& key, const std::string& metric, Chart& chart
) {
    for (const experiment::Prediction& one : page.saved.result.predictions) {
        const CellSummary& cell = page.saved.plan.cells.at(one.cell);
        const auto x = number_of(value_at(cell.point, key));
        const bool read = one.load_kind != trial::LoadKind::cost;  // rates are not read there
        if (one.metric != metric || !one.predicted || !x || !read) {
            continue;
        }
        ChartSeries& series = series_of(chart, line_name(cell, key) + ": predicted");
        series.line = true;
        series.dashed = true;
        series.points.push_back({*x, *one.predicted, {}, {}, one.predicted_limit});
        const bool first = std::ranges::none_of(chart.marks, [](const ChartMark& mark) {
            return mark.text.starts_with("knee");
        });
        if (key == "window.limit" && first && !one.predicted_limit.empty() &&
            one.predicted_limit != "window") {
            chart.marks.push_back({*x, "knee: " + one.predicted_limit});
        }
    }
    for (const experiment::Knee& knee : page.saved.result.knees) {
        const auto x = number_of(knee.points.at(knee.proven).burst);
        if (key == plan::knee_key && knee.metric == metric && knee.refusal.empty() && x) {
            chart.marks.push_back({*x, "knee of " + knee.arm});
        }
    }
}

/// Swept keys whose values are numbers, at least three of them or two of the only key.
[[nodiscard]] std::vector<std::string> numeric_keys(const Page& page) {
    std::vector<std::string> keys;
    for (const std::string& key : page.keys) {
        std::vector<double> values;
        bool all = true;
        for (const CellSummary& cell : page.saved.plan.cells) {
            const auto x = number_of(value_at(cell.point, key));
            all = all && x && *x > 0;
            if (x && std::ranges::find(values, *x) == values.end()) {
                values.push_back(*x);
            }
        }
        if (all && values.size() >= 3) {
            keys.push_back(key);
        }
    }
    return keys;
}

void add_ticks(const Page& page, const std::string& key, Chart& chart) {
    for (const CellSummary& cell : page.saved.plan.cells) {
        const std::string text = value_at(cell.point, key);
        const auto x = number_of(text);
        const bool known = std::ranges::any_of(chart.x.ticks, [&](const auto& tick) {
            return x && tick.first == *x;
        });
        if (x && !known) {
            chart.x.ticks.emplace_back(*x, text);
        }
    }
    std::ranges::sort(chart.x.ticks);
}

void add_sweep_chart(
    const Page& page, const std::string& key, const std::string& metric, std::vector<Chart>& charts
) {
    Chart chart;
    chart.title = fmt::format("{} over {}", metric, key);
    chart.x = {key, true, {}};
    const trial::Metric* known = trial::find_metric(metric);
    chart.y.label = known != nullptr ? std::string(known->unit) : metric;
    add_ticks(page, key, chart);
    add_means(page, key, metric, chart);
    if (chart.series.empty()) {
        return;
    }
    const std::size_t measured = chart.series.size();
    add_fits(page, key, metric, chart);
    add_predictions(page, key, metric, chart);
    chart.text = fmt::format(
        "Means of {} with their intervals, {} lines over {} values of {}{}{}.",
        metric,
        measured,
        chart.x.ticks.size(),
        key,
        chart.series.size() > measured ? "; dashed: the law" : "",
        chart.marks.empty() ? "" : "; marked: " + chart.marks.front().text
    );
    charts.push_back(std::move(chart));
}

}  // namespace

std::optional<double> number_of(const std::string& written) {
    double value = 0;
    const char* const end = written.data() + written.size();
    const auto [stop, code] = std::from_chars(written.data(), end, value);
    if (code != std::errc{}) {
        return std::nullopt;
    }
    constexpr std::array factors{
        std::pair{"KiB", 1024.0},
        std::pair{"MiB", 1048576.0},
        std::pair{"GiB", 1073741824.0},
        std::pair{"kB", 1e3},
        std::pair{"MB", 1e6},
        std::pair{"us", 1e-6},
        std::pair{"ms", 1e-3},
        std::pair{"kfps", 1e3},
        std::pair{"Mfps", 1e6},
        std::pair{"Mbit/s", 1e6},
        std::pair{"Gbit/s", 1e9}};
    std::string_view unit(stop, static_cast<std::size_t>(end - stop));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    for (const auto& [name, factor] : factors) {
        if (unit == name) {
            return value * factor;
        }
    }
    const bool plain = unit.empty() || unit == "B" || unit == "s" || unit == "%" ||
                       unit == "frames" || unit == "fps" || unit == "ticks";
    return plain ? std::optional(value) : std::nullopt;
}

void add_gain_charts(const Page& page, std::vector<Chart>& charts) {
    const auto& metrics = page.saved.plan.metrics;
    for (std::size_t i = 0; i < std::min(metrics.size(), most_metrics); ++i) {
        add_gain_chart(page, metrics[i], charts);
    }
}

void add_sweep_charts(const Page& page, std::vector<Chart>& charts) {
    const auto& metrics = page.saved.plan.metrics;
    for (const std::string& key : numeric_keys(page)) {
        for (std::size_t i = 0; i < std::min(metrics.size(), most_metrics); ++i) {
            add_sweep_chart(page, key, metrics[i], charts);
        }
    }
}

namespace {

/// A cell's trials side by side about its place, in the order in which they ran.
void add_trials(const Sample& sample, const trial::Metric& metric, double at, ChartSeries& series) {
    const auto n = static_cast<double>(sample.trials.size());
    double k = 0;
    for (const trial::TrialResult* one : sample.trials) {
        const double aside = (k + 0.5) / n - 0.5;
        k += 1;
        if (const auto value = metric.value(*one)) {
            series.points.push_back(
                {at + 0.6 * aside, *value, {}, {}, fmt::format("round {}", one->round)}
            );
        }
    }
}

/// The sample behind a cell's statistic; null where there is none.
[[nodiscard]] const Sample*
sample_of(const Page& page, std::size_t cell, const CellStatistic* statistic) {
    const auto found = std::ranges::find_if(page.samples, [&](const Sample& one) {
        return one.cell == cell && (statistic == nullptr || one.kind == statistic->load_kind);
    });
    return found == page.samples.end() ? nullptr : &*found;
}

}  // namespace

void add_trial_chart(const Page& page, std::vector<Chart>& charts) {
    const auto& metrics = page.saved.plan.metrics;
    const trial::Metric* metric = metrics.empty() ? nullptr : trial::find_metric(metrics.front());
    if (metric == nullptr) {
        return;
    }
    Chart chart;
    ChartSeries means{"mean, interval", false, false, {}};
    chart.title = metrics.front() + ": every trial";
    chart.y.label = std::string(metric->unit);
    const auto& cells = page.saved.plan.cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const CellStatistic* mean = statistic_of(page, i, metrics.front());
        const Sample* sample = sample_of(page, i, mean);
        if (sample == nullptr) {
            continue;
        }
        const auto at = static_cast<double>(chart.x.ticks.size());
        chart.x.ticks.emplace_back(at, cell_name(cells[i]));
        const std::string arm = cells[i].placebo ? "placebo" : cells[i].arm;
        add_trials(*sample, *metric, at, series_of(chart, arm));
        if (mean != nullptr && mean->interval) {
            means.points.push_back({at, mean->mean, mean->interval->low, mean->interval->high, {}});
        }
    }
    std::size_t shown = 0;
    for (const ChartSeries& series : chart.series) {
        shown += series.points.size();
    }
    if (shown == 0) {
        return;
    }
    if (!means.points.empty()) {
        chart.series.push_back(std::move(means));
    }
    chart.text = fmt::format(
        "{} trials of {} cells that stand behind the numbers, each a point, with the mean and its "
        "interval.",
        shown,
        chart.x.ticks.size()
    );
    charts.push_back(std::move(chart));
}

}  // namespace gensink::report::detail
