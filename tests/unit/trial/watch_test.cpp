// SPDX-License-Identifier: BSD-3-Clause
#include "trial/trial.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "catch.hpp"
#include "fake_datapath.hpp"
#include "support.hpp"

/// What ends a trial before its time.
namespace gensink::trial {

namespace {

using fixture::FakeDatapath;
using fixture::has;
using fixture::request;
using fixture::run_clean;
using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a sink that sees nothing ends the trial one second after the first frames") {
    FakeDatapath datapath;
    datapath.sink_sees = false;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.measure = 1h;
    const TrialResult result = run(datapath, plan, request(), {});
    REQUIRE(result.reasons.size() == 1);
    CHECK(has(result, ReasonCode::sink_saw_nothing));
    CHECK_FALSE(result.reasons.front().advice.empty());
    CHECK(datapath.now < 2s);
    CHECK(datapath.calls.back() == "close");
}

TEST_CASE("a trial too short for the early look still names a sink that saw nothing") {
    FakeDatapath datapath;
    datapath.sink_sees = false;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.measure = 80ms;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(has(result, ReasonCode::sink_saw_nothing));
}

TEST_CASE("a link that goes down in the measure phase ends it") {
    FakeDatapath datapath;
    datapath.link = [](Duration now) {
        return now < 700ms;
    };
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.measure = 1h;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(has(result, ReasonCode::link_down));
    CHECK(datapath.now < 1s);
    CHECK_FALSE(result.complete);
}

TEST_CASE("a lost link is told with its end, device and moment") {
    FakeDatapath datapath;
    datapath.sink_link = [](Duration now) {
        return now < 700ms;
    };
    plan::TrialPlan plan = fixture::clean_plan();
    plan.gen.device = "net_af_packet0,iface=v0";
    plan.sink->device = "net_af_packet1,iface=v1";
    plan.phases.warmup = 200ms;
    plan.phases.measure = 1h;
    const TrialResult result = run(datapath, plan, request(), {});
    REQUIRE(result.reasons.size() == 1);
    CHECK(
        result.reasons.front().message ==
        "the link is down, 0.6 s into the measure phase: sink (net_af_packet1,iface=v1)"
    );
}

TEST_CASE("a link lost while draining ends the drain, and is told once") {
    FakeDatapath datapath;
    datapath.arrives_for = 1h;
    datapath.link = [](Duration now) {
        return now < 1300ms;
    };
    plan::TrialPlan plan = fixture::clean_plan();
    plan.lossless = false;
    plan.phases.quiet = 1h;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(std::ranges::count(result.reasons, ReasonCode::link_down, &Reason::code) == 1);
    CHECK(datapath.now < 1400ms);
}

TEST_CASE("a link lost in a finite transfer ends it") {
    FakeDatapath datapath;
    datapath.link = [](Duration now) {
        return now < 700ms;
    };
    plan::TrialPlan plan = fixture::closed_plan();
    plan.transport->sender.blocks = 1'000'000;
    plan.phases.measure = 1h;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(has(result, ReasonCode::link_down));
    CHECK(datapath.now < 1s);
}

TEST_CASE("a link that comes up late is waited for") {
    FakeDatapath datapath;
    datapath.link = [](Duration now) {
        return now >= 500ms;
    };
    const TrialResult result = run_clean(datapath);
    CHECK(result.valid());
    CHECK(datapath.now >= 1700ms);
}

TEST_CASE("a link that never comes up is waited for two seconds") {
    FakeDatapath datapath;
    datapath.link = [](Duration) {
        return false;
    };
    const TrialResult result = run_clean(datapath);
    CHECK(has(result, ReasonCode::link_down));
    CHECK(datapath.now < 2500ms);
}

TEST_CASE("an unknown link is no reason") {
    FakeDatapath datapath;
    datapath.link = [](Duration) {
        return std::nullopt;
    };
    CHECK(run_clean(datapath).reasons.empty());
}

TEST_CASE("a generator that is stuck at full load is given up, by what holds it") {
    const std::pair<counters::TxCause, ReasonCode> expected[] = {
        {counters::TxCause::ring_full, ReasonCode::sink_limit},
        {counters::TxCause::pool_empty, ReasonCode::pool_empty},
        {counters::TxCause::pacing, ReasonCode::generator_limit},
    };
    for (const auto& [cause, code] : expected) {
        FakeDatapath datapath;
        datapath.stuck_after = 500ms;
        datapath.stuck_cause = cause;
        plan::TrialPlan plan = fixture::clean_plan();
        plan.phases.measure = 1h;
        Request max = request();
        max.intended_fps.reset();
        max.load_kind = LoadKind::max;
        const TrialResult result = run(datapath, plan, max, {});
        REQUIRE(result.reasons.size() == 1);
        CHECK(has(result, code));
        CHECK(datapath.now < 3500ms);
    }
}

TEST_CASE("a stuck transmit queue ends the trial within two seconds, whatever the load") {
    for (const bool paced : {true, false}) {
        FakeDatapath datapath;
        datapath.stuck_after = 500ms;
        datapath.waiting = 7;
        plan::TrialPlan plan = fixture::clean_plan();
        plan.gen.device = "0000:01:00.0";
        plan.gen.descriptors = 512;
        plan.phases.measure = 1h;
        Request asked = request();
        if (!paced) {
            asked.intended_fps.reset();
            asked.load_kind = LoadKind::max;
        }
        const TrialResult result = run(datapath, plan, asked, {});
        REQUIRE(result.reasons.size() == 1);
        REQUIRE(has(result, ReasonCode::queue_stuck));
        CHECK(datapath.now <= 2500ms);
        const std::string& message = result.reasons.front().message;
        for (const char* part :
             {"transmit queue 0 of the generator (0000:01:00.0)",
              "lcore 1, cpu 1",
              "after 600000 frames, and 7 wait",
              "512 descriptors (3 free)",
              "900 buffers are free"}) {
            INFO(message << ": " << part);
            CHECK(message.find(part) != std::string::npos);
        }
    }
}

TEST_CASE("a queue that was stuck when a short phase ended spoils the trial") {
    FakeDatapath datapath;
    datapath.stuck_after = 500ms;
    datapath.waiting = 7;
    Request max = request();
    max.intended_fps.reset();
    max.load_kind = LoadKind::max;
    const TrialResult result = run(datapath, fixture::clean_plan(), max, {});
    CHECK(result.complete);
    CHECK(has(result, ReasonCode::queue_stuck));
}

TEST_CASE("a queue whose thread lost its core is not called stuck") {
    FakeDatapath datapath;
    datapath.stuck_after = 500ms;
    datapath.starved = true;
    datapath.waiting = 7;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.measure = 5s;
    CHECK_FALSE(has(run(datapath, plan, request(), {}), ReasonCode::queue_stuck));
}

TEST_CASE("a generator without buffers is stuck at a paced load, too") {
    FakeDatapath datapath;
    datapath.stuck_after = 500ms;
    datapath.stuck_cause = counters::TxCause::pool_empty;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.measure = 1h;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(has(result, ReasonCode::pool_empty));
    CHECK(datapath.now <= 2500ms);
}

TEST_CASE("a full ring that moves is not stuck") {
    FakeDatapath datapath;
    datapath.waiting = 7;
    datapath.fps = 10;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.measure = 5s;
    Request max = request();
    max.intended_fps.reset();
    max.load_kind = LoadKind::max;
    CHECK_FALSE(has(run(datapath, plan, max, {}), ReasonCode::queue_stuck));
}

TEST_CASE("a closed loop that waits for its window is not stuck at its queue") {
    FakeDatapath datapath;
    datapath.done_after = 100ms;
    plan::TrialPlan plan = fixture::closed_plan();
    plan.phases.measure = 5s;
    Request max = request();
    max.intended_fps.reset();
    const TrialResult result = run(datapath, plan, max, {});
    CHECK_FALSE(has(result, ReasonCode::queue_stuck));
}

TEST_CASE("a slow paced generator is not stuck") {
    FakeDatapath datapath;
    datapath.fps = 0;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.measure = 5s;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(result.complete);
}

}  // namespace gensink::trial
