// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace gensink::experiment::detail {

namespace {

using plan::ExpectPlan;
using trial::LoadKind;

constexpr std::array<std::pair<std::string_view, Verdict>, 5> verdict_keys{{
    {"gain", Verdict::gain},
    {"loss", Verdict::loss},
    {"no_difference", Verdict::no_difference},
    {"inconclusive", Verdict::inconclusive},
    {"invalid", Verdict::invalid},
}};

Expectation expect_verdict(const Analysis& analysis, const ExpectPlan& expect) {
    Expectation result{
        .text = fmt::format("verdict is {}", expect.verdict), .met = false, .observed = {}};
    if (!analysis.result.has_verdict) {
        result.observed = "nothing was compared";
        return result;
    }
    result.observed = name(analysis.result.verdict);
    for (const auto& [key, verdict] : verdict_keys) {
        result.met = result.met || (key == expect.verdict && verdict == analysis.result.verdict);
    }
    return result;
}

/// Where an expectation is, of its own.
std::string where_text(const ExpectPlan& expect) {
    return (expect.arm.empty() ? "" : fmt::format(" of {}", expect.arm)) + at_text(expect.at);
}

std::string bounds_text(const ExpectPlan& expect) {
    std::string text = (expect.metric.empty() ? "limit" : expect.metric) + where_text(expect);
    if (expect.metric.empty()) {
        return text + " is " + expect.limit;
    }
    if (expect.equals) {
        text += fmt::format(" equals {:g}", *expect.equals);
        if (expect.within_ratio > 0.0) {
            text += fmt::format(" within {:g} %", 100.0 * expect.within_ratio);
        }
    }
    if (expect.at_least) {
        text += fmt::format(" is at least {:g}", *expect.at_least);
    }
    if (expect.at_most) {
        text += fmt::format(" is at most {:g}", *expect.at_most);
    }
    if (!expect.limit.empty()) {
        text += ", limited by " + expect.limit;
    }
    return text;
}

bool within(const ExpectPlan& expect, double value) {
    if (expect.equals &&
        !(std::abs(value - *expect.equals) <= expect.within_ratio * std::abs(*expect.equals))) {
        return false;
    }
    return !(expect.at_least && !(value >= *expect.at_least)) &&
           !(expect.at_most && !(value <= *expect.at_most));
}

/// At the load where the metric belongs, else wherever the cell has it.
const CellStatistic*
statistic_of(const Analysis& analysis, std::size_t cell, const std::string& metric) {
    const trial::Metric* known = trial::find_metric(metric);
    if (known == nullptr) {
        return nullptr;
    }
    const LoadKind wanted = load_kind(analysis.plan, analysis.plan.cells[cell], known->kind);
    const CellStatistic* other = nullptr;
    for (const CellStatistic& statistic : analysis.result.cells) {
        if (statistic.cell == cell && statistic.metric == metric) {
            if (statistic.load_kind == wanted) {
                return &statistic;
            }
            other = &statistic;
        }
    }
    return other;
}

/// The cell is of the arm and at the points that the expectation names.
bool concerns(const ExpectPlan& expect, const plan::Cell& cell) {
    return !cell.placebo && (expect.arm.empty() || cell.arm == expect.arm) &&
           std::ranges::all_of(expect.at, [&cell](const auto& wanted) {
               return std::ranges::find(cell.point, wanted) != cell.point.end();
           });
}

/// What one cell shows of an expectation.
struct Finding {
    bool met = false;
    std::string observed;
};

Finding look_at_value(const Analysis& analysis, const ExpectPlan& expect, std::size_t cell) {
    const CellStatistic* statistic = statistic_of(analysis, cell, expect.metric);
    if (statistic == nullptr) {
        return {false, "not measured"};
    }
    return {within(expect, statistic->trimmed_mean), fmt::format("{:g}", statistic->trimmed_mean)};
}

/// Where the whole experiment shows a cell, unless a metric says which load.
Finding look_at_limit(const Analysis& analysis, const ExpectPlan& expect, std::size_t cell) {
    const trial::Metric* metric = trial::find_metric(expect.metric);
    const auto kind = load_kind(
        analysis.plan,
        analysis.plan.cells[cell],
        metric == nullptr ? trial::MetricKind::other : metric->kind
    );
    const Prediction* found = prediction_of(analysis.result, cell, kind);
    if (found == nullptr) {
        return {false, "no limit was found"};
    }
    return {
        found->measured_limit == expect.limit,
        fmt::format("{} ({})", found->measured_limit, found->evidence)};
}

Finding look_at(const Analysis& analysis, const ExpectPlan& expect, std::size_t cell) {
    if (expect.metric.empty()) {
        return look_at_limit(analysis, expect, cell);
    }
    Finding value = look_at_value(analysis, expect, cell);
    if (expect.limit.empty()) {
        return value;
    }
    const Finding limit = look_at_limit(analysis, expect, cell);
    return {value.met && limit.met, fmt::format("{}, limit {}", value.observed, limit.observed)};
}

/// Holds where it holds in every cell that it concerns; shows the first that fails.
Expectation expect_cells(const Analysis& analysis, const ExpectPlan& expect) {
    Expectation result{.text = bounds_text(expect), .met = false, .observed = "no such cell"};
    bool seen = false;
    for (std::size_t i = 0; i < analysis.plan.cells.size(); ++i) {
        const plan::Cell& cell = analysis.plan.cells[i];
        if (!concerns(expect, cell)) {
            continue;
        }
        const Finding found = look_at(analysis, expect, i);
        result.met = found.met;
        if (!seen || !found.met) {
            result.observed =
                fmt::format("{} ({}{})", found.observed, label(cell), at_text(cell.point));
        }
        if (!found.met) {
            return result;
        }
        seen = true;
    }
    return result;
}

/// Of each fit that it concerns, against the first arm's at the same point.
Expectation expect_fit(const Analysis& analysis, const ExpectPlan& expect) {
    Expectation result{.text = bounds_text(expect), .met = false, .observed = "no such fit"};
    for (const Fit& fit : analysis.result.fits) {
        const auto base = std::ranges::find(analysis.result.fits, fit.point, &Fit::point);
        const bool meant = (expect.arm.empty() || fit.arm == expect.arm) && &fit != &*base &&
                           std::ranges::all_of(expect.at, [&fit](const auto& wanted) {
                               return std::ranges::find(fit.point, wanted) != fit.point.end();
                           });
        if (!meant) {
            continue;
        }
        // What an interval leaves open is not met.
        const Interval own = fit.b_interval.value_or(Interval{fit.b, fit.b});
        const Interval first = base->b_interval.value_or(Interval{base->b, base->b});
        const double low = own.low / (own.low > 0 ? first.high : first.low);
        const double high = own.high / (own.high > 0 ? first.low : first.high);
        result.met = first.low > 0 && within(expect, low) && within(expect, high);
        result.observed = fmt::format(
            "{:.3g} [{:.3g}, {:.3g}] ({}, {:g} / {:g})",
            fit.b / base->b,
            low,
            high,
            fit.arm,
            fit.b,
            base->b
        );
        if (!result.met) {
            break;
        }
    }
    return result;
}

Expectation look_at(const Analysis& analysis, const ExpectPlan& expect) {
    if (!expect.verdict.empty()) {
        return expect_verdict(analysis, expect);
    }
    return expect.of_fits ? expect_fit(analysis, expect) : expect_cells(analysis, expect);
}

}  // namespace

void check_expectations(Analysis& analysis) {
    for (const ExpectPlan& expect : analysis.plan.expect) {
        analysis.result.expectations.push_back(look_at(analysis, expect));
    }
}

}  // namespace gensink::experiment::detail
