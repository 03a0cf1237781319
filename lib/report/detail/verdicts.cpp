// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

/// Sections on what was concluded: comparisons, expectations, searches.
namespace gensink::report::detail {

namespace {

using experiment::Verdict;

void add_comparison(Page& page, const experiment::Comparison& one, Table& table) {
    std::vector<CellText> row{CellText(one.placebo ? "placebo" : one.arm)};
    for (const std::string& key : page.keys) {
        row.emplace_back(value_at(one.point, key));
    }
    const bool measured = one.rounds > 0;
    row.emplace_back(gain(measured ? std::optional(one.gain_ratio) : std::nullopt));
    row.emplace_back(
        one.interval ? gain_range(one.interval->low, one.interval->high) : std::string("-")
    );
    row.emplace_back(std::string(experiment::name(one.verdict)), style_of(one.verdict));
    row.emplace_back(value_text(one.metric, one.baseline_mean));
    row.emplace_back(value_text(one.metric, one.arm_mean));
    row.emplace_back(one.interval ? percent(one.smallest_margin_ratio) : std::string("-"));
    table.add(std::move(row));
}

[[nodiscard]] std::string cell_text(const experiment::Comparison& one) {
    const std::string point = point_text(one.point);
    return fmt::format(
        "{}{}{}", one.placebo ? "placebo" : one.arm, point.empty() ? "" : " at ", point
    );
}

/// Why there is no verdict: each reason once, with the cells that it holds for.
void add_refusals(Page& page, const std::vector<const experiment::Comparison*>& all) {
    std::vector<std::pair<std::string, std::vector<std::string>>> refusals;
    for (const experiment::Comparison* one : all) {
        if (one->refusal.empty()) {
            continue;
        }
        auto same =
            std::ranges::find(refusals, one->refusal, &decltype(refusals)::value_type::first);
        if (same == refusals.end()) {
            same = refusals.insert(same, {one->refusal, {}});
        }
        same->second.push_back(cell_text(*one));
    }
    for (const auto& [refusal, cells] : refusals) {
        const bool every = cells.size() == all.size() && cells.size() > 1;
        page.paragraph(fmt::format("  {}: {}", every ? "all of them" : join(cells, "; "), refusal));
    }
}

void add_comparison_notes(Page& page, const std::string& metric) {
    std::vector<const experiment::Comparison*> all;
    for (const experiment::Comparison& one : page.saved.result.comparisons) {
        if (one.metric == metric) {
            all.push_back(&one);
        }
    }
    add_refusals(page, all);
    for (const experiment::Comparison* one : all) {
        if (one->raw_gain_ratio && one->raw_verdict) {
            page.paragraph(fmt::format(
                "  {}: {} without the outlier rule ({})",
                cell_text(*one),
                gain(one->raw_gain_ratio),
                experiment::name(*one->raw_verdict)
            ));
        }
        if (one->gain_with_disturbed_ratio) {
            page.paragraph(fmt::format(
                "  {}: {} with the disturbed rounds in it",
                cell_text(*one),
                gain(one->gain_with_disturbed_ratio)
            ));
        }
    }
}

/// One table a metric; the first metric decides the verdict.
void add_comparison_table(Page& page, const std::string& metric) {
    const PlanSummary& plan = page.saved.plan;
    page.title(fmt::format(
        "{} ({}): gain over {}; {:g} % intervals{}, margin {}",
        metric,
        unit_text(metric),
        plan.baseline.value_or("the baseline"),
        plan.confidence * 100.0,
        plan.rule == plan::Rule::netperf ? " by netperf's rule" : "",
        percent(plan.margin_ratio)
    ));
    Table table(
        key_titles(page),
        {{"", {"gain", "interval"}},
         {"", {"verdict"}, true},
         {"means", {"baseline", "arm"}},
         {"provable", {"margin"}}}
    );
    for (const experiment::Comparison& one : page.saved.result.comparisons) {
        if (one.metric == metric) {
            add_comparison(page, one, table);
        }
    }
    page.table(table);
    add_comparison_notes(page, metric);
}

}  // namespace

Style style_of(Verdict verdict) {
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

std::string value_text(std::string_view metric, std::optional<double> value) {
    const trial::Metric* found = trial::find_metric(metric);
    const std::string_view unit = found != nullptr ? found->unit : "";
    if (unit == "fps") {
        return fps(value);
    }
    if (unit == "bit/s") {
        return bits_per_second(value);
    }
    return unit == "ratio" ? percent(value) : number(value);
}

std::string unit_text(std::string_view metric) {
    const trial::Metric* found = trial::find_metric(metric);
    if (found == nullptr) {
        return "unknown metric";
    }
    const bool less = found->better == plan::Better::lower;
    return fmt::format("{}, {} is better", found->unit, less ? "less" : "more");
}

void add_comparisons(Page& page) {
    std::vector<std::string> done;
    for (const experiment::Comparison& one : page.saved.result.comparisons) {
        if (std::ranges::find(done, one.metric) == done.end()) {
            done.push_back(one.metric);
            add_comparison_table(page, one.metric);
        }
    }
}

void add_expectations(Page& page) {
    if (page.saved.result.expectations.empty()) {
        return;
    }
    page.title("Expectations");
    for (const experiment::Expectation& one : page.saved.result.expectations) {
        const std::string mark = one.met ? "met  " : "UNMET";
        std::string text = wrap(
            fmt::format(
                "  {}  {}{}",
                mark,
                one.text,
                one.observed.empty() ? "" : "; observed " + one.observed
            ),
            page.options.width,
            "         "
        );
        const Style style = one.met ? Style::good : Style::bad;
        page.line(text.replace(2, mark.size(), styled(mark, style, page.options.colour)));
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

}  // namespace gensink::report::detail
