// SPDX-License-Identifier: BSD-3-Clause
#include "apart/pulse.hpp"

#include <chrono>

#include "catch.hpp"

namespace gensink::apart {

namespace {

using namespace std::chrono_literals;
using Sign = Pulse::Sign;

constexpr Pulse::Time start{};

plan::TrialPlan closed_plan() {
    plan::TrialPlan plan;
    plan.gen.queues = 1;
    plan.frames.flows = 1;
    plan.transport.emplace();
    plan.transport->ack.every_frames = 2;
    plan.transport->sender.recovery.timeout = 100ms;
    return plan;
}

trial::Snapshot counts(std::uint64_t accepted, std::uint64_t acks, std::uint64_t again = 0) {
    trial::Snapshot counts;
    counts.gen.resize(1);
    counts.gen[0].total.frames_accepted = accepted;
    counts.gen[0].total.transport.acks_received = acks;
    counts.gen[0].total.transport.retransmitted = again;
    return counts;
}

}  // namespace

TEST_CASE("open loop: a sink that gives no sign for 3 s is lost") {
    Pulse pulse({}, start);
    CHECK_FALSE(pulse.look({}, Sign::alive, start + 1s));
    CHECK_FALSE(pulse.look({}, Sign::none, start + 4s));
    CHECK(pulse.look({}, Sign::none, start + 4100ms) == 3100ms);
}

TEST_CASE("open loop: silence proves nothing where a sign may have been lost") {
    Pulse pulse({}, start);
    CHECK_FALSE(pulse.look({}, Sign::unknown, start + 10s));
    CHECK_FALSE(pulse.look({}, Sign::none, start + 12s));
}

TEST_CASE("closed loop: frames without an ACK tell that the sink is lost") {
    Pulse pulse(closed_plan(), start);
    CHECK_FALSE(pulse.look(counts(10, 5), Sign::unknown, start + 1s));
    CHECK_FALSE(pulse.look(counts(15, 5), Sign::unknown, start + 4s));
    CHECK(pulse.look(counts(15, 5), Sign::unknown, start + 4300ms) == 3300ms);
}

TEST_CASE("closed loop: a frame that is sent again without an ACK tells it, too") {
    Pulse pulse(closed_plan(), start);
    CHECK_FALSE(pulse.look(counts(10, 5), Sign::unknown, start + 1s));
    CHECK(pulse.look(counts(11, 5, 1), Sign::unknown, start + 5s));
}

TEST_CASE("closed loop: a sink that was not asked may be silent") {
    Pulse pulse(closed_plan(), start);
    CHECK_FALSE(pulse.look(counts(10, 5), Sign::unknown, start + 1s));
    CHECK_FALSE(pulse.look(counts(11, 5), Sign::unknown, start + 60s));
    CHECK_FALSE(pulse.look(counts(13, 6), Sign::unknown, start + 120s));
}

}  // namespace gensink::apart
