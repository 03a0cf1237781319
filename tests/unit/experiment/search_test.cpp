// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/limit.hpp"
#include "experiment/search.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

constexpr double line_fps = 1'000'000.0;

/// Loses whatever exceeds `capacity_fps`; offers at most the line.
Measure lossy(double capacity_fps, std::vector<std::optional<double>>& asked) {
    return [capacity_fps, &asked](std::optional<double> fps) -> std::optional<Probe> {
        asked.push_back(fps);
        const double offered = std::min(fps.value_or(line_fps), line_fps);
        const double received = std::min(offered, capacity_fps);
        return Probe{offered, received, (offered - received) / offered};
    };
}

plan::Plan search_plan() {
    plan::Plan plan = fake::make_plan({{}}, true);
    plan.compare.reset();
    plan.cells.resize(1);
    plan.metrics = {"rx.fps"};
    plan.stats.rounds = 2;
    plan.search.emplace();
    return plan;
}

}  // namespace

TEST_CASE("the search finds the highest load without loss within its resolution") {
    std::vector<std::optional<double>> asked;
    const auto found = ndr_search({.resolution_ratio = 0.01}, lossy(630'000.0, asked));
    REQUIRE(found.found_fps);
    CHECK(*found.found_fps <= 630'000.0);
    CHECK(*found.found_fps > 630'000.0 * 0.99);
    CHECK(found.high_fps > 630'000.0);
    CHECK(found.high_fps - found.low_fps <= 0.01 * found.high_fps);
    CHECK(*found.max_offered_fps == line_fps);
    CHECK(*found.max_received_fps == 630'000.0);
    CHECK(found.probes == asked.size());
    CHECK(found.complete);
    CHECK_FALSE(asked.front());  // max comes first
}

TEST_CASE("a low answer is as fine as a high one") {
    std::vector<std::optional<double>> asked;
    const auto found = ndr_search({.resolution_ratio = 0.01}, lossy(30'000.0, asked));
    REQUIRE(found.found_fps);
    CHECK(*found.found_fps == Approx(30'000.0).epsilon(0.01));
}

TEST_CASE("where max passes every repeat, max is the answer") {
    std::vector<std::optional<double>> asked;
    const auto found = ndr_search({.repeats = 3}, lossy(2 * line_fps, asked));
    CHECK(*found.found_fps == line_fps);
    CHECK(found.low_fps == line_fps);
    CHECK(found.high_fps == line_fps);
    CHECK(asked.size() == 3);
    CHECK(found.complete);
}

TEST_CASE("a load that was not offered in full is tried again, and proves what it offered") {
    unsigned made = 0;
    // Nothing is ever lost; each probe that an interruption cut short offers 3 % less.
    const Measure interrupted = [&](std::optional<double> fps) -> std::optional<Probe> {
        const bool cut = ++made % 3 != 0;
        const double wanted = fps.value_or(made == 2 ? 0.8 * line_fps : line_fps);
        const double offered = fps && cut ? 0.97 * wanted : wanted;
        return Probe{offered, offered, 0.0};
    };
    const auto found = ndr_search({.resolution_ratio = 0.01}, interrupted);
    REQUIRE(found.found_fps);
    CHECK(*found.found_fps >= 0.8 * line_fps);  // both repeats at max carried so much
    CHECK(*found.found_fps <= line_fps);
    CHECK(found.complete);
}

TEST_CASE("where nothing passes there is no answer, after a bounded number of probes") {
    const Measure broken = [](std::optional<double> fps) {
        return Probe{fps.value_or(line_fps), 0.0, 0.5};
    };
    const auto found = ndr_search({.resolution_ratio = 0.01}, broken);
    CHECK_FALSE(found.found_fps);
    CHECK(found.low_fps == 0.0);
    CHECK(found.high_fps <= 0.01 * line_fps);
    CHECK(found.probes <= 9);
    CHECK(found.complete);
}

TEST_CASE("one failed repeat fails the probe") {
    // Above 400 kfps every second trial loses a frame: only loads below pass both repeats.
    int trials = 0;
    const Measure noisy = [&trials](std::optional<double> fps) {
        const double offered = fps.value_or(line_fps);
        const bool loses = !fps || (offered > 400'000.0 && trials++ % 2 == 1);
        return Probe{offered, offered, loses ? 1e-6 : 0.0};
    };
    const auto found = ndr_search({.resolution_ratio = 0.01, .repeats = 2}, noisy);
    REQUIRE(found.found_fps);
    CHECK(*found.found_fps <= 400'000.0);
    CHECK(*found.found_fps > 390'000.0);
}

TEST_CASE("PDR allows its loss, NDR not one frame") {
    const Probe one_lost{1e6, 1e6 - 1, 1e-6};
    CHECK_FALSE(passes({.loss_ratio = 0.0}, 1e6, one_lost));
    CHECK(passes({.loss_ratio = 1e-3}, 1e6, one_lost));
}

TEST_CASE("unsent frames count against a load as lost ones do") {
    const Probe short_of_load{0.98e6, 0.98e6, 0.0};
    CHECK_FALSE(passes({.resolution_ratio = 0.01}, 1e6, short_of_load));
    CHECK(passes({.resolution_ratio = 0.03}, 1e6, short_of_load));
    CHECK(passes({.resolution_ratio = 0.01}, std::nullopt, short_of_load));
}

TEST_CASE("a search without trials ends with what it has") {
    int left = 5;
    const Measure stopped = [&left](std::optional<double> fps) -> std::optional<Probe> {
        if (left-- == 0) {
            return std::nullopt;
        }
        const double offered = fps.value_or(line_fps);
        return Probe{offered, offered, offered > 300'000.0 ? 0.1 : 0.0};
    };
    const auto found = ndr_search({.resolution_ratio = 0.01, .repeats = 1}, stopped);
    CHECK_FALSE(found.complete);
    CHECK(found.probes == 6);
    CHECK(found.low_fps < found.high_fps);
}

TEST_CASE("an experiment searches every cell after its rounds") {
    auto plan = search_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        fake::Seen seen;
        seen.offered_fps = request.intended_fps.value_or(line_fps);
        seen.received_fps = std::min(seen.offered_fps, 630'000.0);
        return fake::make_trial(seen);
    };
    const auto result = host.run(plan);
    REQUIRE(result.searches.size() == 1);
    const SearchResult& search = result.searches.front();
    CHECK(*search.found_fps == Approx(630'000.0).epsilon(0.01));
    CHECK(*search.max_offered_fps == line_fps);
    CHECK(*search.max_received_fps == 630'000.0);
    CHECK(search.probes + 2 == result.trials.size());
    CHECK(result.trials.back().load_kind == trial::LoadKind::probe);
    CHECK(result.trials.back().round == 0);
    CHECK(host.rounds_begun == std::vector<unsigned>{1, 2, 0});
}

TEST_CASE("a disturbed probe is tried again before it fails a load") {
    auto plan = search_plan();
    fake::Host host;
    host.trial_of = [&host](const trial::Request& request) {
        auto trial = fake::make_trial({.offered_fps = request.intended_fps.value_or(line_fps)});
        if (host.requests.size() == 3) {  // the first at max, after two rounds
            trial = fake::make_trial({.offered_fps = line_fps, .received_fps = 1.0});
            trial.reasons.push_back(fake::disturbance());
        }
        return trial;
    };
    const auto result = host.run(plan);
    CHECK(result.searches.front().found_fps == line_fps);
}

TEST_CASE("a search that cannot get a trial says why") {
    auto plan = search_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        auto trial = fake::make_trial({});
        if (request.round == 0) {
            trial.complete = false;
            trial.reasons.push_back(fake::reason(
                trial::ReasonCode::link_down, trial::Severity::invalid, "the link went down"
            ));
        }
        return trial;
    };
    const auto result = host.run(plan);
    CHECK_FALSE(result.searches.front().found_fps);
    CHECK(fake::contains(result.searches.front().evidence, "the link went down"));
}

TEST_CASE("the limit is the link within 0.5 % of its line rate") {
    plan::TrialPlan plan;
    plan.line_bps = 8.0 * 148 * 1e6;  // 128-byte frames and their gaps at 1 Mfps
    const auto full = detail::find_limit(plan, fake::make_trial({.offered_fps = 0.996e6}));
    CHECK(full.name == "link");
    CHECK(*full.line_ratio == Approx(0.996));
    const auto idle = detail::find_limit(plan, fake::make_trial({.offered_fps = 0.9e6}));
    CHECK(idle.name == "unknown");
    const auto beyond = detail::find_limit(plan, fake::make_trial({.offered_fps = 1.5e6}));
    CHECK(beyond.name == "unknown");
    CHECK(fake::contains(beyond.evidence, "the link enforces none"));
}

TEST_CASE("the limit is the sink where it missed frames, or refused them without an empty poll") {
    auto missed = fake::make_trial({});
    missed.counts.sink_device.rx_missed = 17;
    CHECK(detail::find_limit({}, missed).name == "sink");
    CHECK(fake::contains(detail::find_limit({}, missed).evidence, "missed 17 frames"));

    auto refused = fake::make_trial({.refused = 5000});
    CHECK(detail::find_limit({}, refused).name == "unknown");  // half its polls were empty
    refused.counts.sink[0].measured.cause_ticks = {fake::tsc_hz, 0, fake::tsc_hz / 1000};
    CHECK(detail::find_limit({}, refused).name == "sink");
}

TEST_CASE("the limit is the generator's CPU where it only sends and nothing is refused") {
    const auto busy = fake::make_trial({.tx_ticks_per_frame = 1000.0, .offered_fps = 1e6});
    const auto limit = detail::find_limit({}, busy);
    CHECK(limit.name == "generator CPU");
    CHECK(fake::contains(limit.evidence, "not proven"));
}
