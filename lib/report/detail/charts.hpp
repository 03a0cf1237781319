// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/page.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Pictures of a result, as values: what lib/report/page/charts.js draws.
namespace gensink::report::detail {

struct ChartPoint {
    double x = 0;
    double y = 0;
    std::optional<double> low;  ///< of y's interval
    std::optional<double> high;
    std::string text;  ///< what the point is, where its place does not tell
};

struct ChartSeries {
    std::string name;
    bool line = false;    ///< else points alone
    bool dashed = false;  ///< a law, not a measurement
    std::vector<ChartPoint> points;
};

struct ChartAxis {
    std::string label;
    bool log = false;
    std::vector<std::pair<double, std::string>> ticks;  ///< names of places; empty: numbers
};

struct ChartMark {
    double at = 0;
    std::string text;
};

struct Chart {
    std::string title;
    std::string text;  ///< what it shows, for who cannot see it
    ChartAxis x;
    ChartAxis y;
    std::vector<ChartSeries> series;
    std::optional<double> band;    ///< y within +-band counts as none
    std::vector<ChartMark> marks;  ///< places on x
};

/// A number as a swept key's value is written ("64 KiB" is 65536); absent for words.
[[nodiscard]] std::optional<double> number_of(const std::string& written);

/// Gains with intervals and margin, by metric; empty where nothing was compared.
void add_gain_charts(const Page& page, std::vector<Chart>& charts);
/// Metrics over a swept number, with fits, predictions and knees.
void add_sweep_charts(const Page& page, std::vector<Chart>& charts);
/// Each trial's value of the first metric, by cell.
void add_trial_chart(const Page& page, std::vector<Chart>& charts);
/// What arrived, trial by trial, disturbed ones marked.
void add_timeline(const Page& page, std::vector<Chart>& charts);
/// Percentiles of latencies and hold times.
void add_latency_charts(const Page& page, std::vector<Chart>& charts);
/// Frames a call, at both ends.
void add_burst_charts(const Page& page, std::vector<Chart>& charts);

/// Shares of a core's time, of all trials of a cell together.
struct CoreTime {
    std::string cell;                                    ///< "batched at block_size 128 B"
    std::string core;                                    ///< "generator 1 (cpu 1)"
    std::vector<std::pair<std::string, double>> shares;  ///< cause, 0 .. 1 of its wall time
};

/// Of the load at which costs are read.
[[nodiscard]] std::vector<CoreTime> core_times(const Page& page);

/// The ledger of all counted trials of one kind of cell, as it flows from built to in order.
struct LedgerFlow {
    std::size_t trials = 0;
    bool in_bytes = false;
    trial::Ledger sum;
};

/// Frames and bytes apart.
[[nodiscard]] std::vector<LedgerFlow> ledger_flows(const Page& page);

}  // namespace gensink::report::detail
