// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"
#include "report/history.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::report {

namespace {

using detail::CellText;
using detail::Style;

[[nodiscard]] std::string series_name(const HistorySeries& series) {
    const std::string point = detail::point_text(series.point);
    return fmt::format(
        "{}: {} of {}{}{}",
        series.profile,
        series.metric,
        series.arm,
        point.empty() ? "" : " at ",
        point
    );
}

/// What host and versions were not the same any more; a fact that either lacks is unknown.
[[nodiscard]] std::string changed_facts(const HistoryEntry& before, const HistoryEntry& after) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : after.facts) {
        const auto old =
            std::ranges::find(before.facts, name, &std::pair<std::string, std::string>::first);
        if (old != before.facts.end() && !old->second.empty() && !value.empty() &&
            old->second != value) {
            parts.push_back(fmt::format("{} {} -> {}", name, old->second, value));
        }
    }
    return join(parts, ", ");
}

[[nodiscard]] bool is_better(const HistorySeries& series, const stats::Change& change) {
    const trial::Metric* metric = trial::find_metric(series.metric);
    const bool more = metric == nullptr || metric->better == plan::Better::higher;
    return (change.ratio > 0) == more;
}

[[nodiscard]] std::string change_text(const HistorySeries& series, const stats::Change& change) {
    return fmt::format("{} {}", is_better(series, change) ? "BETTER" : "WORSE", gain(change.ratio));
}

void add_changes(const HistorySeries& series, detail::Page& page) {
    for (std::size_t i = 0; i < series.entries.size(); ++i) {
        const HistoryEntry& entry = series.entries[i];
        if (!entry.change || !entry.change->interval) {
            continue;
        }
        const std::string facts = changed_facts(series.entries[i - 1], entry);
        page.paragraph(fmt::format(
            "{} at {}: {} ({} [{}]){}",
            is_better(series, *entry.change) ? "BETTER" : "WORSE",
            entry.started,
            series_name(series),
            gain(entry.change->ratio),
            gain_range(entry.change->interval->low, entry.change->interval->high),
            facts.empty() ? "; nothing that results tell of changed with it" : "; with it: " + facts
        ));
    }
}

void add_series(const HistorySeries& series, detail::Page& page) {
    page.title(fmt::format("{} ({})", series_name(series), detail::unit_text(series.metric)));
    detail::Table table(
        {"started"},
        {{"", {"mean"}},
         {"", {"change"}, true},
         {"", {"interval"}},
         {"", {"trials"}},
         {"", {"gensink", "result"}, true}}
    );
    for (const HistoryEntry& entry : series.entries) {
        const auto value = [&](std::optional<double> number) {
            return detail::value_text(series.metric, number);
        };
        std::string change = entry.refusal.empty() ? "" : "(" + entry.refusal + ")";
        Style style = Style::doubt;
        if (entry.change) {
            change = change_text(series, *entry.change);
            style = is_better(series, *entry.change) ? Style::good : Style::bad;
        }
        table.add(
            {CellText(entry.started),
             CellText(value(entry.mean)),
             CellText(change, style),
             CellText(
                 entry.interval ? value(entry.interval->low) + " .. " + value(entry.interval->high)
                                : std::string("-")
             ),
             CellText(count(entry.trials)),
             CellText(entry.version),
             CellText(entry.path)}
        );
    }
    page.table(table);
}

}  // namespace

std::string history_text(
    const std::vector<HistorySeries>& series, const HistoryOptions& options, const TextOptions& text
) {
    const Saved none;
    detail::Page page{none, text, {}, {}, {}};
    const auto changes = std::ranges::count_if(series, [](const HistorySeries& one) {
        return std::ranges::any_of(one.entries, [](const HistoryEntry& entry) {
            return entry.change.has_value();
        });
    });
    page.paragraph(fmt::format(
        "{} of {} series changed; a change is a new level, by the means of results before and "
        "after "
        "it, beyond a margin of {}, {:g} % confidence over all places it could be; three results "
        "can show one, and few only a large one",
        changes,
        series.size(),
        percent(options.margin_ratio),
        options.confidence * 100.0
    ));
    for (const HistorySeries& one : series) {
        add_changes(one, page);
    }
    for (const HistorySeries& one : series) {
        add_series(one, page);
    }
    return std::move(page.out);
}

}  // namespace gensink::report
