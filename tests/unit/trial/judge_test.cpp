// SPDX-License-Identifier: BSD-3-Clause
#include "trial/trial.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "spoiled.hpp"

namespace gensink::trial {

namespace {

using Catch::Matchers::Contains;
using counters::SinkCause;
using counters::TxCause;
using plan::Trust;

}  // namespace

TEST_CASE("a clean run raises nothing, paced or at full load, on any wire") {
    Spoiled paced;
    CHECK(paced.reasons().empty());
    Spoiled full;
    full.full_load();
    CHECK(full.reasons().empty());
    Spoiled lossy;
    lossy.plan.lossless = false;
    CHECK(lossy.reasons().empty());
    Spoiled no_sink;
    no_sink.plan.sink.reset();
    no_sink.result.counts.sink.clear();
    no_sink.seen() = {};
    CHECK(no_sink.reasons().empty());
}

TEST_CASE("an incomplete trial is not judged: what ended it is the reason") {
    Spoiled trial;
    trial.seen().in_order = 0;
    trial.result.complete = false;
    CHECK(trial.reasons().empty());
}

TEST_CASE("a generator thread that waited for its core is disturbed, from outside") {
    Spoiled trial;
    trial.result.counts.gen[0].thread.run_delay_ns = 19'000'000;
    CHECK(trial.reasons().empty());  // below 2 % of the second
    trial.result.counts.gen[0].thread.run_delay_ns = 21'000'000;
    trial.result.counts.gen[0].thread.involuntary_switches = 42;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::disturbed_gen);
    CHECK(reason.severity == Severity::external);
    CHECK_THAT(reason.message, Contains("cpu 1") && Contains("21.0 ms") && Contains("42"));
}

TEST_CASE("a sink thread that waited for its core is disturbed, from outside") {
    Spoiled trial;
    trial.result.counts.sink[0].thread.run_delay_ns = 30'000'000;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::disturbed_sink);
    CHECK(reason.severity == Severity::external);
}

TEST_CASE("a long turn is an interruption where the driver makes no system call") {
    Spoiled trial;
    trial.gen().long_turns = 1;
    trial.gen().stalled_ticks = trial.gen().longest_turn_ticks = 6'000'000;
    CHECK(only(trial).code == ReasonCode::disturbed_gen);
    trial.plan.gen.driver.system_calls = true;
    CHECK(trial.reasons().empty());
    trial.sink().long_turns = 1;
    CHECK(only(trial).code == ReasonCode::disturbed_sink);
    trial.plan.sink->driver.system_calls = true;
    CHECK(trial.reasons().empty());
}

TEST_CASE("a core whose clock moved is named, from outside") {
    Spoiled trial;
    trial.result.counts.sink[0].thread.core_hz_after = 2'980'000'000;
    CHECK(trial.reasons().empty());  // 0.7 %
    trial.result.counts.sink[0].thread.core_hz_after = 2'900'000'000;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::clock_changed);
    CHECK(reason.severity == Severity::external);
    CHECK_THAT(reason.message, Contains("3000 MHz") && Contains("2900 MHz"));
    CHECK_THAT(reason.advice, Contains("cpupower"));
    trial.plan.virtual_machine = true;
    CHECK_THAT(only(trial).advice, Contains("a guest cannot fix its clock"));
    trial.result.counts.sink[0].thread.core_hz_before = 0;  // not probed
    CHECK(trial.reasons().empty());
}

TEST_CASE("bursts shorter than the arm's are a treatment not exercised") {
    for (const bool paced : {true, false}) {
        Spoiled trial;
        trial.bursts_of(16);
        if (!paced) {
            trial.full_load();
        }
        const Reason reason = only(trial);
        CHECK(reason.code == ReasonCode::treatment_not_exercised);
        CHECK(reason.severity == Severity::invalid);
        CHECK_THAT(reason.message, Contains("16.00"));
    }
}

TEST_CASE("bursts that are slightly short, or meant to be, are none") {
    Spoiled slightly;
    slightly.gen().send_calls += 1'000;  // 31.0 frames a call
    slightly.gen().burst_accepted[32] += 1'000;
    CHECK(slightly.reasons().empty());
    Spoiled due;
    due.bursts_of(1);
    due.plan.fill = flow::Fill::due;
    CHECK(due.reasons().empty());
    Spoiled one;
    one.bursts_of(1);
    one.plan.gen.burst = 1;
    CHECK(one.reasons().empty());
}

