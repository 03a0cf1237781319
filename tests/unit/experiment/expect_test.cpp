// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

/// Batched costs 50 ticks and one-by-one 100.
std::vector<Expectation>
expect(const std::vector<plan::ExpectPlan>& expected, bool compare = true) {
    auto plan = fake::make_plan();
    plan.expect = expected;
    if (!compare) {
        plan.compare.reset();
    }
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return fake::make_trial({.tx_ticks_per_frame = request.arm == "batched" ? 50.0 : 100.0});
    };
    return host.run(plan).expectations;
}

plan::ExpectPlan metric(const std::string& name, const std::string& arm) {
    plan::ExpectPlan expected;
    expected.metric = name;
    expected.arm = arm;
    return expected;
}

}  // namespace

TEST_CASE("an expected verdict is met by that verdict alone") {
    plan::ExpectPlan gain;
    gain.verdict = "gain";
    plan::ExpectPlan none;
    none.verdict = "no_difference";
    const auto seen = expect({gain, none});
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].met);
    CHECK(seen[0].text == "verdict is gain");
    CHECK_FALSE(seen[1].met);
    CHECK(seen[1].observed == "GAIN");
    CHECK_FALSE(expect({gain}, false).front().met);
}

TEST_CASE("equals holds within its ratio") {
    auto near = metric("tx.ticks_per_frame", "batched");
    near.equals = 50.4;
    near.within_ratio = 0.01;
    auto exact = near;
    exact.within_ratio = 0.0;
    const auto seen = expect({near, exact});
    CHECK(seen[0].met);
    CHECK(seen[0].text == "tx.ticks_per_frame of batched equals 50.4 within 1 %");
    CHECK_FALSE(seen[1].met);
    CHECK(seen[1].observed == "50 (batched)");
}

TEST_CASE("bounds hold for every cell of the arm, or of all arms") {
    auto below = metric("tx.ticks_per_frame", "batched");
    below.at_most = 60.0;
    auto all_below = metric("tx.ticks_per_frame", "");
    all_below.at_most = 60.0;
    auto above = metric("tx.ticks_per_frame", "batched");
    above.at_least = 60.0;
    const auto seen = expect({below, all_below, above});
    CHECK(seen[0].met);
    CHECK_FALSE(seen[1].met);
    CHECK(seen[1].observed == "100 (one-by-one)");
    CHECK_FALSE(seen[2].met);
}

TEST_CASE("what was not measured is not met") {
    auto unknown = metric("tx.colour", "batched");
    unknown.at_least = 0.0;
    auto nobody = metric("tx.ticks_per_frame", "nobody");
    nobody.at_least = 0.0;
    const auto seen = expect({unknown, nobody});
    CHECK_FALSE(seen[0].met);
    CHECK_FALSE(seen[1].met);
    CHECK(seen[1].observed == "no such cell");
}
