// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>
#include <string>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

/// Rate of each burst in each round; rounds repeat the last list's pattern.
using Rates = std::map<std::string, std::vector<double>>;

plan::Plan knee_plan(const Rates& rates, unsigned rounds) {
    plan::Plan plan;
    plan.arms = {"nic"};
    plan.metrics = {"rx.fps"};
    plan.stats.rounds = rounds;
    plan.stats.confidence = 0.95;
    plan.knee = plan::KneePlan{.margin_ratio = 0.05, .metric = "rx.fps", .hold_load = {}};
    for (const auto& [burst, list] : rates) {
        plan.cells.push_back(fake::make_cell("nic", {{"tx.burst", burst}}, true));
    }
    return plan;
}

/// Holds of 10 us a frame of the burst, in the trials at equal load.
void add_holds(const std::string& burst, trial::TrialResult& trial) {
    counters::Histogram& hold = trial.counts.transport.emplace().latencies.hold;
    hold.add(static_cast<std::uint64_t>(std::stoi(burst)) * 10'000);  // 1 GHz
}

ExperimentResult run(const plan::Plan& plan, const Rates& rates, fake::Host& host) {
    host.trial_of = [&](const trial::Request& request) {
        const std::string& burst = plan.cells[request.cell].point.front().second;
        const auto& list = rates.at(burst);
        const std::size_t at = request.round == 0 ? 0 : (request.round - 1) % list.size();
        auto trial = fake::make_trial({.offered_fps = list[at]});
        if (request.load_kind == trial::LoadKind::cost) {
            trial.intended_fps = request.intended_fps;
            add_holds(burst, trial);
        }
        return trial;
    };
    return host.run(plan);
}

Knee knee_of(const Rates& rates, unsigned rounds = 4) {
    fake::Host host;
    const auto result = run(knee_plan(rates, rounds), rates, host);
    REQUIRE(result.knees.size() == 1);
    return result.knees.front();
}

}  // namespace

TEST_CASE("the knee is the smallest burst whose interval lies above 1 - margin") {
    // Ratios to the best, 64, that do not vary: intervals are points.
    const Knee knee =
        knee_of({{"1", {0.5e6}}, {"8", {0.94e6}}, {"16", {0.96e6}}, {"32", {0.99e6}}, {"64", {1e6}}}
        );
    REQUIRE(knee.points.size() == 5);
    CHECK(knee.points[1].burst == "8");
    CHECK(knee.points[2].burst == "16");
    CHECK(knee.points[1].standing == KneeStanding::below);
    CHECK(knee.best == 4);
    CHECK(knee.proven == 2);
    CHECK(knee.possible == 2);
    CHECK(knee.points[2].ratio == Approx(0.96));
    CHECK(knee.rounds == 4);
    CHECK(knee.refusal.empty());
    CHECK(fake::contains(describe(knee), "nic: 16, with 96.0 % [96.0, 96.0] of the best (64)"));
}

TEST_CASE("intervals are paired: what a round shares cancels") {
    // Both halve in every second round; the ratio is 0.97 throughout.
    const Knee knee = knee_of({{"8", {0.97e6, 0.485e6}}, {"64", {1e6, 0.5e6}}});
    CHECK(knee.proven == 0);
    CHECK(knee.possible == 0);
    REQUIRE(knee.points[0].interval);
    CHECK(knee.points[0].interval->low == Approx(0.97));
}

