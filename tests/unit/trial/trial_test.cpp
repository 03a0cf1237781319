// SPDX-License-Identifier: BSD-3-Clause
#include "trial/trial.hpp"

#include <cerrno>
#include <chrono>

#include "catch.hpp"
#include "fake_datapath.hpp"
#include "support.hpp"

namespace gensink::trial {

namespace {

using counters::Phase;
using fixture::FakeDatapath;
using fixture::has;
using fixture::request;
using fixture::run_clean;
using namespace std::chrono_literals;
using Calls = std::vector<std::string>;

std::function<std::optional<Error>(const std::string&, Duration)>
error_at(std::string call, Error error) {
    return [=](const std::string& now, Duration) {
        return now == call ? std::optional<Error>(error) : std::nullopt;
    };
}

const Error death{ErrorKind::measurement, "worker (pid 7) was killed by signal 9 (Killed)", "", 0};
const Error signalled{ErrorKind::measurement, "a signal asked to stop", "wait", EINTR};

}  // namespace

TEST_CASE("a clean trial goes through its phases in order and raises nothing") {
    FakeDatapath datapath;
    const TrialResult result = run_clean(datapath);
    CHECK(datapath.calls == Calls{"open", "start", "warmup", "measure", "drain", "stop", "close"});
    for (const Reason& reason : result.reasons) {
        UNSCOPED_INFO(name(reason.code) << ": " << reason.message);
    }
    CHECK(result.reasons.empty());
    CHECK(result.valid());
    CHECK(result.complete);
    CHECK(result.ledger.accepted == 1'000'000);
    CHECK(result.ledger.in_order == 1'000'000);
    CHECK(result.measure_seconds == Approx(1));
    CHECK(result.opened.gen_driver == "fake");
}

TEST_CASE("a result is labelled with its request") {
    FakeDatapath datapath;
    const TrialResult result = run_clean(datapath);
    CHECK(result.cell == 3);
    CHECK(result.arm == "batched");
    CHECK(result.round == 2);
    CHECK(result.attempt == 1);
    CHECK(result.intended_fps == 1e6);
}

TEST_CASE("each trial has a run id of its own") {
    FakeDatapath datapath;
    (void)run_clean(datapath);
    (void)run_clean(datapath);
    REQUIRE(datapath.run_ids.size() == 2);
    CHECK(datapath.run_ids[0] != datapath.run_ids[1]);
}

TEST_CASE("the request's load replaces the plan's") {
    FakeDatapath datapath;
    Request max = request();
    max.load_kind = LoadKind::max;
    max.intended_fps.reset();
    const TrialResult result = run(datapath, fixture::clean_plan(), max, {});
    CHECK_FALSE(datapath.opened_with.intended_fps.has_value());
    CHECK(datapath.opened_with.load.unit == flow::LoadUnit::max);
    CHECK_FALSE(result.intended_fps.has_value());
    Request cost = request();
    cost.load_kind = LoadKind::cost;
    cost.intended_fps = 5e5;
    datapath.fps = 5e5;
    CHECK(run(datapath, fixture::clean_plan(), cost, {}).intended_fps == 5e5);
    CHECK(datapath.opened_with.intended_fps == 5e5);
}

TEST_CASE("a short trial costs a few milliseconds beyond its phases") {
    FakeDatapath datapath;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.warmup = 40ms;
    plan.phases.measure = 80ms;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(result.valid());
    CHECK(datapath.now <= 125ms);
    CHECK(datapath.waits.size() <= 5);
}

TEST_CASE("progress is told about every 200 ms, with counts and phase") {
    FakeDatapath datapath;
    std::vector<Phase> told;
    std::uint64_t last = 0;
    (void)run(datapath, fixture::clean_plan(), request(), [&](Phase phase, const Snapshot& counts) {
        told.push_back(phase);
        last = counts.gen.at(0).total.frames_accepted;
    });
    CHECK(std::ranges::count(told, Phase::measure) == 5);  // the first as it begins
    CHECK(last > 0);
}

TEST_CASE("settling lasts as long as the slower of plan and drivers asks") {
    FakeDatapath datapath;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.settle = 100ms;
    plan.sink->driver.settle = 1300ms;
    (void)run(datapath, plan, request(), {});
    CHECK(datapath.waits.front() == 1300ms);
}

TEST_CASE("draining on a lossless wire ends as soon as all have arrived") {
    FakeDatapath datapath;
    datapath.arrives_for = 30ms;
    const TrialResult result = run_clean(datapath);
    CHECK(result.valid());
    CHECK(result.drain_seconds == Approx(0.030).margin(0.003));
    CHECK(datapath.now < 1200ms + 40ms);
}

TEST_CASE("draining on a lossy wire waits until nothing has come for the quiet time") {
    FakeDatapath datapath;
    datapath.arrives_for = 300ms;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.lossless = false;
    plan.phases.quiet = 400ms;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(result.valid());
    CHECK(result.ledger.lost == 0);
    CHECK(datapath.now >= 1200ms + 700ms);
}

TEST_CASE("a drain does not end before the generator's loops have") {
    for (const bool lossless : {true, false}) {
        FakeDatapath datapath;
        datapath.gen_ends_after = 300ms;
        plan::TrialPlan plan = fixture::clean_plan();
        plan.lossless = lossless;
        const TrialResult result = run(datapath, plan, request(), {});
        CHECK(result.valid());
        CHECK(datapath.now >= 1500ms);
    }
}

TEST_CASE("a sink that waits for its core is not quiet") {
    FakeDatapath datapath;
    datapath.sink_sleeps_for = 70ms;
    datapath.arrives_for = 71ms;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.quiet = 20ms;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(result.valid());
    CHECK(result.ledger.lost == 0);
}

TEST_CASE("draining ends at its cap") {
    FakeDatapath datapath;
    datapath.arrives_for = 1h;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.phases.quiet = 1h;
    plan.phases.drain_cap = 50ms;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(result.ledger.lost == 100);
    CHECK(datapath.now <= 1200ms + 60ms);
}

TEST_CASE("a refused port is a reason of the environment, with place and message") {
    FakeDatapath datapath;
    datapath.fault = error_at("open", {ErrorKind::device, "device is busy", "0000:01:00.0", EBUSY});
    const TrialResult result = run_clean(datapath);
    REQUIRE(has(result, ReasonCode::environment));
    CHECK(result.reasons.front().message == "0000:01:00.0: device is busy");
    CHECK_FALSE(result.complete);
    CHECK(datapath.calls == Calls{"open"});
}

TEST_CASE("a start that fails gives the ports back") {
    FakeDatapath datapath;
    datapath.fault = error_at("start", {ErrorKind::environment, "cannot pin a thread", "", EINVAL});
    const TrialResult result = run_clean(datapath);
    CHECK(has(result, ReasonCode::environment));
    CHECK(datapath.calls.back() == "close");
}

TEST_CASE("a start that waits for a link in vain is a link that is down") {
    FakeDatapath datapath;
    datapath.fault = error_at("start", {ErrorKind::device, "no link after 5 s", "v0", 0});
    datapath.link = [](Duration) {
        return false;
    };
    const TrialResult result = run_clean(datapath);
    CHECK(has(result, ReasonCode::link_down));
    CHECK(datapath.calls.back() == "close");
}

TEST_CASE("a death in any call is named, and what was counted is kept") {
    for (const std::string call : {"open", "start", "warmup", "measure", "drain", "stop"}) {
        INFO(call);
        FakeDatapath datapath;
        datapath.fault = error_at(call, death);
        const TrialResult result = run_clean(datapath);
        REQUIRE(result.reasons.size() == 1);
        CHECK(result.reasons.front().code == ReasonCode::datapath_died);
        CHECK(result.reasons.front().message == death.message);
        CHECK_FALSE(result.valid());
        CHECK_FALSE(result.external());
        CHECK_FALSE(result.complete);
    }
}

TEST_CASE("a death in the measure phase keeps the last counts, whose balance accuses nobody") {
    FakeDatapath datapath;
    datapath.fault = [](const std::string& call, Duration now) {
        return call == "wait" && now > 600ms ? std::optional<Error>(death) : std::nullopt;
    };
    const TrialResult result = run_clean(datapath);
    REQUIRE(result.counts.gen.size() == 1);
    CHECK(result.counts.gen[0].total.frames_accepted > 0);
    CHECK(result.ledger.residue == 0);
    CHECK(datapath.calls.back() == "measure");
}

TEST_CASE("a death while closing leaves a complete trial that says so") {
    FakeDatapath datapath;
    datapath.fault = error_at("close", death);
    const TrialResult result = run_clean(datapath);
    CHECK(result.complete);
    CHECK(result.valid());
    CHECK(has(result, ReasonCode::datapath_died, Severity::note));
}

TEST_CASE("a signal ends the trial at once and keeps its last counts") {
    FakeDatapath datapath;
    datapath.fault = [](const std::string& call, Duration now) {
        return call == "wait" && now >= 400ms ? std::optional<Error>(signalled) : std::nullopt;
    };
    const TrialResult result = run_clean(datapath);
    REQUIRE(result.reasons.size() == 1);
    CHECK(has(result, ReasonCode::interrupted));
    CHECK(datapath.calls == Calls{"open", "start", "warmup", "measure", "stop", "close"});
    CHECK_FALSE(result.complete);
}

TEST_CASE("an end given up after a signal is told once") {
    FakeDatapath datapath;
    datapath.fault = [](const std::string& call, Duration now) {
        return now >= 400ms && (call == "wait" || call == "stop" || call == "close")
                   ? std::optional<Error>(signalled)
                   : std::nullopt;
    };
    CHECK(run_clean(datapath).reasons.size() == 1);
}

TEST_CASE("shared cores turn a disturbance into a mark") {
    class Disturbed final : public Datapath {
      public:
        FakeDatapath inner;

        Result<Opened> open(const plan::TrialPlan& p, std::uint32_t id) override {
            return inner.open(p, id);
        }

        Result<void> start() override { return inner.start(); }

        Result<void> enter(Phase phase) override { return inner.enter(phase); }

        Result<void> wait(Duration duration) override { return inner.wait(duration); }

        Result<Snapshot> snapshot() override { return inner.snapshot(); }

        Result<Snapshot> stop() override {
            return inner.stop().map([](Snapshot counts) {
                counts.gen.at(0).thread.run_delay_ns = 100'000'000;
                return counts;
            });
        }

        Result<void> close() override { return inner.close(); }
    };

    Disturbed alone;
    const TrialResult external = run(alone, fixture::clean_plan(), request(), {});
    CHECK(has(external, ReasonCode::disturbed_gen, Severity::external));
    CHECK(external.external());
    Disturbed shared;
    Request on_few_cores = request();
    on_few_cores.shared_cores = true;
    const TrialResult marked = run(shared, fixture::clean_plan(), on_few_cores, {});
    CHECK(marked.valid());
    REQUIRE(has(marked, ReasonCode::disturbed_gen, Severity::note));
    CHECK(marked.reasons.front().message.starts_with("SHARED CORES: "));
}

TEST_CASE("a trial that never had a datapath has a result all the same") {
    const TrialResult result =
        failed(request(), {ErrorKind::environment, "EAL did not start", "worker", 0});
    CHECK(result.cell == 3);
    CHECK(result.arm == "batched");
    CHECK(has(result, ReasonCode::environment));
    CHECK(has(failed(request(), death), ReasonCode::datapath_died));
    CHECK_FALSE(result.complete);
}

}  // namespace gensink::trial
