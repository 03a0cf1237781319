// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;
using trial::ReasonCode;
using trial::Severity;

namespace {

/// Ticks per frame of a cell in a round: `ticks[cell]`, with a swing of +-0.1 % from round to
/// round.
ExperimentResult run(const plan::Plan& plan, const std::vector<double>& ticks) {
    fake::Host host;
    host.trial_of = [&ticks](const trial::Request& request) {
        const double swing =
            0.0005 * static_cast<double>((request.round * 7 + request.cell * 3) % 5);
        return fake::make_trial({.tx_ticks_per_frame = ticks[request.cell] * (1.0 + swing)});
    };
    return host.run(plan);
}

const fake::Points two_points{
    {{"traffic.block_size", "128 B"}}, {{"traffic.block_size", "4096 B"}}};

}  // namespace

TEST_CASE("a gain is told in one sentence with factor, interval and point") {
    const auto result = run(fake::make_plan(two_points), {421, 400, 100, 100, 421, 400});
    CHECK(result.has_verdict);
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::contains(
        result.headline, "GAIN: tx.ticks_per_frame of batched is 4.21x better than one-by-one (+32"
    ));
    CHECK(fake::contains(result.headline, "] at 99 %) at traffic.block_size 128 B; "));
    CHECK(fake::contains(result.headline, "at traffic.block_size 4096 B"));
    const Comparison& first = *fake::find(result, false);
    REQUIRE(first.interval);
    CHECK(first.interval->low < 3.21);
    CHECK(first.interval->high > 3.20);
    CHECK(first.gain_ratio == Approx(3.21).epsilon(0.002));
    CHECK(*first.baseline_mean == Approx(421).epsilon(0.002));
    CHECK(*first.arm_mean == Approx(100).epsilon(0.002));
}

TEST_CASE("a loss at one point outweighs a gain at another, and both are told") {
    const auto result = run(fake::make_plan(two_points), {100, 100, 50, 125, 100, 100});
    CHECK(result.verdict == Verdict::loss);
    CHECK(fake::contains(
        result.headline, "LOSS: tx.ticks_per_frame of batched is 20 % worse than one-by-one"
    ));
    CHECK(fake::contains(result.headline, ". GAIN: tx.ticks_per_frame of batched is 2x better"));
}

TEST_CASE("a gain at one point and no difference at another is a gain that says where") {
    const auto result = run(fake::make_plan(two_points), {100, 100, 50, 100, 100, 100});
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::contains(
        result.headline,
        "NO DIFFERENCE: tx.ticks_per_frame of batched is within "
        "+-2 % of one-by-one"
    ));
}

TEST_CASE("equal arms are no difference, and the smallest margin is inside the one asked") {
    const auto result = run(fake::make_plan(), {100, 100, 100});
    CHECK(result.verdict == Verdict::no_difference);
    CHECK(fake::find(result, false)->smallest_margin_ratio > 0.0);
    CHECK(fake::find(result, false)->smallest_margin_ratio < 0.02);
}

TEST_CASE("one point that is inconclusive makes the experiment inconclusive") {
    auto plan = fake::make_plan(two_points);
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const bool wild = request.cell == 3;
        const double ticks =
            wild ? (request.round % 2 == 0 ? 80.0 : 125.0) : (request.cell == 2 ? 50.0 : 100.0);
        return fake::make_trial({.tx_ticks_per_frame = ticks});
    };
    const auto result = host.run(plan);
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(fake::contains(result.headline, "contains 0 and leaves the margin of +-2 %"));
}

TEST_CASE("a higher value is the gain of a metric where higher is better") {
    auto plan = fake::make_plan();
    plan.metrics = {"rx.fps"};
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return fake::make_trial({.offered_fps = request.arm == "batched" ? 1.5e6 : 1e6});
    };
    const auto result = host.run(plan);
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::find(result, false)->gain_ratio == Approx(0.5));
}

TEST_CASE("a placebo that moves beyond the margin makes the experiment INVALID") {
    const auto result = run(fake::make_plan(), {100, 50, 105});
    CHECK(result.verdict == Verdict::invalid);
    CHECK(fake::find(result, true)->verdict == Verdict::invalid);
    CHECK(fake::find(result, false)->verdict == Verdict::invalid);
    CHECK(fake::contains(
        result.headline,
        "INVALID: tx.ticks_per_frame of the placebo (the baseline under another label)"
    ));
    CHECK(fake::find(result, false)->gain_ratio == Approx(1.0).epsilon(0.01));  // never subtracted
}

TEST_CASE("a placebo that straddles the margin warns and leaves the verdict") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const bool placebo = request.cell == 2;
        const double swing = request.round % 2 == 0 ? 1.04 : 1.0 / 1.04;
        const double ticks = request.arm == "batched" ? 50.0 : 100.0;
        return fake::make_trial({.tx_ticks_per_frame = placebo ? ticks * swing : ticks});
    };
    const auto result = host.run(plan);
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::find(result, true)->verdict == Verdict::inconclusive);
    CHECK(fake::warned(result, "order and labels could not be cleared"));
}

TEST_CASE("a placebo that moves another metric spoils that metric alone") {
    auto plan = fake::make_plan();
    plan.metrics = {"tx.ticks_per_frame", "rx.fps"};
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return fake::make_trial({
            .tx_ticks_per_frame = request.arm == "batched" ? 50.0 : 100.0,
            .offered_fps = request.cell == 2 ? 1.1e6 : 1e6,
        });
    };
    const auto result = host.run(plan);
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::find(result, false, 1)->verdict == Verdict::invalid);
    CHECK(fake::warned(result, "the placebo moved rx.fps"));
}

