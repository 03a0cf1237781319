// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare.hpp"
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::report {

namespace {

using detail::CellText;
using detail::Table;

[[nodiscard]] std::string side_text(const char* name, const Saved& saved) {
    const RunInfo& run = saved.run;
    return fmt::format(
        "{}  {}, run {}{}{}{}{}",
        name,
        saved.plan.name,
        run.id.empty() ? "-" : run.id,
        run.started.empty() ? "" : ", " + run.started,
        run.host.hostname.empty() ? "" : ", on " + run.host.hostname,
        saved.result.partial ? ", PARTIAL" : "",
        saved.plan.shared_cores ? ", SHARED CORES" : ""
    );
}

[[nodiscard]] std::string side_text(const char* name, const Published& published) {
    return fmt::format("{}  {}, PUBLISHED: {}", name, published.name, published.source);
}

[[nodiscard]] std::vector<std::string> points_of(const SavedComparison& comparison) {
    std::vector<std::string> keys;
    for (const CellComparison& cell : comparison.cells) {
        for (const auto& [key, value] : cell.point) {
            if (std::ranges::find(keys, key) == keys.end()) {
                keys.push_back(key);
            }
        }
    }
    return keys;
}

void add_row(const CellComparison& cell, const std::vector<std::string>& keys, Table& table) {
    std::vector<CellText> row{CellText(cell.arm + (cell.placebo ? " (placebo)" : ""))};
    for (const std::string& key : keys) {
        row.emplace_back(detail::value_at(cell.point, key));
    }
    row.emplace_back(gain(cell.gain_ratio));
    row.emplace_back(
        cell.interval ? gain_range(cell.interval->low, cell.interval->high) : std::string("-")
    );
    row.emplace_back(std::string(experiment::name(cell.verdict)), detail::style_of(cell.verdict));
    row.emplace_back(detail::value_text(cell.metric, cell.mean_a));
    row.emplace_back(detail::value_text(cell.metric, cell.mean_b));
    row.emplace_back(count(cell.trials_a));
    row.emplace_back(count(cell.trials_b));
    table.add(std::move(row));
}

void add_metric(
    detail::Page& page,
    const SavedComparison& comparison,
    const CompareOptions& options,
    const std::string& metric
) {
    page.title(fmt::format(
        "{} ({}): gain of B over A; {:g} % Welch intervals, margin {}",
        metric,
        detail::unit_text(metric),
        options.confidence * 100.0,
        percent(options.margin_ratio)
    ));
    std::vector<std::string> titles{"arm"};
    for (const std::string& key : page.keys) {
        titles.push_back(detail::short_key(key));
    }
    Table table(
        std::move(titles),
        {{"", {"gain", "interval"}},
         {"", {"verdict"}, true},
         {"means", {"A", "B"}},
         {"trials", {"A", "B"}}}
    );
    for (const CellComparison& cell : comparison.cells) {
        if (cell.metric == metric) {
            add_row(cell, page.keys, table);
        }
    }
    page.table(table);
    for (const CellComparison& cell : comparison.cells) {
        if (cell.metric == metric && !cell.refusal.empty()) {
            const std::string point = detail::point_text(cell.point);
            page.paragraph(fmt::format(
                "  {}{}{}: {}", cell.arm, point.empty() ? "" : " at ", point, cell.refusal
            ));
        }
    }
}

void add_comparison(
    detail::Page& page, const SavedComparison& comparison, const CompareOptions& options
) {
    page.line();
    page.line(detail::styled(
        wrap(comparison.headline, page.options.width, "    "),
        detail::style_of(comparison.verdict),
        page.options.colour
    ));
    std::vector<std::string> done;
    for (const CellComparison& cell : comparison.cells) {
        if (std::ranges::find(done, cell.metric) == done.end()) {
            done.push_back(cell.metric);
            add_metric(page, comparison, options, cell.metric);
        }
    }
}

}  // namespace

std::string compare_text(
    const Saved& a,
    const Saved& b,
    const SavedComparison& comparison,
    const CompareOptions& options,
    const TextOptions& text
) {
    detail::Page page{a, text, {}, points_of(comparison), {}};
    page.paragraph(side_text("A", a));
    page.paragraph(side_text("B", b));
    for (const Difference& one : comparison.differences) {
        page.paragraph(fmt::format("differs: {}: A {}, B {}", one.what, one.a, one.b));
    }
    if (comparison.differences.empty()) {
        page.line("no setting differs, as far as the results tell");
    }
    if (comparison.differences.size() > 1) {
        page.paragraph("FORCED: a gain could come from any of these differences");
    }
    for (const std::string& note : comparison.notes) {
        page.paragraph("note: " + note);
    }
    add_comparison(page, comparison, options);
    return std::move(page.out);
}

std::string compare_text(
    const Published& a,
    const Published& b,
    const SavedComparison& comparison,
    const CompareOptions& options,
    const TextOptions& text
) {
    const Saved no_trials;
    detail::Page page{no_trials, text, {}, points_of(comparison), {}};
    page.paragraph(side_text("A", a));
    page.paragraph(side_text("B", b));
    add_comparison(page, comparison, options);
    return std::move(page.out);
}

}  // namespace gensink::report
