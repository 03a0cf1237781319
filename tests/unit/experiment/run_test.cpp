// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;
using trial::LoadKind;
using trial::ReasonCode;
using trial::Severity;

namespace {

/// Batched carries 8 Mfps at max, one-by-one 2 Mfps; cost 100 and 400 ticks.
trial::TrialResult saturable(const trial::Request& request) {
    const bool batched = request.arm == "batched";
    fake::Seen seen;
    seen.tx_ticks_per_frame = batched ? 100.0 : 400.0;
    seen.offered_fps = request.intended_fps.value_or(batched ? 8e6 : 2e6);
    return fake::make_trial(seen);
}

std::vector<trial::Request> of_kind(const fake::Host& host, LoadKind kind) {
    std::vector<trial::Request> found;
    std::copy_if(
        host.requests.begin(),
        host.requests.end(),
        std::back_inserter(found),
        [kind](const auto& r) { return r.load_kind == kind; }
    );
    return found;
}

trial::TrialResult dead() {
    trial::TrialResult trial;
    trial.reasons.push_back(fake::reason(
        ReasonCode::datapath_died, Severity::invalid, "the worker was killed (signal 9)"
    ));
    return trial;
}

trial::TrialResult without_link() {
    trial::TrialResult trial;
    trial.reasons.push_back(
        fake::reason(ReasonCode::link_down, Severity::invalid, "the link is down: sink (v1)")
    );
    return trial;
}

}  // namespace

TEST_CASE("at load max cost is measured at a sixth of the slowest arm's maximum") {
    auto plan = fake::make_plan({{}}, true);
    fake::Host host;
    host.trial_of = saturable;
    const auto result = host.run(plan);
    const auto calibration = of_kind(host, LoadKind::max);
    REQUIRE(calibration.size() == 2);  // the placebo needs none
    for (const auto& request : calibration) {
        CHECK(request.round == 0);
        CHECK_FALSE(request.intended_fps);
    }
    const auto cost = of_kind(host, LoadKind::cost);
    CHECK(cost.size() == 30);
    for (const auto& request : cost) {
        CHECK(request.intended_fps.value() == Approx(2e6 / 6));
    }
    CHECK(host.rounds_begun.front() == 0);
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::find(result, false)->gain_ratio == Approx(3.0));
}

TEST_CASE("what the sink did not get does not count for the cost load") {
    auto plan = fake::make_plan({{}}, true);
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        fake::Seen seen;
        seen.offered_fps = request.intended_fps.value_or(4e6);
        seen.received_fps = request.intended_fps.value_or(request.arm == "batched" ? 1e6 : 3e6);
        return fake::make_trial(seen);
    };
    host.run(plan);
    CHECK(of_kind(host, LoadKind::cost).front().intended_fps.value() == Approx(1e6 / 6));
}

TEST_CASE("each point has a cost load of its own") {
    auto plan = fake::make_plan({{{"k", "1"}}, {{"k", "2"}}}, true);
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        fake::Seen seen;
        seen.offered_fps = request.intended_fps.value_or(request.cell % 2 == 0 ? 1e6 : 3e6);
        return fake::make_trial(seen);
    };
    host.run(plan);
    for (const auto& request : of_kind(host, LoadKind::cost)) {
        CHECK(request.intended_fps.value() == Approx(request.cell % 2 == 0 ? 1e6 / 6 : 3e6 / 6));
    }
}

TEST_CASE("a written cost load replaces calibration") {
    auto plan = fake::make_plan({{}}, true);
    for (auto& cell : plan.cells) {
        cell.trial.frames.payload_bytes = {fake::payload_bytes};
    }
    // 128 + 20 bytes at 1.184 Gbit/s on the wire are 1 Mfps.
    plan.compare->cost_load = flow::Load{flow::LoadUnit::bps_l1, 1.184e9};
    fake::Host host;
    host.trial_of = saturable;
    host.run(plan);
    CHECK(of_kind(host, LoadKind::max).empty());
    CHECK(*of_kind(host, LoadKind::cost).front().intended_fps == Approx(1e6));
}

TEST_CASE("a disturbed calibration is tried again, and its best attempt counts") {
    auto plan = fake::make_plan({{}}, true);
    fake::Host host;
    host.trial_of = [&host](const trial::Request& request) {
        auto trial = saturable(request);
        if (host.requests.size() == 1) {
            trial = fake::make_trial({.offered_fps = 0.1e6});
            trial.reasons.push_back(fake::disturbance());
        }
        return trial;
    };
    host.run(plan);
    CHECK(of_kind(host, LoadKind::max).size() == 3);
    CHECK(of_kind(host, LoadKind::cost).front().intended_fps.value() == Approx(2e6 / 6));
}

