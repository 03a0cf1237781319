// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

/// Two arms that fetch objects one by one: `old` in 132 ms, `young` in 88 ms or as given.
plan::Plan object_plan() {
    auto plan = fake::make_plan({{}}, true);
    plan.arms = {"old", "young"};
    plan.cells[0].arm = plan.cells[2].arm = "old";
    plan.cells[1].arm = "young";
    plan.compare->baseline = "old";
    plan.metrics = {"transfer.object_ms"};
    return plan;
}

trial::TrialResult objects(std::vector<double> times_ms, stats::OutlierRule rule) {
    trial::TrialResult trial = fake::make_trial({.offered_fps = 1000});
    trial.outliers = rule;
    auto& report = trial.counts.transport.emplace();
    for (const double ms : times_ms) {
        report.block_ticks.push_back(fake::whole(ms * 1e6));
    }
    trial.counts.gen[0].measured.transport.timeouts = static_cast<std::uint64_t>(
        std::ranges::count_if(times_ms, [](double ms) { return ms > 2000; })
    );
    return trial;
}

const CellStatistic& cell(const ExperimentResult& result, std::size_t cell, const char* metric) {
    const auto found = std::ranges::find_if(result.cells, [&](const CellStatistic& statistic) {
        return statistic.cell == cell && statistic.metric == metric;
    });
    REQUIRE(found != result.cells.end());
    return *found;
}

constexpr stats::OutlierRule slowest_two{stats::OutlierKind::trim_high, 2};

/// One of `young`'s 100 downloads waits 3 s for a timeout.
ExperimentResult run_with_timeout(double young_ms, stats::OutlierRule rule) {
    fake::Host host;
    host.trial_of = [young_ms, rule](const trial::Request& request) {
        std::vector<double> times(100, request.arm == "young" ? young_ms : 132.0);
        if (request.arm == "young") {
            times[40] += 3000;
        }
        return objects(times, rule);
    };
    return host.run(object_plan());
}

}  // namespace

TEST_CASE("one timeout of 3 s in 100 moves the raw mean by 30 ms, the trimmed by none, and warns") {
    const auto result = run_with_timeout(88, slowest_two);
    CHECK(cell(result, 1, "transfer.object_raw_ms").mean == Approx(118));
    CHECK(cell(result, 1, "transfer.object_ms").mean == Approx(88));
    CHECK(cell(result, 1, "transfer.timeouts").mean == 1);
    CHECK(fake::warned(result, "cut one side only and moved the mean: young: mean 88 ms"));
    CHECK(fake::warned(result, "118 ms raw, 10 timeouts in 10 trials"));
}

TEST_CASE("a one-sided rule that changes the verdict warns with both") {
    const auto result = run_with_timeout(120, slowest_two);
    REQUIRE(result.comparisons.size() == 2);
    const Comparison& young = result.comparisons.front();
    CHECK(young.verdict == Verdict::gain);
    REQUIRE(young.raw_verdict);
    CHECK(*young.raw_verdict == Verdict::loss);
    CHECK(*young.raw_gain_ratio == Approx(132.0 / 150.0 - 1));
    CHECK(fake::warned(result, "cut one side only, and changes the verdict"));
}

TEST_CASE("a rule that cuts both sides changes the verdict in silence") {
    const auto result = run_with_timeout(120, {stats::OutlierKind::trim_both, 2});
    CHECK(result.comparisons.front().verdict == Verdict::gain);
    CHECK(*result.comparisons.front().raw_verdict == Verdict::loss);
    CHECK_FALSE(fake::warned(result, "one side only"));
}

TEST_CASE("without a rule raw and kept are the same, and nothing is said") {
    const auto result = run_with_timeout(120, {});
    CHECK(result.comparisons.front().verdict == Verdict::loss);
    CHECK(*result.comparisons.front().raw_verdict == Verdict::loss);
    CHECK_FALSE(fake::warned(result, "one side only"));
}

TEST_CASE("the plan's rule leaves whole trials out of cells and comparisons") {
    auto plan = object_plan();
    plan.stats.outliers = {plan::OutlierRule::trim_high, 1};
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        const bool slow = request.arm == "young" && request.round == 4;
        return objects({slow ? 3000.0 : request.arm == "young" ? 120.0 : 132.0}, {});
    };
    const auto result = host.run(plan);
    const CellStatistic& young = cell(result, 1, "transfer.object_ms");
    CHECK(young.n == 10);
    CHECK(young.mean == Approx((9 * 120.0 + 3000) / 10));
    CHECK(young.trimmed_mean == Approx(120));
    CHECK(young.p99 > 2000);
    const Comparison& comparison = result.comparisons.front();
    CHECK(comparison.verdict == Verdict::gain);
    CHECK(comparison.gain_ratio == Approx(0.1));
    CHECK(*comparison.raw_verdict == Verdict::inconclusive);
    CHECK(fake::warned(result, "changes the verdict"));
}
