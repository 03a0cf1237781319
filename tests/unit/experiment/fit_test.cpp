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