TEST_CASE("a rate metric runs at max, beside cost at the cost load") {
    auto plan = fake::make_plan({{}}, true);
    plan.metrics = {"rx.fps", "tx.ticks_per_frame"};
    fake::Host host;
    host.trial_of = saturable;
    const auto result = host.run(plan);
    CHECK(of_kind(host, LoadKind::max).size() == 2 + 30);
    CHECK(of_kind(host, LoadKind::cost).size() == 30);
    CHECK(fake::find(result, false, 0)->metric == "rx.fps");
    CHECK(fake::find(result, false, 0)->gain_ratio == Approx(3.0));
    CHECK(fake::find(result, false, 1)->gain_ratio == Approx(3.0));
}

TEST_CASE("a disturbed round is repeated whole, with fresh workers") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        auto trial = fake::make_trial({});
        if (request.round == 3 && request.attempt == 0 && request.cell == 1) {
            trial.reasons.push_back(fake::disturbance());
        }
        return trial;
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 33);
    CHECK(host.rounds_begun == std::vector<unsigned>{1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK(result.rounds_repeated == 1);
    CHECK(result.rounds_counted == 10);
    CHECK(fake::find(result, false)->rounds == 10);
    CHECK(fake::find(result, false)->gain_with_disturbed_ratio);
    CHECK(fake::warned(result, "batched 1 of 11, one-by-one 0 of 11, placebo 0 of 11"));
}

TEST_CASE("repeats are bounded, and rounds that stay disturbed count only beside the verdict") {
    auto plan = fake::make_plan();
    plan.stats.repeats = 2;
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const bool disturbed = request.arm == "batched" && request.round > 5;
        auto trial = fake::make_trial({.tx_ticks_per_frame = disturbed ? 200.0 : 100.0});
        if (disturbed) {
            trial.reasons.push_back(fake::disturbance());
        }
        return trial;
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 36);
    CHECK(result.rounds_repeated == 2);
    CHECK(result.rounds_counted == 5);
    const Comparison& comparison = *fake::find(result, false);
    CHECK(comparison.rounds == 5);
    CHECK(comparison.gain_ratio == Approx(0.0).margin(1e-12));
    REQUIRE(comparison.gain_with_disturbed_ratio);
    CHECK(*comparison.gain_with_disturbed_ratio < -0.3);
    CHECK(result.verdict == Verdict::no_difference);
}

TEST_CASE("with every trial disturbed nothing is concluded, and what was seen is shown") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        auto trial = fake::make_trial({});
        trial.reasons.push_back(fake::disturbance());
        return trial;
    };
    const auto result = host.run(plan);
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(result.rounds_counted == 0);
    CHECK_FALSE(result.cells.empty());
    CHECK(fake::warned(result, "come from disturbed trials"));
}

TEST_CASE("shared cores are told to the trial") {
    auto plan = fake::make_plan();
    plan.shared_cores = true;
    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        return fake::make_trial({});
    };
    host.run(plan);
    CHECK(host.requests.front().shared_cores);
}

TEST_CASE("an invalid trial is never repeated and makes the experiment INVALID") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        auto trial = fake::make_trial({});
        if (request.round == 2 && request.arm == "batched") {
            trial.reasons.push_back(fake::reason(
                ReasonCode::treatment_not_exercised,
                Severity::invalid,
                "achieved burst 1.0, asked 32"
            ));
        }
        return trial;
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 30);
    CHECK(result.verdict == Verdict::invalid);
    CHECK(fake::contains(fake::find(result, false)->refusal, "achieved burst 1.0, asked 32"));
    CHECK(fake::contains(result.headline, "INVALID"));
    CHECK(fake::contains(result.headline, "batched, round 2"));
    CHECK(fake::find(result, true)->verdict == Verdict::no_difference);
}

TEST_CASE("a stop keeps what was measured and says that it is partial") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        return fake::make_trial({});
    };
    host.stop_after = 14;
    const auto result = host.run(plan);
    CHECK(result.partial);
    CHECK_FALSE(result.failed);
    CHECK(result.trials.size() == 14);
    CHECK(result.rounds_counted == 4);
    CHECK(fake::find(result, false)->rounds >= 4);
    CHECK(result.has_verdict);
}

