// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

plan::Plan netperf_plan(const fake::Points& points = {{}}) {
    auto plan = fake::make_plan(points);
    plan.cells.resize(2 * points.size());  // netperf knows no placebo
    plan.metrics = {"rx.bps_payload"};
    plan.stats.rule = plan::Rule::netperf;
    plan.stats.rounds = 30;
    return plan;
}

/// A trial of one second that carried so many Mbit/s.
trial::TrialResult carried(std::size_t cell, unsigned round, double mbps) {
    auto trial = fake::make_trial({});
    trial.counts.sink[0].measured.payload_bytes = fake::whole(mbps * 1e6 / 8.0);
    trial.cell = cell;
    trial.round = round;
    return trial;
}

}  // namespace

TEST_CASE("netperf's rule stops as soon as every arm is narrow") {
    auto plan = netperf_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const double base = request.arm == "batched" ? 120.0 : 100.0;
        const double swing = request.round % 2 == 0 ? 1.001 : 1.0;
        return carried(request.cell, request.round, base * swing);
    };
    const auto result = host.run(plan);
    CHECK(host.rounds_begun.back() == 3);
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::find(result, false)->gain_ratio == Approx(0.2).epsilon(0.01));
    CHECK(fake::warned(result, "covers less than its level says"));
}

TEST_CASE("netperf's rule gives up after 30 iterations, prints the mean and concludes nothing") {
    auto plan = netperf_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const double swing = request.round % 2 == 0 ? 1.5 : 1.0;
        return carried(request.cell, request.round, 100.0 * swing);
    };
    const auto result = host.run(plan);
    CHECK(host.rounds_begun.back() == 30);
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(fake::contains(result.headline, "confidence not achieved after 30 iterations"));
    CHECK(*fake::find(result, false)->baseline_mean == Approx(125e6));
}

TEST_CASE("narrow but overlapping intervals are inconclusive by netperf's rule") {
    auto plan = netperf_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return carried(request.cell, request.round, 100.0 + request.round % 2);
    };
    const auto result = host.run(plan);
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(fake::contains(result.headline, "the intervals of the two arms overlap"));
}

TEST_CASE("netperf's rule at a level that it lacks concludes nothing") {
    auto plan = netperf_plan();
    plan.stats.confidence = 0.9;
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return carried(request.cell, request.round, request.arm == "batched" ? 200.0 : 100.0);
    };
    CHECK(fake::contains(host.run(plan).headline, "levels 95 and 99 only"));
}

TEST_CASE("the published transmit-batching table is INCONCLUSIVE by either rule") {
    // netdev, June 2007: netperf TCP stream on e1000, Mbit/s, writes of 128 and 4096 bytes,
    // mainline against batching; the receive direction is the placebo.
    struct Direction {
        std::vector<std::vector<double>> cells;  ///< mainline 128, 4096, batch 128, 4096
        double gain_128_percent;
        double gain_4096_percent;
    };

    const std::vector<Direction> directions{
        {{{558.16}, {814.01}, {569.14}, {822.72}}, 1.97, 1.07},
        {{{760.91, 762.04}, {784.32, 788.53}, {766.70}, {788.24}}, 0.69, 0.23},
    };
    for (const auto& direction : directions) {
        auto plan =
            netperf_plan({{{"traffic.block_size", "128 B"}}, {{"traffic.block_size", "4096 B"}}});
        ExperimentResult result;
        for (std::size_t cell = 0; cell < 4; ++cell) {
            unsigned round = 0;
            for (const double mbps : direction.cells[cell]) {
                result.trials.push_back(carried(cell, ++round, mbps));
            }
        }
        analyse(plan, result);
        CHECK(result.verdict == Verdict::inconclusive);
        CHECK(
            100.0 * fake::find(result, false, 0)->gain_ratio ==
            Approx(direction.gain_128_percent).margin(0.005)
        );
        CHECK(
            100.0 * fake::find(result, false, 1)->gain_ratio ==
            Approx(direction.gain_4096_percent).margin(0.005)
        );
        plan.stats.rule = plan::Rule::paired;
        analyse(plan, result);
        CHECK(result.verdict == Verdict::inconclusive);
    }
}
