// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <string>

#include "catch.hpp"
#include "fake.hpp"
#include "normal.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

/// Bursts 1..64 for the arms "nic" and "null", at load max.
plan::Plan fit_plan() {
    plan::Plan plan;
    plan.arms = {"nic", "null"};
    plan.metrics = {"tx.ticks_per_frame"};
    plan.fit = plan::FitPlan{.reference = "null"};
    for (const std::string& arm : plan.arms) {
        for (const char* burst : {"1", "2", "4", "8", "16", "32", "64"}) {
            plan.cells.push_back(fake::make_cell(arm, {{"tx.burst", burst}}, true));
        }
    }
    return plan;
}

ExperimentResult run(const plan::Plan& plan, double nic_b, double null_b) {
    fake::Normal noise(1);
    fake::Host host;
    host.trial_of = [&](const trial::Request& request) {
        const double burst = std::atof(plan.cells[request.cell].point.front().second.c_str());
        const double b = request.arm == "nic" ? nic_b : null_b;
        const double ticks = (100.0 + b / burst) * (1.0 + 0.01 * noise());
        return fake::make_trial({.tx_ticks_per_frame = ticks});
    };
    return host.run(plan);
}

}  // namespace

TEST_CASE("the fit over a sweep recovers a = 100 and b = 200 within 2 %") {
    const auto result = run(fit_plan(), 200.0, 20.0);
    REQUIRE(result.fits.size() == 2);
    const Fit& fit = result.fits.front();
    CHECK(fit.arm == "nic");
    CHECK(fit.rounds == 10);
    CHECK(fit.a == Approx(100.0).epsilon(0.02));
    CHECK(fit.b == Approx(200.0).epsilon(0.02));
    REQUIRE(fit.b_interval);
    CHECK(fit.b_interval->low < 200.0);
    CHECK(fit.b_interval->high > 200.0);
    CHECK(fit.r_squared >= 0.98);
    CHECK(fit.law_holds);
    CHECK_FALSE(fake::warned(result, "cannot be told from"));
}

TEST_CASE("a b that the reference shows too is warned about") {
    const auto result = run(fit_plan(), 20.0, 20.0);
    CHECK(fake::warned(result, "b of nic"));
    CHECK(fake::warned(result, "cannot be told from b of null"));
}

TEST_CASE("each point of the other swept keys has a fit of its own") {
    auto plan = fit_plan();
    const auto cells = plan.cells;
    for (auto cell : cells) {
        cell.point.emplace_back("traffic.block_size", "4096 B");
        plan.cells.push_back(cell);
    }
    const auto result = run(plan, 200.0, 20.0);
    CHECK(result.fits.size() == 4);
    CHECK(result.fits.back().point.front().second == "4096 B");
}

TEST_CASE("a curve that is no such law is reported as it is") {
    const auto plan = fit_plan();
    fake::Host host;
    host.trial_of = [&](const trial::Request& request) {
        const double burst = std::atof(plan.cells[request.cell].point.front().second.c_str());
        return fake::make_trial({.tx_ticks_per_frame = 300.0 / std::sqrt(burst)});
    };
    const auto result = host.run(plan);
    CHECK_FALSE(result.fits.front().law_holds);
    CHECK(result.fits.front().worst_misfit_ratio > 0.05);
    CHECK(fake::warned(result, "does not hold for nic"));
}

TEST_CASE("a fit over a key that is not swept is warned about") {
    auto plan = fit_plan();
    plan.fit->key = "tx.queues";
    const auto result = run(plan, 200.0, 20.0);
    CHECK(result.fits.empty());
    CHECK(fake::warned(result, "no fit: tx.queues is not swept"));
}

TEST_CASE("a key swept in mixed units is fitted by its value") {
    plan::Plan plan;
    plan.arms = {"nic"};
    plan.fit.emplace().key = "traffic.block_size";
    for (const char* size : {"128 B", "1 KiB", "4 KiB"}) {
        plan.cells.push_back(fake::make_cell("nic", {{"traffic.block_size", size}}, true));
    }
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const double bytes = request.cell == 0 ? 128.0 : (request.cell == 1 ? 1024.0 : 4096.0);
        return fake::make_trial({.tx_ticks_per_frame = 50.0 + 25600.0 / bytes});
    };
    const auto result = host.run(plan);
    REQUIRE(result.fits.size() == 1);
    CHECK(result.fits.front().a == Approx(50.0));
    CHECK(result.fits.front().b == Approx(25600.0));
}

