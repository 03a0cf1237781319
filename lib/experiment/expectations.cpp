// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/layout.hpp"

#include <fmt/format.h>

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

std::string bounds_text(const ExpectPlan& expect) {
    std::string text = expect.metric;
    if (!expect.arm.empty()) {
        text += fmt::format(" of {}", expect.arm);
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

/// Holds where it holds for the mean of every cell of the arm; shows the first that fails.
Expectation expect_metric(const Analysis& analysis, const ExpectPlan& expect) {
    Expectation result{.text = bounds_text(expect), .met = false, .observed = "not measured"};
    bool seen = false;
    for (std::size_t i = 0; i < analysis.plan.cells.size(); ++i) {
        const plan::Cell& cell = analysis.plan.cells[i];
        if (cell.placebo || (!expect.arm.empty() && cell.arm != expect.arm)) {
            continue;
        }
        const CellStatistic* statistic = statistic_of(analysis, i, expect.metric);
        const std::string where = label(cell) + at_text(cell.point);
        if (statistic == nullptr) {
            result.met = false;
            result.observed = where + ": not measured";
            return result;
        }
        result.met = within(expect, statistic->mean);
        if (!seen || !result.met) {
            result.observed = fmt::format("{:g} ({})", statistic->mean, where);
        }
        if (!result.met) {
            return result;
        }
        seen = true;
    }
    return result;
}

}  // namespace

void check_expectations(Analysis& analysis) {
    for (const ExpectPlan& expect : analysis.plan.expect) {
        analysis.result.expectations.push_back(
            expect.metric.empty() ? expect_verdict(analysis, expect)
                                  : expect_metric(analysis, expect)
        );
    }
}

}  // namespace gensink::experiment::detail
