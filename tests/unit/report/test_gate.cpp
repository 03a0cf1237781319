// SPDX-License-Identifier: BSD-3-Clause
#include "report/gate.hpp"

#include "catch.hpp"

using namespace gensink;
using namespace gensink::report;

namespace {

CellComparison cell_of(const char* metric, double low, double high) {
    CellComparison cell;
    cell.metric = metric;
    cell.arm = "batched";
    cell.gain_ratio = (low + high) / 2;
    cell.interval = experiment::Interval{low, high};
    return cell;
}

GateState judged(const SavedComparison& comparison, const char* text) {
    const auto gate = parse_gate(text);
    REQUIRE(gate);
    const auto result = judge(comparison, *gate);
    REQUIRE(result);
    return result->state;
}

}  // namespace

TEST_CASE("a gate is a loss, of the first metric or a named one") {
    const auto first = parse_gate("loss:2%");
    REQUIRE(first);
    CHECK(first->metric.empty());
    CHECK(first->loss_ratio == Approx(0.02));
    const auto named = parse_gate("rx.fps:loss:0.5 %");
    REQUIRE(named);
    CHECK(named->metric == "rx.fps");
    CHECK(named->loss_ratio == Approx(0.005));
    for (const char* wrong :
         {"",
          "loss",
          "loss:",
          "loss:2",
          "loss:-1%",
          "loss:100%",
          "loss:2%%",
          "loss:nan%",
          "gain:2%",
          "rx.speed:loss:2%",
          "rx.fps:2%"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_gate(wrong));
    }
}

TEST_CASE("a gate closes where the whole interval lies beyond the loss") {
    const auto state = [](double low, double high) {
        return judged({{}, {}, {cell_of("rx.fps", low, high)}, {}, {}}, "loss:2%");
    };
    CHECK(state(-0.05, -0.03) == GateState::closed);
    CHECK(state(-0.05, -0.01) == GateState::undecided);
    CHECK(state(-0.01, 0.05) == GateState::open);
    CHECK(state(0.03, 0.05) == GateState::open);
}

TEST_CASE("the worst cell decides, but no placebo does, nor another metric") {
    CellComparison placebo = cell_of("rx.fps", -0.5, -0.4);
    placebo.placebo = true;
    const SavedComparison comparison{
        {}, {}, {cell_of("rx.fps", 0.0, 0.01), placebo, cell_of("tx.fps", -0.5, -0.4)}, {}, {}};
    CHECK(judged(comparison, "loss:2%") == GateState::open);
    CHECK(judged(comparison, "tx.fps:loss:2%") == GateState::closed);
    CHECK_FALSE(judge(comparison, Gate{"loss_ratio", 0.02}));
}

TEST_CASE("without an interval, or with a reason against it, a gate is undecided") {
    CellComparison bare = cell_of("rx.fps", 0, 0);
    bare.interval.reset();
    CHECK(judged({{}, {}, {bare}, {}, {}}, "loss:2%") == GateState::undecided);
    CellComparison refused = cell_of("rx.fps", -0.5, -0.4);
    refused.refusal = "saturated";
    CHECK(judged({{}, {}, {refused}, {}, {}}, "loss:2%") == GateState::undecided);
    refused.verdict = experiment::Verdict::invalid;
    CHECK(judged({{}, {}, {refused}, {}, {}}, "loss:2%") == GateState::invalid);
}