namespace {

/// The WAN downloads of the gPXE journal, T = (W - 2825 B) / 309.6 ms, up to a line of 1 MB/s.
plan::Plan window_plan() {
    plan::Plan plan;
    plan.arms = {"wan"};
    plan.metrics = {"transfer.kib_per_s"};
    plan.fit = plan::FitPlan{
        .law = plan::LawKind::affine,
        .metric = "transfer.kib_per_s",
        .key = "window.limit",
        .reference = {}};
    plan.stats.rounds = 3;
    for (const char* window : {"8 KiB", "16 KiB", "32 KiB", "64 KiB", "1 MiB"}) {
        plan.cells.push_back(fake::make_cell("wan", {{"window.limit", window}}, true));
        plan.cells.back().trial.transport.emplace();
    }
    return plan;
}

trial::TrialResult window_trial(double kib_per_s, counters::FlowCause cause) {
    trial::TrialResult trial = fake::make_trial({.offered_fps = 1000});
    trial.counts.gen[0].measured.transport.payload_acked = fake::whole(kib_per_s * 1024);
    auto& flow = trial.counts.transport.emplace().flows.emplace_back();
    flow.times[static_cast<std::size_t>(cause)] = fake::tsc_hz;
    return trial;
}

}  // namespace

TEST_CASE("the affine fit over the published windows finds RTT and offset") {
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        constexpr double published[] = {17, 43, 94, 198, 977};
        return window_trial(
            published[request.cell],
            request.cell == 4 ? counters::FlowCause::ring : counters::FlowCause::window
        );
    };
    const auto result = host.run(window_plan());
    REQUIRE(result.fits.size() == 1);
    const Fit& fit = result.fits.front();
    CHECK(fit.law == plan::LawKind::affine);
    CHECK(fit.a == Approx(0.3096).epsilon(0.01));
    CHECK(fit.b == Approx(2825).epsilon(0.05));
    CHECK(fit.r_squared > 0.999);
    CHECK(fit.law_holds);
    CHECK(fit.left_out == std::vector<std::string>{"1 MiB (link)"});
    REQUIRE(fit.a_interval);
    CHECK(fit.a_interval->low <= fit.a);
    CHECK(fit.a_interval->high >= fit.a);
}

TEST_CASE("an affine fit needs two points that the window limits") {
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return window_trial(
            100, request.cell == 0 ? counters::FlowCause::window : counters::FlowCause::ring
        );
    };
    const auto result = host.run(window_plan());
    CHECK(result.fits.empty());
    CHECK(fake::warned(result, "two or more values of window.limit that the window limits"));
}

TEST_CASE("the linear fit finds what a byte costs, and an expectation compares arms") {
    plan::Plan plan;
    plan.arms = {"copy", "attach"};
    plan.metrics = {"tx.ticks_per_frame"};
    plan.fit = plan::FitPlan{
        .law = plan::LawKind::linear,
        .metric = "tx.ticks_per_frame",
        .key = "traffic.frame_size",
        .reference = {}};
    for (const std::string& arm : plan.arms) {
        for (const char* size : {"64 B", "1518 B", "4096 B", "9018 B"}) {
            plan.cells.push_back(fake::make_cell(arm, {{"traffic.frame_size", size}}, true));
        }
    }
    plan::ExpectPlan less;
    less.metric = "fit.b_ratio";
    less.of_fits = true;
    less.arm = "attach";
    less.at_most = 0.2;
    plan::ExpectPlan more = less;
    more.at_most.reset();
    more.at_least = 0.2;
    plan::ExpectPlan nobody = less;
    nobody.arm = "copy";
    plan.expect = {less, more, nobody};
    fake::Host host;
    host.trial_of = [&](const trial::Request& request) {
        const double bytes = std::atof(plan.cells[request.cell].point.front().second.c_str());
        const double ticks = request.arm == "copy" ? 60 + 0.25 * bytes : 90 + 0.01 * bytes;
        return fake::make_trial({.tx_ticks_per_frame = ticks});
    };
    const auto result = host.run(plan);
    REQUIRE(result.fits.size() == 2);
    CHECK(result.fits[0].law == plan::LawKind::linear);
    CHECK(result.fits[0].a == Approx(60).epsilon(0.01));
    CHECK(result.fits[0].b == Approx(0.25).epsilon(0.01));
    CHECK(result.fits[1].b == Approx(0.01).epsilon(0.02));
    CHECK(result.fits[0].law_holds);
    REQUIRE(result.expectations.size() == 3);
    CHECK(result.expectations[0].met);
    CHECK(result.expectations[0].text == "fit.b_ratio of attach is at most 0.2");
    CHECK(result.expectations[0].observed.starts_with("0.04 [0.04, 0.04] (attach"));
    CHECK_FALSE(result.expectations[1].met);
    CHECK_FALSE(result.expectations[2].met);
    CHECK(result.expectations[2].observed == "no such fit");
}
