// SPDX-License-Identifier: BSD-3-Clause
#include "trial/trial.hpp"

#include <optional>
#include <vector>

#include "catch.hpp"
#include "fixtures.hpp"

namespace gensink::trial {

namespace {

using Catch::Matchers::Contains;

std::vector<Reason> judged(plan::FlowControl asked, std::optional<FlowControl> reported) {
    plan::TrialPlan plan = fixture::clean_plan();
    plan.flow_control = asked;
    TrialResult result = fixture::clean_result();
    result.counts.sink_link.flow_control = reported;
    return judge(plan, result);
}

}  // namespace

TEST_CASE("flow control that the link did not agree to was not exercised") {
    const auto refused = judged(plan::FlowControl::on, FlowControl::off);
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].code == ReasonCode::treatment_not_exercised);
    CHECK(refused[0].severity == Severity::invalid);
    CHECK_THAT(refused[0].message, Contains("on, and the sink's device reports it off"));
    CHECK(judged(plan::FlowControl::off, FlowControl::rx).size() == 1);
}

TEST_CASE("flow control as asked, left alone or unknown is no reason") {
    CHECK(judged(plan::FlowControl::on, FlowControl::both).empty());
    CHECK(judged(plan::FlowControl::off, FlowControl::off).empty());
    CHECK(judged(plan::FlowControl::on, std::nullopt).empty());
    CHECK(judged(plan::FlowControl::leave, FlowControl::rx).empty());
}

}  // namespace gensink::trial