TEST_CASE("a knee's interval is t over rounds on log ratios, simultaneous over the points") {
    // Ratios of 8: 0.92 and 0.98 twice each. Mean log m = (ln 0.92 + ln 0.98) / 2, deviation
    // s = (ln 0.98 - ln 0.92) / sqrt(3), standard error s / 2. Two intervals at 95 % together: each
    // at 97.5 %, so t(0.9875, 3) = 4.1765 (Student's table, by incomplete beta).
    const Knee knee = knee_of({{"8", {0.92e6, 0.98e6}}, {"16", {0.99e6}}, {"64", {1e6, 1e6}}});
    const double mean = (std::log(0.92) + std::log(0.98)) / 2;
    const double error = (std::log(0.98) - std::log(0.92)) / std::sqrt(3.0) / 2;
    REQUIRE(knee.points[0].interval);
    CHECK(knee.points[0].interval->low == Approx(std::exp(mean - 4.1765 * error)).epsilon(1e-4));
    CHECK(knee.points[0].interval->high == Approx(std::exp(mean + 4.1765 * error)).epsilon(1e-4));
    CHECK(knee.points[0].standing == KneeStanding::undecided);
    CHECK(knee.possible == 0);
    CHECK(knee.proven == 1);
    CHECK(fake::contains(describe(knee), "lies between 8 and 16: INCONCLUSIVE"));
}

TEST_CASE("where every smaller burst is below, the best itself is the knee, and that is said") {
    const Knee knee = knee_of({{"1", {0.5e6}}, {"32", {0.9e6}}, {"64", {1e6}}});
    CHECK(knee.proven == knee.best);
    CHECK(knee.possible == knee.best);
    CHECK(fake::contains(describe(knee), "nic: 64, the best itself: every smaller one is more"));
}

TEST_CASE("where the smallest burst is the best there is nothing below it") {
    const Knee knee = knee_of({{"1", {1e6}}, {"8", {0.5e6}}});
    CHECK(knee.best == 0);
    CHECK(knee.proven == 0);
    CHECK(fake::contains(describe(knee), "no smaller one was swept"));
}

TEST_CASE("a knee tells hold times at one load for all bursts, a sixth of the slowest's maximum") {
    const Rates rates{{"1", {0.6e6}}, {"8", {0.97e6}}, {"64", {1e6}}};
    const auto plan = knee_plan(rates, 4);
    fake::Host host;
    const auto result = run(plan, rates, host);
    REQUIRE(result.knees.size() == 1);
    const Knee& knee = result.knees.front();
    for (const trial::Request& request : host.requests) {
        if (request.load_kind == trial::LoadKind::cost) {
            CHECK(request.intended_fps.value_or(0) == Approx(0.1e6));
        }
    }
    CHECK(knee.hold_fps.value_or(0) == Approx(0.1e6));
    REQUIRE(knee.points[1].hold_p50_us);
    CHECK(*knee.points[1].hold_p50_us == Approx(80).epsilon(0.05));
    CHECK(*knee.points[2].hold_p99_us == Approx(640).epsilon(0.05));
    CHECK(fake::contains(describe(knee), "there a frame is held"));
    CHECK(result.headline == describe(knee));
}

TEST_CASE("a knee with an invalid trial is refused, with its reason") {
    const Rates rates{{"8", {0.97e6}}, {"64", {1e6}}};
    const auto plan = knee_plan(rates, 3);
    fake::Host host;
    host.trial_of = [&](const trial::Request& request) {
        auto trial = fake::make_trial({.offered_fps = 1e6});
        if (request.cell == 0 && request.round == 2) {
            trial.reasons.push_back(fake::reason(
                trial::ReasonCode::residue, trial::Severity::invalid, "a frame is missing"
            ));
        }
        return trial;
    };
    const auto result = host.run(plan);
    REQUIRE(result.knees.size() == 1);
    CHECK(fake::contains(result.knees.front().refusal, "round 2: a frame is missing"));
    CHECK(fake::contains(describe(result.knees.front()), "INVALID"));
}

TEST_CASE("each arm has a knee of its own, and no key but tx.burst has one") {
    const Rates rates{{"8", {0.97e6}}, {"64", {1e6}}};
    auto plan = knee_plan(rates, 3);
    for (const char* burst : {"8", "64"}) {
        plan.cells.push_back(fake::make_cell("other", {{"tx.burst", burst}}, true));
    }
    fake::Host host;
    CHECK(run(plan, rates, host).knees.size() == 2);
    for (plan::Cell& cell : plan.cells) {
        cell.point.front().first = "tx.queues";
    }
    fake::Host again;
    CHECK(run(plan, rates, again).knees.empty());
}
