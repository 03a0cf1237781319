// SPDX-License-Identifier: BSD-3-Clause
#include "flow/flow_set.hpp"

#include "catch.hpp"

using namespace gensink;
using namespace gensink::flow;
using counters::FlowCause;

namespace {

/// One flow with blocks of one frame of 100 B.
FlowSetSpec one_flow() {
    FlowSetSpec spec;
    spec.sender.block = {1, 100, 100, 100};
    return spec;
}

std::uint64_t time_of(const FlowSet& flows, FlowCause cause) {
    return flows.measured().flows.at(0).times.at(static_cast<std::size_t>(cause));
}

}  // namespace

TEST_CASE("a flow that never waits for room has its core's time, from tick 0 on") {
    for (const std::uint64_t begin : {0U, 1000U}) {
        INFO(begin);
        FlowSet flows(one_flow());
        flows.settle(begin);  // a modelled clock starts at 0, and so does a phase without warm-up
        flows.start_measuring();
        flows.core = {.ring = 5, .pacing = 80, .pool = 0};
        flows.end_measuring(begin + 100);
        CHECK(time_of(flows, FlowCause::ring) == 5);
        CHECK(time_of(flows, FlowCause::pacing) == 80);
        CHECK(time_of(flows, FlowCause::cpu) == 15);
        CHECK(time_of(flows, FlowCause::window) == 0);
    }
}

TEST_CASE("what passed before a clock was first read is no flow's time") {
    FlowSet flows(one_flow());
    flows.core = {.ring = 0, .pacing = 70, .pool = 0};
    flows.settle(1000);
    flows.start_measuring();
    flows.end_measuring(1010);
    CHECK(time_of(flows, FlowCause::pacing) == 0);
    CHECK(time_of(flows, FlowCause::cpu) == 10);
}