TEST_CASE("at full load a refusing wire that cuts bursts is a limit, not another treatment") {
    Spoiled trial;
    trial.full_load();
    trial.gen().send_calls = 62'500;
    trial.gen().frames_asked = 2'000'000;
    trial.gen().burst_asked[32] = 62'500;
    trial.gen().burst_accepted = {};
    trial.gen().burst_accepted[16] = 62'500;
    const auto reasons = trial.reasons();
    CHECK(has(reasons, ReasonCode::sink_limit, Severity::note));
    CHECK_FALSE(has(reasons, ReasonCode::treatment_not_exercised, Severity::invalid));
}

TEST_CASE("at a paced load cut bursts are a treatment not exercised") {
    Spoiled trial;
    trial.gen().send_calls = 62'500;
    trial.gen().frames_asked = 2'000'000;
    trial.gen().burst_accepted = {};
    trial.gen().burst_accepted[16] = 62'500;
    CHECK(has(trial.reasons(), ReasonCode::treatment_not_exercised, Severity::invalid));
}

TEST_CASE("calls that a full ring refused wholly do not shorten bursts") {
    Spoiled trial;
    trial.refusals(1'000'000);
    CHECK_FALSE(has(trial.reasons(), ReasonCode::treatment_not_exercised, Severity::invalid));
}

TEST_CASE("offered below intended is short, with both rates and where the time went") {
    Spoiled trial;
    trial.result.intended_fps = 1.005e6;  // 0.5 % missing
    CHECK(trial.reasons().empty());
    trial.result.intended_fps = 1.1e6;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::offered_short);
    CHECK(reason.severity == Severity::invalid);
    CHECK_THAT(
        reason.message, Contains("1100000") && Contains("1000000") && Contains("sending 60.0 %")
    );
}

TEST_CASE("what an interruption left owing is the interruption's fault") {
    Spoiled trial;
    trial.result.intended_fps = 1.025e6;
    CHECK(only(trial).code == ReasonCode::offered_short);
    trial.gen().longest_turn_ticks = trial.gen().stalled_ticks = 20'000'000;
    trial.gen().long_turns = 1;
    CHECK(only(trial).code == ReasonCode::disturbed_gen);
    Spoiled delayed;
    delayed.result.intended_fps = 1.06e6;
    delayed.result.counts.gen[0].thread.run_delay_ns = 50'000'000;
    CHECK(only(delayed).code == ReasonCode::disturbed_gen);
}

TEST_CASE("a burst that waits to be full is not short of the load") {
    Spoiled trial;
    // 40 fps in bursts of 32: one burst in the second, 8 frames on their way to the next.
    trial.result.intended_fps = 40;
    trial.gen() = {};
    trial.gen().frames_accepted = trial.gen().frames_asked = 32;
    trial.gen().send_calls = trial.gen().burst_accepted[32] = 1;
    trial.ticks(TxCause::pacing) = 1'000'000'000;
    trial.result.counts.gen[0].total = trial.gen();
    trial.result.counts.streams[0].sent_measured.frames_accepted = 32;
    trial.seen().in_order = 32;
    CHECK(trial.reasons().empty());
}

TEST_CASE("offered above intended is another treatment") {
    Spoiled trial;
    trial.result.intended_fps = 0.9e6;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::treatment_not_exercised);
    CHECK_THAT(reason.message, Contains("more than intended"));
}

TEST_CASE("a full ring is the sink's limit, noted with the sink's idle time") {
    Spoiled trial;
    trial.full_load();
    trial.refusals(1'000'000);
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::sink_limit);
    CHECK(reason.severity == Severity::note);
    CHECK_THAT(reason.message, Contains("40.0 %") && Contains("idle for 70.0 %"));
}

TEST_CASE("a few refusals are no limit") {
    Spoiled trial;
    trial.full_load();
    trial.gen().frames_asked += 500;
    CHECK(trial.reasons().empty());
}

TEST_CASE("frames that the sink's device missed are the sink's limit") {
    Spoiled trial;
    trial.plan.lossless = false;
    trial.plan.sink->driver.rx_missed = Trust::exact;
    trial.result.counts.sink_device.rx_missed = 77;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::sink_limit);
    CHECK_THAT(reason.message, Contains("77"));
    trial.plan.sink->driver.rx_missed = Trust::absent;  // a counter known to lie
    CHECK(trial.reasons().empty());
}

