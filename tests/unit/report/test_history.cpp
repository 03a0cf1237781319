// SPDX-License-Identifier: BSD-3-Clause
#include "report/history.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "fixture.hpp"

using namespace gensink;
using namespace gensink::report;

namespace {

/// A result of day `day` with five trials of about so many ticks a frame.
Saved result_of(unsigned day, std::uint64_t ticks) {
    Saved saved = fixture::small();
    saved.plan.arms = {"one-by-one"};
    saved.plan.cells.pop_back();
    saved.plan.metrics = {"tx.ticks_per_frame"};
    saved.run.started = fmt::format("2026-11-{:02}T10:00:00Z", day);
    saved.run.versions = {{"gensink", day < 6 ? "0.1" : "0.2"}};
    saved.result = {};
    for (unsigned round = 1; round <= 5; ++round) {
        fixture::TrialNumbers numbers;
        numbers.round = round;
        numbers.kind = trial::LoadKind::as_planned;
        numbers.sending_ticks = ticks * 1000 + (day + round) % 3;
        numbers.frames = 1'000'000;
        saved.result.trials.push_back(fixture::trial_of(saved, numbers));
    }
    return saved;
}

std::vector<HistorySeries> ten_days() {
    History history({});
    for (const unsigned day : {9U, 2U, 1U, 8U, 3U, 4U, 7U, 5U, 6U, 10U}) {
        history.add(result_of(day, day < 6 ? 100 : 80), fmt::format("run-{}", day));
    }
    return std::move(history).finish();
}

}  // namespace

TEST_CASE("results come in the order of time, and a new level is marked where it begins") {
    const auto series = ten_days();
    REQUIRE(series.size() == 1);
    REQUIRE(series[0].entries.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(series[0].entries[i].path == fmt::format("run-{}", i + 1));
        CHECK(series[0].entries[i].trials == 5);
        CHECK(series[0].entries[i].change.has_value() == (i == 5));
    }
    CHECK(series[0].entries[5].change->ratio == Approx(-0.2).margin(1e-3));
}

TEST_CASE("the text says that less ticks are better, and what changed with them") {
    const std::string text = history_text(ten_days(), {}, {});
    CHECK(text.find("1 of 1 series changed") != std::string::npos);
    CHECK(text.find("BETTER at 2026-11-06T10:00:00Z") != std::string::npos);
    CHECK(text.find("with it: gensink 0.1 -> 0.2") != std::string::npos);
}

TEST_CASE("an invalid result is shown, and has no say") {
    History history({});
    for (unsigned day = 1; day <= 8; ++day) {
        Saved saved = result_of(day, day == 5 ? 300 : 100);
        if (day == 5) {
            saved.result.trials.front().reasons.push_back(trial::Reason{
                trial::ReasonCode::residue, trial::Severity::invalid, "frames are missing", ""});
        }
        history.add(saved, "run");
    }
    const auto series = std::move(history).finish();
    REQUIRE(series.size() == 1);
    REQUIRE(series[0].entries.size() == 8);
    CHECK(series[0].entries[4].refusal == "1 of 5 trials are invalid");
    for (const HistoryEntry& entry : series[0].entries) {
        CHECK_FALSE(entry.change);
    }
}

TEST_CASE("another profile, an unknown metric and a placebo make no series") {
    HistoryOptions options;
    options.profile = "another";
    History others(options);
    others.add(result_of(1, 100), "run");
    CHECK(std::move(others).finish().empty());
    Saved placebo = result_of(1, 100);
    placebo.plan.cells[0].placebo = true;
    History placebos({});
    placebos.add(placebo, "run");
    CHECK(std::move(placebos).finish().empty());
}
