// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

/// Sections on what was concluded: comparisons, expectations, searches, fits.
namespace gensink::report::detail {

namespace {

using experiment::Verdict;

[[nodiscard]] Style style_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::gain:
        return Style::good;
    case Verdict::loss:
    case Verdict::invalid:
        return Style::bad;
    case Verdict::inconclusive:
        return Style::doubt;
    default:
        return Style::bold;
    }
}

void add_comparison(Page& page, const experiment::Comparison& one, Table& table) {
    std::vector<CellText> row{CellText(one.arm + (one.placebo ? " (placebo)" : ""))};
    for (const std::string& key : page.keys) {
        row.emplace_back(value_at(one.point, key));
    }
    row.emplace_back(one.metric);
    const bool measured = one.rounds > 0;
    row.emplace_back(gain(measured ? std::optional(one.gain_ratio) : std::nullopt));
    row.emplace_back(
        one.interval ? gain_range(one.interval->low, one.interval->high) : std::string("-")
    );
    row.emplace_back(one.interval ? percent(one.smallest_margin_ratio) : std::string("-"));
    row.emplace_back(number(one.baseline_mean));
    row.emplace_back(number(one.arm_mean));
    const bool refused = !one.refusal.empty();
    row.emplace_back(
        refused ? std::string("none, see below") : std::string(experiment::name(one.verdict)),
        refused ? Style::doubt : style_of(one.verdict)
    );
    table.add(std::move(row));
}

void add_comparison_notes(Page& page, const experiment::Comparison& one) {
    const std::string point = point_text(one.point);
    const std::string what = fmt::format("{}{}{}", one.arm, point.empty() ? "" : " at ", point);
    if (!one.refusal.empty()) {
        page.paragraph(fmt::format("  {}, {}: no verdict: {}", what, one.metric, one.refusal));
    }
    if (one.gain_with_disturbed_ratio) {
        page.paragraph(fmt::format(
            "  {}, {}: {} with the disturbed rounds in it",
            what,
            one.metric,
            gain(one.gain_with_disturbed_ratio)
        ));
    }
    // Box and Jenkins' r1: above 0.3 the rounds are not independent enough.
    if (one.lag1_autocorrelation > 0.3) {
        page.paragraph(fmt::format(
            "  {}, {}: rounds follow one another (lag-1 autocorrelation {:.2f}): the interval is "
            "too narrow",
            what,
            one.metric,
            one.lag1_autocorrelation
        ));
    }
}

[[nodiscard]] std::string interval_text(const std::optional<experiment::Interval>& interval) {
    return interval ? fmt::format("{} .. {}", number(interval->low), number(interval->high)) : "-";
}

/// b of the reference arm's fit at the same point and metric.
[[nodiscard]] std::optional<double> reference_b(const Page& page, const experiment::Fit& fit) {
    for (const experiment::Fit& other : page.saved.result.fits) {
        if (other.arm == page.saved.plan.fit_reference && other.metric == fit.metric &&
            other.point == fit.point) {
            return other.b;
        }
    }
    return std::nullopt;
}

}  // namespace

void add_comparisons(Page& page) {
    const auto& comparisons = page.saved.result.comparisons;
    if (comparisons.empty()) {
        return;
    }
    const PlanSummary& plan = page.saved.plan;
    page.title(fmt::format(
        "Gain over {} (> 0 is better); {:g} % intervals{}; margin {}",
        plan.baseline.value_or("the baseline"),
        plan.confidence * 100.0,
        plan.rule == plan::Rule::netperf ? " by netperf's rule" : "",
        percent(plan.margin_ratio)
    ));
    std::vector<std::string> titles = key_titles(page);
    titles.emplace_back("metric");
    Table table(
        std::move(titles),
        {{"", {"gain", "interval"}},
         {"", {"verdict"}, true},
         {"means", {"baseline", "arm"}},
         {"", {"provable margin"}}}
    );
    for (const experiment::Comparison& one : comparisons) {
        add_comparison(page, one, table);
    }
    page.table(table);
    for (const experiment::Comparison& one : comparisons) {
        add_comparison_notes(page, one);
    }
}

void add_expectations(Page& page) {
    if (page.saved.result.expectations.empty()) {
        return;
    }
    page.title("Expectations");
    for (const experiment::Expectation& one : page.saved.result.expectations) {
        const std::string mark = styled(
            one.met ? "met  " : "UNMET", one.met ? Style::good : Style::bad, page.options.colour
        );
        page.line(fmt::format(
            "  {}  {}{}", mark, one.text, one.observed.empty() ? "" : "; observed " + one.observed
        ));
    }
}

void add_searches(Page& page) {
    const auto& searches = page.saved.result.searches;
    if (searches.empty()) {
        return;
    }
    const double bound = page.saved.plan.search_loss_ratio.value_or(0.0);
    page.title(
        bound > 0 ? fmt::format("Highest load with loss up to {} (PDR)", percent(bound))
                  : std::string("Highest load without loss (NDR)")
    );
    Table table(
        key_titles(page),
        {{"at load max", {"offered", "received"}},
         {"", {bound > 0 ? "PDR" : "NDR", "of line", "probes"}},
         {"", {"limit"}, true}}
    );
    for (const experiment::SearchResult& one : searches) {
        std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(one.cell));
        row.emplace_back(fps(one.max_offered_fps));
        row.emplace_back(fps(one.max_received_fps));
        row.emplace_back(one.found_fps ? fps(one.found_fps) : "none found");
        row.emplace_back(percent(one.line_ratio));
        row.emplace_back(count(one.probes));
        row.emplace_back(one.limit.empty() ? "unknown" : one.limit);
        table.add(std::move(row));
    }
    page.table(table);
    for (const experiment::SearchResult& one : searches) {
        const CellSummary& cell = page.saved.plan.cells.at(one.cell);
        const std::string point = point_text(cell.point);
        if (!one.evidence.empty()) {
            page.paragraph(fmt::format(
                "  {}{}{}: {}", cell.arm, point.empty() ? "" : " at ", point, one.evidence
            ));
        }
    }
}

void add_fits(Page& page) {
    const auto& fits = page.saved.result.fits;
    if (fits.empty()) {
        return;
    }
    page.title(fmt::format("Fit {} = a + b / {}", fits.front().metric, fits.front().key));
    const std::string& reference = page.saved.plan.fit_reference;
    std::vector<ColumnGroup> groups{
        {"", {"a", "interval"}},
        {"", {"b", "interval"}},
        {"", {"R^2", "worst misfit"}},
        {"", {"law"}, true},
    };
    if (!reference.empty()) {
        groups.insert(groups.begin() + 2, {"", {"b of " + reference}});
    }
    Table table(key_titles(page), std::move(groups));
    for (const experiment::Fit& fit : fits) {
        std::vector<CellText> row{CellText(fit.arm)};
        for (const std::string& key : page.keys) {
            row.emplace_back(value_at(fit.point, key));
        }
        row.emplace_back(number(fit.a));
        row.emplace_back(interval_text(fit.a_interval));
        row.emplace_back(number(fit.b));
        row.emplace_back(interval_text(fit.b_interval));
        if (!reference.empty()) {
            row.emplace_back(number(reference_b(page, fit)));
        }
        row.emplace_back(fmt::format("{:.3f}", fit.r_squared));
        row.emplace_back(percent(fit.worst_misfit_ratio));
        row.emplace_back(
            fit.law_holds ? "holds" : "law does not hold here",
            fit.law_holds ? Style::plain : Style::doubt
        );
        table.add(std::move(row));
    }
    page.table(table);
}

}  // namespace gensink::report::detail
