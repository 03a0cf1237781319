// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/table.hpp"
#include "report/format.hpp"
#include "report/text.hpp"
#include "trial/metrics.hpp"

#include <sstream>
#include <string>

#include "catch.hpp"
#include "fixture.hpp"

using namespace gensink;
using namespace gensink::report;

namespace {

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every metric that the text shows exists") {
    for (const char* name :
         {"tx.fps",
          "rx.fps",
          "tx.bps_l1",
          "tx.bps_l2",
          "tx.bps_payload",
          "rx.bps_l1",
          "rx.bps_l2",
          "rx.bps_payload",
          "tx.ticks_per_frame",
          "tx.ns_per_frame",
          "tx.occupied_ticks_per_frame",
          "tx.occupied_ns_per_frame",
          "rx.ticks_per_frame",
          "rx.ns_per_frame",
          "rx.occupied_ticks_per_frame",
          "rx.occupied_ns_per_frame",
          "tx.burst_accepted",
          "rx.burst_received"}) {
        INFO(name);
        CHECK(trial::find_metric(name) != nullptr);
    }
}

TEST_CASE("links are shown once, as their devices report them") {
    Saved saved = fixture::small();
    CHECK_FALSE(says(text(saved), "link: "));
    for (trial::TrialResult& one : saved.result.trials) {
        one.counts.gen_link = {10'000'000'000, true, trial::FlowControl::both};
        one.counts.sink_link = {10'000'000, false, std::nullopt};
    }
    const std::string said = text(saved, {.width = 200});
    const std::string line = "link: generator 10.00 Gbit/s, full duplex, flow control both; sink "
                             "10.00 Mbit/s, HALF DUPLEX\n";
    REQUIRE(says(said, line));
    CHECK(said.find("link: ") == said.rfind("link: "));
}

TEST_CASE("no table is wider than asked where a column fits") {
    for (const std::size_t width : {60U, 80U, 100U, 200U}) {
        std::istringstream lines(text(fixture::sweep(), {.width = width}));
        for (std::string line; std::getline(lines, line);) {
            INFO(line);
            CHECK(columns(line) <= width);
        }
    }
}

TEST_CASE("colour only adds sequences, and only when asked") {
    const std::string plain = text(fixture::sweep());
    CHECK_FALSE(says(plain, "\x1b"));
    std::string coloured = text(fixture::sweep(), {.colour = true});
    CHECK(says(coloured, "\x1b[1;32mGAIN\x1b[0m"));
    for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
         at = coloured.find('\x1b')) {
        coloured.erase(at, coloured.find('m', at) + 1 - at);
    }
    CHECK(coloured == plain);
}

TEST_CASE("a headline of many points is cut, as the table has them all") {
    Saved saved = fixture::sweep();
    saved.result.headline = "GAIN:";
    for (int i = 0; i < 200; ++i) {
        saved.result.headline += " finding " + std::to_string(i) + ";";
    }
    const std::string shown = text(saved);
    CHECK(says(shown, "finding 20;"));
    CHECK_FALSE(says(shown, "finding 199;"));
    CHECK(says(shown, "... and more, in the table below"));
}

TEST_CASE("a refused comparison and its disturbed rounds are explained") {
    Saved saved = fixture::sweep();
    saved.result.comparisons.front().refusal = "the sink was the limit";
    saved.result.comparisons.front().gain_with_disturbed_ratio = 0.41;
    const std::string shown = text(saved);
    CHECK(says(shown, "batched at block_size 128 B: the sink was the limit"));
    CHECK(says(shown, "batched at block_size 128 B: +41.00 % with the disturbed rounds in it"));
}

TEST_CASE("a refusal of many cells is said once, with the cells") {
    Saved saved = fixture::sweep();
    auto& all = saved.result.comparisons;
    REQUIRE(all.size() > 2);
    all[0].refusal = all[1].refusal = "too few rounds";
    const std::string some = text(saved);
    CHECK(says(some, "; placebo at block_size 128 B: too few rounds"));
    CHECK(some.find("too few rounds") == some.rfind("too few rounds"));
    for (auto& one : all) {
        one.refusal = "too few rounds";
    }
    CHECK(says(text(saved), "\n  all of them: too few rounds"));
}

TEST_CASE("the wire is what the profile names, not what the plan made of it") {
    Saved saved = fixture::sweep();
    CellSummary& cell = saved.plan.cells.front();
    cell.wire = plan::WireKind::ports;
    cell.gen.device = "net_memif,role=client,socket=gensink-{run}";
    cell.gen.device_written = "net_memif";
    const std::string shown = text(saved);
    CHECK(says(shown, "wire: net_memif ("));
    CHECK_FALSE(says(shown, "{run}"));
}

TEST_CASE("disturbed trials leave the means, and the row says how many count") {
    Saved saved = fixture::small();
    fixture::TrialNumbers numbers;
    numbers.cell = 1;
    numbers.round = 2;
    numbers.frames = 4'000'000;
    trial::TrialResult disturbed = fixture::trial_of(saved, numbers);
    disturbed.reasons.push_back(
        {trial::ReasonCode::disturbed_gen, trial::Severity::external, "lost its core", "isolate it"}
    );
    saved.result.trials.push_back(disturbed);
    std::string shown = text(saved);
    CHECK(says(shown, "16.00 Mfps"));
    CHECK(says(shown, "1 of 2"));
    CHECK(says(shown, "DISTURBED disturbed_gen (round 2, batched, load max): lost its core"));
    CHECK(says(shown, "do: isolate it"));
    // Only the disturbed one is left: its numbers are shown, with a mark.
    saved.result.trials.erase(saved.result.trials.begin() + 1);
    shown = text(saved);
    CHECK(says(shown, "4.000 Mfps"));
    CHECK(says(shown, "0 of 1 !"));
    CHECK(says(shown, "for diagnosis only"));
}