TEST_CASE("skipped departures are the generator's limit") {
    Spoiled trial;
    trial.gen().frames_skipped = 12;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::generator_limit);
    CHECK(reason.severity == Severity::note);
    CHECK_THAT(reason.message, Contains("12"));
}

TEST_CASE("a paced generator with no time to spare is at its limit") {
    Spoiled trial;
    trial.ticks(TxCause::sending) = 999'000'000;
    trial.ticks(TxCause::pacing) = 1'000'000;
    CHECK(only(trial).code == ReasonCode::generator_limit);
    trial.full_load();  // at full load that is the aim
    CHECK(trial.reasons().empty());
}

TEST_CASE("nothing sent in the measure phase proves nothing") {
    Spoiled trial;
    trial.full_load();
    trial.gen() = {};
    trial.result.counts.gen[0].total = {};
    trial.result.counts.streams[0].sent_measured = {};
    trial.seen() = {};
    CHECK(has(trial.reasons(), ReasonCode::generator_limit, Severity::invalid));
}

TEST_CASE("a pool run dry is invalid where it cost time, else a note") {
    Spoiled trial;
    trial.full_load();
    trial.gen().pool_failures = 3;
    CHECK(only(trial).severity == Severity::note);
    trial.ticks(TxCause::pool_empty) = 50'000'000;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::pool_empty);
    CHECK(reason.severity == Severity::invalid);
    CHECK_THAT(reason.message, Contains("3 times"));
}

TEST_CASE("a pool whose buffers wait behind a full ring is the sink's doing") {
    Spoiled trial;
    trial.full_load();
    trial.gen().pool_failures = 3;
    trial.ticks(TxCause::pool_empty) = 50'000'000;
    trial.refusals(1'000);
    const auto reasons = trial.reasons();
    CHECK(has(reasons, ReasonCode::pool_empty, Severity::note));
    CHECK(has(reasons, ReasonCode::sink_limit, Severity::note));
}

TEST_CASE("a path that changes every frame is no path with a loss") {
    Spoiled trial;
    trial.plan.lossless = false;
    trial.seen().corrupt = trial.seen().in_order;
    trial.seen().in_order = trial.seen().frame_bytes = trial.seen().payload_bytes = 0;
    CHECK(has(trial.reasons(), ReasonCode::corrupt_frames, Severity::invalid));
}

TEST_CASE("a link that is down at the end is named") {
    Spoiled trial;
    trial.result.counts.sink_link_up = false;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::link_down);
    CHECK(reason.severity == Severity::invalid);
}

TEST_CASE("a core that never ended its measure phase is named") {
    Spoiled trial;
    trial.result.counts.sink.push_back({});
    trial.result.counts.sink[1].lcore = LcoreId{5};
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::datapath_died);
    CHECK_THAT(reason.message, Contains("sink core 5"));
}

TEST_CASE("a core that got no CPU time in the measure phase is disturbed, from outside") {
    Spoiled trial;
    trial.result.counts.sink.push_back({});
    ThreadFacts& thread = trial.result.counts.sink[1].thread;
    thread.cpu = CpuId{7};
    thread.sampled_ns = 100'000'000;
    thread.run_delay_to_end_ns = 400'000'000;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::disturbed_sink);
    CHECK(reason.severity == Severity::external);
    CHECK_THAT(reason.message, Contains("cpu 7 gave its thread no time"));
    thread.run_delay_to_end_ns = 10'000'000;  // it ran, and hung
    CHECK(only(trial).code == ReasonCode::datapath_died);
}

TEST_CASE("a generator that got no CPU time is not called too slow") {
    Spoiled trial;
    auto& core = trial.result.counts.gen[0];
    core = {};
    core.thread.sampled_ns = core.thread.run_delay_to_end_ns = 100'000'000;
    trial.seen() = {};
    trial.result.counts.streams[0].sent_measured = {};
    const auto reasons = trial.reasons();
    CHECK(has(reasons, ReasonCode::disturbed_gen, Severity::external));
    for (const Reason& reason : reasons) {
        INFO(name(reason.code) << ": " << reason.message);
        CHECK(reason.severity != Severity::invalid);
    }
}