TEST_CASE("a saturated sink refuses a rate metric, and cost still decides") {
    auto plan = fake::make_plan({{}}, true);
    plan.metrics = {"tx.ticks_per_frame", "rx.fps"};
    const auto trial_of = [](const trial::Request& request) {
        auto trial = fake::make_trial({
            .tx_ticks_per_frame = request.arm == "batched" ? 50.0 : 100.0,
            .offered_fps = request.intended_fps.value_or(3e6),
        });
        if (request.load_kind == trial::LoadKind::max) {
            trial.reasons.push_back(fake::reason(
                ReasonCode::sink_limit, Severity::note, "the wire refused 12 % of frames"
            ));
        }
        return trial;
    };
    fake::Host host;
    host.trial_of = trial_of;
    const auto by_cost = host.run(plan);
    CHECK(by_cost.verdict == Verdict::gain);
    const Comparison& rate = *fake::find(by_cost, false, 1);
    CHECK(rate.verdict == Verdict::inconclusive);
    CHECK(fake::contains(rate.refusal, "report cost, not a throughput gain"));
    CHECK(fake::contains(rate.refusal, "the wire refused 12 % of frames"));

    plan.metrics = {"rx.fps"};
    const auto by_rate = host.run(plan);
    CHECK(by_rate.verdict == Verdict::inconclusive);
    CHECK(fake::contains(by_rate.headline, "report cost, not a throughput gain"));
}

TEST_CASE("arms that are different paths are compared by what arrives, saturated or not") {
    auto plan = fake::make_plan({{}}, true);
    plan.metrics = {"rx.fps"};
    for (plan::Cell& cell : plan.cells) {
        if (cell.arm == "batched" && !cell.placebo) {
            cell.trial.wire = plan::WireKind::kernel;
            cell.trial.kernel.emplace();
        }
    }
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        auto trial = fake::make_trial({.offered_fps = request.arm == "batched" ? 3e6 : 1e6});
        trial.reasons.push_back(
            fake::reason(ReasonCode::sink_limit, Severity::note, "the sink missed frames")
        );
        return trial;
    };
    const auto result = host.run(plan);
    CHECK(result.verdict == Verdict::gain);
    CHECK(fake::find(result, true)->verdict == Verdict::inconclusive);
}

TEST_CASE("a metric that is 0 has no ratio and is refused") {
    auto plan = fake::make_plan();
    plan.metrics = {"loss_ratio"};
    const auto result = run(plan, {100, 100, 100});
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(fake::contains(fake::find(result, false)->refusal, "is 0 in 10 of 10 rounds"));
}

TEST_CASE("rounds that follow each other raise the autocorrelation warning") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const double trend = request.arm == "batched" ? 1.0 + 0.001 * request.round : 1.0;
        return fake::make_trial({.tx_ticks_per_frame = 100.0 * trend});
    };
    const auto result = host.run(plan);
    CHECK(fake::find(result, false)->lag1_autocorrelation > 0.3);
    CHECK(fake::warned(result, "rounds depend on each other"));
}

TEST_CASE("one round has a gain but no interval, and concludes nothing") {
    auto plan = fake::make_plan();
    plan.stats.rounds = 1;
    const auto result = run(plan, {200, 100, 200});
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK_FALSE(fake::find(result, false)->interval);
    CHECK(fake::contains(result.headline, "an interval needs at least two rounds"));
}

TEST_CASE("without a comparison there is no verdict, but an invalid trial shows") {
    auto plan = fake::make_plan();
    plan.compare.reset();
    plan.cells.resize(1);
    const auto clean = run(plan, {100});
    CHECK_FALSE(clean.has_verdict);
    CHECK(clean.comparisons.empty());
    CHECK(clean.verdict != Verdict::invalid);
    CHECK(clean.headline == "measured 1 cell in 10 rounds; nothing was compared");

    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        auto trial = fake::make_trial({});
        trial.reasons.push_back(fake::reason(ReasonCode::residue, Severity::invalid, "residue 3"));
        return trial;
    };
    const auto spoiled = host.run(plan);
    CHECK_FALSE(spoiled.has_verdict);
    CHECK(spoiled.verdict == Verdict::invalid);
    CHECK(fake::contains(spoiled.headline, "residue 3"));
}

TEST_CASE("analysing twice changes nothing") {
    auto plan = fake::make_plan(two_points);
    auto result = run(plan, {100, 100, 50, 125, 100, 105});
    const auto warnings = result.warnings;
    const auto headline = result.headline;
    const auto comparisons = result.comparisons.size();
    const auto cells = result.cells.size();
    analyse(plan, result);
    CHECK(result.warnings == warnings);
    CHECK(result.headline == headline);
    CHECK(result.comparisons.size() == comparisons);
    CHECK(result.cells.size() == cells);
}

TEST_CASE("a cell's statistics are over its counted trials") {
    auto plan = fake::make_plan();
    plan.stats.rounds = 3;
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const double ticks = request.round == 3 ? 106.0 : 99.0 + request.round;  // 100, 101, 106
        return fake::make_trial({.tx_ticks_per_frame = ticks});
    };
    const auto result = host.run(plan);
    const CellStatistic* found = nullptr;
    for (const auto& cell : result.cells) {
        if (cell.cell == 1 && cell.metric == "tx.ticks_per_frame") {
            found = &cell;
        }
    }
    REQUIRE(found != nullptr);
    CHECK(found->n == 3);
    CHECK(found->mean == Approx(307.0 / 3.0));
    CHECK(found->median == Approx(101.0));
    CHECK(found->low == Approx(100.0));
    CHECK(found->high == Approx(106.0));
    REQUIRE(found->interval);
    // s = 3.2146, t(99 %, 2) = 9.925: half-width 9.925 * 3.2146 / sqrt(3) = 18.42.
    CHECK(found->interval->high - found->mean == Approx(18.42).epsilon(1e-3));
}
