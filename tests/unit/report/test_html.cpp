// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/charts.hpp"
#include "report/html.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "fixture.hpp"

using namespace gensink;
using namespace gensink::report;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The document that the page's script reads.
nlohmann::json charts_in(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"charts\">";
    const std::size_t at = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

nlohmann::json chart_named(const nlohmann::json& charts, const std::string& title) {
    for (const auto& chart : charts) {
        if (chart["title"] == title) {
            return chart;
        }
    }
    FAIL("no chart " << title);
    return {};
}

detail::Page page_of(const Saved& saved) {
    static const TextOptions options;
    return {saved, options, detail::samples(saved), detail::swept_keys(saved), {}};
}

}  // namespace

TEST_CASE("the page has the verdict, the tables of the text, the host and the profile") {
    const Saved saved = fixture::sweep();
    const std::string page = html(saved);
    CHECK(holds(page, "<section id=\"verdict\" class=\"gain\"><strong>GAIN</strong>"));
    CHECK(holds(page, "<h2>Rates at load max</h2>"));
    CHECK(holds(page, "<table class=\"data\">"));
    CHECK(holds(page, "in-process cable: not a NIC result"));
    CHECK(holds(page, "Ledger, from built to in order"));
    CHECK(holds(page, saved.plan.profile_digest));
    CHECK(page.size() < 500'000);
}

TEST_CASE("names are text, never markup, in the page and in its script") {
    Saved saved = fixture::sweep();
    const std::string evil = "</script><img src=x onerror=alert(1)>\"'&";
    saved.plan.name = evil;
    saved.plan.summary = evil;
    saved.plan.profile_text = evil;
    for (CellSummary& cell : saved.plan.cells) {
        cell.arm = evil;
    }
    const std::string page = html(saved);
    CHECK_FALSE(holds(page, "<img"));
    CHECK(holds(page, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;'&amp;"));
    CHECK_FALSE(charts_in(page).empty());
}

TEST_CASE("gains are drawn with their intervals and the margin") {
    const Saved saved = fixture::sweep();
    const experiment::Comparison& first = saved.result.comparisons.front();
    const auto chart =
        chart_named(charts_in(html(saved)), first.metric + ": gain over " + *saved.plan.baseline);
    CHECK(chart["band"].get<double>() == Approx(*saved.plan.margin_ratio * 100));
    const auto& point = chart["series"][0]["points"][0];
    CHECK(point[1].get<double>() == Approx(first.gain_ratio * 100));
    CHECK(point[2].get<double>() == Approx(first.interval->low * 100));
    CHECK(point[3].get<double>() == Approx(first.interval->high * 100));
}

TEST_CASE("a sweep is drawn with its fit, and each trial is shown") {
    const Saved saved = fixture::sweep();
    std::vector<detail::Chart> charts;
    detail::add_trial_chart(page_of(saved), charts);
    REQUIRE(charts.size() == 1);
    std::size_t shown = 0;
    for (const detail::ChartSeries& series : charts[0].series) {
        shown += series.name == "mean, interval" ? 0 : series.points.size();
    }
    CHECK(shown > saved.plan.cells.size());
}

TEST_CASE("no verdict, no trial and a failed run make pages, too") {
    CHECK(holds(html(fixture::small()), "id=\"verdict\""));
    CHECK(holds(html(fixture::broken()), "PARTIAL"));
    CHECK(holds(html(fixture::search()), "<h2>"));
    CHECK(holds(
        html(fixture::transfer(plan::WireKind::model)), "model: virtual time, not a measurement"
    ));
    Saved nothing;
    nothing.plan.name = "nothing";
    CHECK(holds(html(nothing), "MEASURED"));
    nothing.result.failed = true;
    CHECK(holds(html(nothing), "class=\"failed\"><strong>FAILED"));
}

TEST_CASE("unmet expectations stand at the top") {
    Saved saved = fixture::small();
    saved.result.has_verdict = false;
    saved.result.verdict = experiment::Verdict::inconclusive;
    saved.result.expectations = {{"a", true, ""}, {"b", false, ""}};
    CHECK(holds(html(saved), "1 OF 2 EXPECTATIONS UNMET"));
    saved.result.expectations.pop_back();
    CHECK(holds(html(saved), "<strong>EXPECTATIONS MET"));
}

TEST_CASE("swept values are numbers as they are written") {
    CHECK(*detail::number_of("64 KiB") == 65536);
    CHECK(*detail::number_of("128 B") == 128);
    CHECK(*detail::number_of("1.5 Mfps") == Approx(1.5e6));
    CHECK(*detail::number_of("44ms") == Approx(0.044));
    CHECK(*detail::number_of("32") == 32);
    CHECK_FALSE(detail::number_of("forward"));
    CHECK_FALSE(detail::number_of("3 lightyears"));
    CHECK_FALSE(detail::number_of(""));
}