TEST_CASE("a wait is a share of the span that it was sampled over") {
    Spoiled trial;
    ThreadFacts& thread = trial.result.counts.gen[0].thread;
    thread.run_delay_ns = thread.sampled_ns = 1'200'000'000;  // the interval is 1 s
    CHECK_THAT(only(trial).message, Contains("1200.0 ms of 1200 ms") && Contains("100.0 %"));
}

TEST_CASE("a sink that saw nothing is named alone") {
    Spoiled trial;
    trial.seen() = {};
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::sink_saw_nothing);
    CHECK(reason.severity == Severity::invalid);
    CHECK_THAT(reason.advice, Contains("MAC") && Contains("link"));
}

TEST_CASE("loss on a path is a note with its place, and counts") {
    Spoiled trial;
    trial.plan.lossless = false;
    trial.plan.sink->driver.rx_missed = Trust::approximate;
    trial.seen().in_order -= 3;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::lost_frames);
    CHECK(reason.severity == Severity::note);
    CHECK_THAT(reason.message, Contains("3 of 1000000") && Contains("3e-06"));
    CHECK_THAT(reason.message, Contains("place unknown: 3"));
    trial.result.counts.sink_device.rx_missed = 2;
    CHECK_THAT(trial.reasons().back().message, Contains("missed: about 2"));
}

TEST_CASE("each fault of a path is a note of its own") {
    const auto code_of = [](auto spoil) {
        Spoiled trial;
        trial.plan.lossless = false;
        spoil(trial);
        return only(trial).code;
    };
    CHECK(code_of([](Spoiled& trial) {
              trial.seen().in_order -= 5;
              trial.seen().corrupt = 5;
          }) == ReasonCode::corrupt_frames);
    CHECK(code_of([](Spoiled& trial) {
              trial.seen().in_order -= 5;
              trial.seen().late = 5;
          }) == ReasonCode::reordered_frames);
    CHECK(code_of([](Spoiled& trial) {
              trial.seen().duplicate = 5;
          }) == ReasonCode::duplicate_frames);
    CHECK(code_of([](Spoiled& trial) { trial.seen().stale = 5; }) == ReasonCode::stale_frames);
    CHECK(code_of([](Spoiled& trial) {
              trial.result.counts.sink[0].total.foreign = 5;
          }) == ReasonCode::foreign_frames);
}

TEST_CASE("each fault on a lossless wire is a residue beside its note") {
    const auto reasons_of = [](auto spoil) {
        Spoiled trial;
        spoil(trial.seen());
        return trial.reasons();
    };
    const auto lost = reasons_of([](auto& seen) { seen.in_order -= 1; });
    CHECK(has(lost, ReasonCode::residue, Severity::invalid));
    CHECK(has(lost, ReasonCode::lost_frames, Severity::note));
    const auto copied = reasons_of([](auto& seen) { seen.duplicate = 1; });
    CHECK(has(copied, ReasonCode::residue, Severity::invalid));
    CHECK(has(copied, ReasonCode::duplicate_frames, Severity::note));
}

TEST_CASE("a residue names what contradicts what") {
    Spoiled trial;
    trial.result.counts.gen_device.tx_frames = 999'000;
    const Reason reason = only(trial);
    CHECK(reason.code == ReasonCode::residue);
    CHECK(reason.severity == Severity::invalid);
    CHECK_THAT(reason.message, Contains("generator's device") && Contains("-1000 frames"));
}

TEST_CASE("a result is valid with notes, external with nothing worse") {
    TrialResult result;
    CHECK(result.valid());
    CHECK_FALSE(result.external());
    result.reasons.push_back({ReasonCode::lost_frames, Severity::note, "", ""});
    CHECK(result.valid());
    result.reasons.push_back({ReasonCode::disturbed_gen, Severity::external, "", ""});
    CHECK_FALSE(result.valid());
    CHECK(result.external());
    result.reasons.push_back({ReasonCode::residue, Severity::invalid, "", ""});
    CHECK_FALSE(result.valid());
    CHECK_FALSE(result.external());
}

TEST_CASE("every reason has a name of its own") {
    std::set<std::string> names;
    for (int code = 0; code <= static_cast<int>(ReasonCode::foreign_frames); ++code) {
        CHECK(names.insert(name(static_cast<ReasonCode>(code))).second);
    }
    CHECK(names.count("unknown") == 0);
}

}  // namespace gensink::trial
