// SPDX-License-Identifier: BSD-3-Clause
#include "report/html.hpp"

#include "report/detail/archive.hpp"
#include "report/detail/assets.hpp"
#include "report/detail/charts.hpp"
#include "report/detail/markup.hpp"
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace gensink::report {

namespace {

using detail::Chart;
using detail::escaped;
using detail::Json;
using detail::Page;

[[nodiscard]] Json axis_json(const detail::ChartAxis& axis) {
    Json json{{"label", axis.label}, {"log", axis.log}, {"ticks", Json::array()}};
    for (const auto& [at, text] : axis.ticks) {
        json["ticks"].push_back({at, text});
    }
    return json;
}

/// A point as [x, y, low, high, text], as long as it must be.
[[nodiscard]] Json point_json(const detail::ChartPoint& point) {
    Json json{point.x, point.y};
    if (point.low || point.high || !point.text.empty()) {
        json.push_back(point.low ? Json(*point.low) : Json());
        json.push_back(point.high ? Json(*point.high) : Json());
    }
    if (!point.text.empty()) {
        json.push_back(point.text);
    }
    return json;
}

[[nodiscard]] Json chart_json(const Chart& chart) {
    Json json{
        {"title", chart.title},
        {"x", axis_json(chart.x)},
        {"y", axis_json(chart.y)},
        {"band", chart.band ? Json(*chart.band) : Json()},
        {"marks", Json::array()},
        {"series", Json::array()}};
    for (const detail::ChartMark& mark : chart.marks) {
        json["marks"].push_back({mark.at, mark.text});
    }
    for (const detail::ChartSeries& series : chart.series) {
        Json one{
            {"name", series.name},
            {"line", series.line},
            {"dashed", series.dashed},
            {"points", Json::array()}};
        for (const detail::ChartPoint& point : series.points) {
            one["points"].push_back(point_json(point));
        }
        json["series"].push_back(std::move(one));
    }
    return json;
}

[[nodiscard]] std::vector<Chart> charts_of(const Page& page) {
    std::vector<Chart> charts;
    detail::add_gain_charts(page, charts);
    detail::add_sweep_charts(page, charts);
    detail::add_trial_chart(page, charts);
    detail::add_latency_charts(page, charts);
    detail::add_burst_charts(page, charts);
    detail::add_timeline(page, charts);
    return charts;
}

/// A figure a chart: title, text, and what charts.js fills.
[[nodiscard]] std::string figures(const std::vector<Chart>& charts) {
    std::string out;
    for (std::size_t i = 0; i < charts.size(); ++i) {
        out += fmt::format(
            "<figure class=\"chart\" data-chart=\"{}\"><h3>{}</h3>"
            "<div class=\"plot\" role=\"img\" aria-label=\"{}\"></div>"
            "<figcaption>{}</figcaption></figure>\n",
            i,
            escaped(charts[i].title),
            escaped(charts[i].title + ". " + charts[i].text),
            escaped(charts[i].text)
        );
    }
    return out;
}

/// The verdict in a word, and how it is dressed.
struct Badge {
    std::string text;
    std::string kind;
};

[[nodiscard]] Badge badge_of(const Saved& saved) {
    const experiment::ExperimentResult& result = saved.result;
    if (result.failed) {
        return {"FAILED", "failed"};
    }
    if (result.has_verdict || result.verdict == experiment::Verdict::invalid) {
        constexpr std::array kinds{"gain", "loss", "no-difference", "inconclusive", "invalid"};
        return {
            experiment::name(result.verdict), kinds.at(static_cast<std::size_t>(result.verdict))};
    }
    const auto unmet =
        std::ranges::count(result.expectations, false, &experiment::Expectation::met);
    if (unmet > 0) {
        return {
            fmt::format("{} OF {} EXPECTATIONS UNMET", unmet, result.expectations.size()), "loss"};
    }
    return result.expectations.empty() ? Badge{"MEASURED", "measured"}
                                       : Badge{"EXPECTATIONS MET", "gain"};
}

/// A headline names every point of the first metric, one after the other.
[[nodiscard]] std::vector<std::string> findings_of(const Saved& saved, const std::string& badge) {
    std::string words = detail::headline_of(saved.result);
    if (words.starts_with(badge + ": ")) {
        words.erase(0, badge.size() + 2);
    }
    std::vector<std::string> findings;
    if (saved.plan.metrics.empty()) {
        return {words};
    }
    const std::string next = "; " + saved.plan.metrics.front() + " of ";
    std::size_t at = 0;
    while ((at = words.find(next)) != std::string::npos) {
        findings.push_back(words.substr(0, at));
        words.erase(0, at + 2);
    }
    findings.push_back(words);
    return findings;
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& lines) {
    std::string out = "<ul>";
    for (const std::string& line : lines) {
        out += "<li>" + escaped(line) + "</li>";
    }
    return out + "</ul>";
}

/// Title, what qualifies every number, verdict.
[[nodiscard]] std::string head_of(const Saved& saved) {
    constexpr std::ptrdiff_t most_findings = 4;
    std::string out = fmt::format(
        "<header><p class=\"name\">{}</p><h1>{}</h1>",
        escaped(saved.plan.name),
        escaped(saved.plan.summary.empty() ? saved.plan.name : saved.plan.summary)
    );
    if (const std::string marks = detail::marks_of(saved); !marks.empty()) {
        out += fmt::format("<p class=\"marks\">{}</p>", escaped(marks));
    }
    const Badge badge = badge_of(saved);
    const std::vector<std::string> findings = findings_of(saved, badge.text);
    const auto shown =
        std::min<std::ptrdiff_t>(most_findings, static_cast<std::ptrdiff_t>(findings.size()));
    out += fmt::format(
        "<section id=\"verdict\" class=\"{}\"><strong>{}</strong>{}",
        badge.kind,
        badge.text,
        list_of({findings.begin(), findings.begin() + shown})
    );
    if (shown < static_cast<std::ptrdiff_t>(findings.size())) {
        out += fmt::format(
            "<details><summary>{} more</summary>{}</details>",
            static_cast<std::ptrdiff_t>(findings.size()) - shown,
            list_of({findings.begin() + shown, findings.end()})
        );
    }
    return out + "</section></header>\n";
}

[[nodiscard]] std::string profile_of(const Saved& saved) {
    if (saved.plan.profile_text.empty()) {
        return {};
    }
    return fmt::format(
        "<details><summary>The profile, digest {}</summary><pre>{}</pre></details>\n",
        escaped(saved.plan.profile_digest),
        escaped(saved.plan.profile_text)
    );
}

/// In a script element nothing may look like its end, or a comment's start.
[[nodiscard]] std::string script_json(const Json& json) {
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::size_t at = 0;
    while ((at = text.find('<', at)) != std::string::npos) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
}

[[nodiscard]] std::string scripts(const std::vector<Chart>& charts) {
    Json json = Json::array();
    for (const Chart& chart : charts) {
        json.push_back(chart_json(chart));
    }
    return fmt::format(
        "<script type=\"application/json\" id=\"charts\">{}</script>\n"
        "<!--\nuPlot\n{}-->\n<script>{}</script>\n<script>{}\n{}</script>\n",
        script_json(json),
        detail::uplot_license,
        detail::uplot_js,
        detail::charts_js,
        detail::page_js
    );
}

constexpr std::string_view html_head =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

}  // namespace

std::string html(const Saved& saved) {
    const TextOptions all_cores{100, false, true};
    std::vector<detail::Section> sections;
    Page page{saved, all_cores, detail::samples(saved), detail::swept_keys(saved), {}, &sections};
    const std::vector<Chart> charts = charts_of(page);
    std::string out(html_head);
    out += fmt::format(
        "<title>{}: {}</title>\n<style>{}\n{}</style></head>\n<body><button id=\"theme\" "
        "type=\"button\">dark or light</button>\n",
        escaped(saved.plan.name),
        badge_of(saved).text,
        detail::uplot_css,
        detail::page_css
    );
    out += head_of(saved);
    detail::add_wires(page);
    out += "<main>\n" + detail::markup(sections);
    sections.clear();
    if (!charts.empty() && detail::uplot_js.empty()) {
        out += "<p class=\"marks\">This build had no uPlot: charts are told in words, and in the "
               "tables.</p>\n";
    }
    out += "<section class=\"charts\">\n" + figures(charts) + "</section>\n";
    out += detail::markup(detail::core_times(page));
    out += detail::markup(detail::ledger_flows(page));
    detail::add_sections(page);
    out += detail::markup(sections);
    sections.clear();
    detail::add_foot(page);
    out += "</main>\n<footer>" + detail::markup(sections) + profile_of(saved) + "</footer>\n";
    return out + scripts(charts) + "</body></html>\n";
}

}  // namespace gensink::report