TEST_CASE("a reason of many trials is said once, with the trials by arm") {
    Saved saved = fixture::small();
    for (trial::TrialResult& trial : saved.result.trials) {
        trial.reasons.push_back(
            {trial::ReasonCode::sink_limit, trial::Severity::note, "of " + trial.arm, "more cores"}
        );
    }
    CHECK(says(
        text(saved, {.width = 200}),
        "note sink_limit (round 1, one-by-one, load max; 2 trials: batched 1, one-by-one 1): of "
        "one-by-one\n    do: more cores\n"
    ));
}

TEST_CASE("of a repeated round only the last attempt counts") {
    Saved saved = fixture::small();
    fixture::TrialNumbers numbers;
    numbers.cell = 1;
    numbers.frames = 20'000'000;
    trial::TrialResult repeat = fixture::trial_of(saved, numbers);
    repeat.attempt = 1;
    saved.result.trials.push_back(repeat);
    const std::string shown = text(saved);
    CHECK(says(shown, "20.00 Mfps"));
    CHECK(says(shown, "Ledger of 2 trials"));
}

TEST_CASE("cores by cause are left out beyond a few rows, unless asked for") {
    Saved saved = fixture::small();
    trial::TrialResult& trial = saved.result.trials.front();
    for (unsigned lcore = 1; lcore < 20; ++lcore) {
        trial.counts.gen.push_back(trial.counts.gen.front());
        trial.counts.gen.back().lcore = LcoreId{lcore};
    }
    CHECK(says(text(saved), "21 rows: gensink report --cores RESULT.json prints them"));
    CHECK_FALSE(says(text(saved), "19 (cpu 0)"));
    CHECK(says(text(saved, {.all_cores = true}), "19 (cpu 0)"));
}

TEST_CASE("many anomalies are counted, not listed") {
    Saved saved = fixture::small();
    for (unsigned round = 2; round < 22; ++round) {
        fixture::TrialNumbers numbers;
        numbers.round = round;
        numbers.lost = 1;
        saved.result.trials.push_back(fixture::trial_of(saved, numbers));
    }
    const std::string shown = text(saved);
    CHECK(says(shown, "round 9, one-by-one, load max: lost 1"));
    CHECK_FALSE(says(shown, "round 10, one-by-one, load max: lost 1"));
    CHECK(says(shown, "and 12 more trials: see result.csv"));
}

TEST_CASE("the rate's share of the line is shown where the line is known") {
    Saved saved = fixture::small();
    CHECK_FALSE(says(text(saved), "of line"));
    saved.plan.cells.front().line_bps = 37.248e9;  // twice what 12 Mfps of 174 B take
    CHECK(says(text(saved), "of line"));
    CHECK(says(text(saved), "50 %"));
}

TEST_CASE("a table folds below its keys rather than lose a column") {
    detail::Table table({"arm", "unused"}, {{"", {"first"}}, {"pair", {"one", "two"}}});
    table.add(
        {detail::CellText("x"),
         detail::CellText(""),
         detail::CellText("1"),
         detail::CellText("2"),
         detail::CellText("3")}
    );
    CHECK(
        table.render(80, false) ==
        "                  pair\n  arm  first  one  two\n  x        1    2    3\n"
    );
    CHECK(
        table.render(16, false) ==
        "  arm  first\n  x        1\n           pair\n  arm  one  two\n  x      2    3\n"
    );
}

TEST_CASE("virtual time is called so, and has no host, CPU or clock") {
    const std::string model = text(fixture::transfer(plan::WireKind::model));
    CHECK(model.find("model: virtual time, not a measurement") != std::string::npos);
    for (const char* real : {"(cpu", "host:", "TSC", "memory:", "in-process cable", "wire:"}) {
        INFO(real);
        CHECK(model.find(real) == std::string::npos);
    }
    const std::string cable = text(fixture::transfer(plan::WireKind::cable));
    CHECK(cable.find("virtual") == std::string::npos);
    CHECK(cable.find("in-process cable") != std::string::npos);
    CHECK(cable.find("0 (cpu 0)") != std::string::npos);
}

TEST_CASE("a mix of model and cable names both") {
    Saved saved = fixture::transfer(plan::WireKind::model);
    saved.plan.cells.back().wire = plan::WireKind::cable;
    const std::string mixed = text(saved);
    CHECK(mixed.find("some cells: model, virtual time, not a measurement") != std::string::npos);
    CHECK(mixed.find("some cells: in-process cable") != std::string::npos);
    CHECK(mixed.find("host:") != std::string::npos);
}

TEST_CASE("a folded table has blocks of like width") {
    detail::Table parts({"arm"}, {{"", {"one"}}, {"", {"two"}}, {"", {"three"}}, {"", {"four"}}});
    parts.add({
        detail::CellText("a"),
        detail::CellText("1111111111"),
        detail::CellText("2222222222"),
        detail::CellText("3333333333"),
        detail::CellText("4444444444"),
    });
    const std::string text = parts.render(45, false);  // three fit a line
    CHECK(text.find("two") < text.find("2222222222"));
    CHECK(text.find("2222222222") < text.find("three"));  // two and two
    CHECK(text.find("three") < text.find("3333333333"));
}