TEST_CASE("an interrupted trial ends the experiment and counts for nothing") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [&host](const trial::Request&) {
        auto trial = fake::make_trial({.tx_ticks_per_frame = 1.0});
        if (host.requests.size() < 7) {
            return fake::make_trial({});
        }
        trial.complete = false;
        trial.reasons.push_back(
            fake::reason(ReasonCode::interrupted, Severity::invalid, "interrupted by a signal")
        );
        return trial;
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 7);
    CHECK(result.partial);
    CHECK(result.verdict != Verdict::invalid);
    CHECK(fake::find(result, false)->rounds == 2);
}

TEST_CASE("a datapath that dies once is replaced, and its comparison is INVALID") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return request.round == 2 && request.arm == "batched" ? dead() : fake::make_trial({});
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 30);
    CHECK(std::count(host.rounds_begun.begin(), host.rounds_begun.end(), 2U) == 2);
    CHECK_FALSE(result.failed);
    CHECK(result.verdict == Verdict::invalid);
    CHECK(fake::contains(result.headline, "the worker was killed"));
}

TEST_CASE("three deaths in a row end the experiment as failed") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        return dead();
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 3);
    CHECK(result.failed);
    CHECK(fake::warned(result, "the worker was killed (signal 9)"));
}

TEST_CASE("three trials without a link in a row end the experiment with what was measured") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [&host](const trial::Request&) {
        // One that comes up again starts the count anew.
        const std::size_t n = host.requests.size();
        return n == 4 || n == 5 || n > 8 ? without_link() : fake::make_trial({});
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 11);
    CHECK(result.partial);
    CHECK_FALSE(result.failed);
    CHECK(result.verdict == Verdict::invalid);
    CHECK(fake::warned(result, "3 trials in a row had no link, the last: the link is down"));
}

TEST_CASE("an experiment that never had a link has failed") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        return without_link();
    };
    const auto result = host.run(plan);
    CHECK(host.requests.size() == 3);
    CHECK(result.failed);
}

TEST_CASE("a pilot sizes the rounds and does not count") {
    auto plan = fake::make_plan();
    plan.stats.precision_ratio = 0.025;
    plan.stats.rounds = 50;
    fake::Host host;
    // By hand with tables: log ratios of +-ln 1.02, three of one sign, have s = 2.169 %, at most
    // 3.378 % by the 80 % bound. At 99 %: n = 16: 2.947 * 3.378 / 4 = 2.489 %, above ln 1.025 =
    // 2.469 %; n = 17: 2.921 * 3.378 / 4.123 = 2.393 %.
    host.trial_of = [&host](const trial::Request& request) {
        const bool pilot = request.round == 0;
        const bool up = host.rounds_begun.size() % 2 == 0;
        const double swing = up ? 1.02 : 1.0 / 1.02;
        return fake::make_trial(
            {.tx_ticks_per_frame = pilot && request.arm == "batched" ? 100.0 * swing : 100.0}
        );
    };
    const auto result = host.run(plan);
    CHECK(std::count(host.rounds_begun.begin(), host.rounds_begun.end(), 0U) == 5);
    const auto rounds = host.rounds_begun.back();
    CHECK(result.rounds_counted == rounds);
    CHECK(rounds == 17);
    CHECK(fake::find(result, false)->gain_ratio == Approx(0.0).margin(1e-12));
}

TEST_CASE("a pilot that asks for more than 100 rounds gets 100 and a warning") {
    auto plan = fake::make_plan();
    plan.stats.precision_ratio = 0.001;
    fake::Host host;
    host.trial_of = [&host](const trial::Request&) {
        return fake::make_trial(
            {.tx_ticks_per_frame = 100.0 + static_cast<double>(host.requests.size() % 7)}
        );
    };
    const auto result = host.run(plan);
    CHECK(host.rounds_begun.back() == 100);
    CHECK(fake::warned(result, "needs more than 100 rounds"));
}

TEST_CASE("progress counts every trial up to its total") {
    auto plan = fake::make_plan({{}}, true);
    Hooks hooks;
    unsigned last = 0;
    unsigned last_total = 0;
    hooks.run_trial = saturable;
    hooks.progress = [&](unsigned done, unsigned total) {
        CHECK(done == last + 1);
        last = done;
        last_total = total;
    };
    const auto result = experiment::run(plan, hooks);
    CHECK(last == result.trials.size());
    CHECK(last == last_total);
}
