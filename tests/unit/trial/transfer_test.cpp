// SPDX-License-Identifier: BSD-3-Clause
#include "trial/metrics.hpp"
#include "trial/trial.hpp"

#include <algorithm>
#include <chrono>

#include "catch.hpp"
#include "fake_datapath.hpp"

namespace gensink::trial {

namespace {

using counters::FlowCause;
using fixture::FakeDatapath;
using namespace std::chrono_literals;
using Calls = std::vector<std::string>;

Request request() {
    Request made;
    made.load_kind = LoadKind::max;
    return made;
}

/// 82 MB: the fake acknowledges 1,000,000 frames of 82 B a second.
plan::TrialPlan finite_plan() {
    plan::TrialPlan plan = fixture::closed_plan();
    plan.transport->sender.blocks = 1'000'000;
    plan.phases.measure = 10s;
    return plan;
}

const Reason* find(const TrialResult& result, ReasonCode code) {
    const auto found = std::ranges::find(result.reasons, code, &Reason::code);
    return found == result.reasons.end() ? nullptr : &*found;
}

std::string reasons_of(const TrialResult& result) {
    std::string text;
    for (const Reason& reason : result.reasons) {
        text += std::string(name(reason.code)) + ": " + reason.message + "\n";
    }
    return text;
}

/// A clean closed loop, whose flow waited for its window 3/4 and for the ACK timer 1/4 of the time.
TrialResult closed_result() {
    TrialResult result = fixture::clean_result();
    counters::TransportCounts& counts = result.counts.gen[0].measured.transport;
    counts.acks_received = 500'000;
    counts.frames_acked = 1'000'000;
    counts.payload_acked = 70'000'000;
    counts.blocks_acked = 1'000'000;
    counts.retransmitted = 1'000;
    counts.timeouts = 2;
    counts.most_outstanding = 8;
    result.counts.gen[0].total.transport = counts;
    result.counts.sink[0].measured.acks_sent = 500'000;
    TransportReport& report = result.counts.transport.emplace();
    report.flows.resize(2);
    report.flows[0].times = {300, 100, 0, 0, 0, 0};
    report.flows[1].times = {300, 100, 0, 0, 0, 0};
    report.block_ticks = {100'000'000, 110'000'000, 120'000'000, 3'100'000'000};
    report.latencies.block.add(120'000'000);
    report.latencies.hold.add(5'000);
    result.counts.transfer_done = true;
    result.header_bytes = 12;
    result.outliers = {stats::OutlierKind::trim_high, 1};
    return result;
}

double value(const TrialResult& result, std::string_view name) {
    const Metric* metric = find_metric(name);
    REQUIRE(metric != nullptr);
    INFO(name);
    const auto found = metric->value(result);
    REQUIRE(found.has_value());
    return *found;
}

}  // namespace

TEST_CASE("a finite transfer ends when it is done, and has no warm-up") {
    FakeDatapath datapath;
    datapath.done_after = 1s;
    const TrialResult result = run(datapath, finite_plan(), request(), {});
    INFO(reasons_of(result));
    CHECK(result.valid());
    CHECK(datapath.calls == Calls{"open", "start", "measure", "drain", "stop", "close"});
    CHECK(result.measure_seconds == Approx(1).epsilon(0.005));
    CHECK(value(result, "transfer.seconds") == Approx(1).epsilon(0.005));
}

TEST_CASE("a transfer of hours in virtual time is not looked at every 2 ms") {
    FakeDatapath datapath;
    datapath.fps = 1000;
    datapath.done_after = 1h;
    plan::TrialPlan plan = finite_plan();
    plan.phases.measure = 2h;
    const TrialResult result = run(datapath, plan, request(), {});
    CHECK(result.counts.transfer_done);
    CHECK(datapath.waits.size() < 30'000);
}

TEST_CASE("a transfer that is not done at its cap is invalid, and told with its numbers") {
    FakeDatapath datapath;
    plan::TrialPlan plan = finite_plan();
    plan.phases.measure = 500ms;
    const TrialResult result = run(datapath, plan, request(), {});
    const Reason* reason = find(result, ReasonCode::transfer_incomplete);
    REQUIRE(reason != nullptr);
    CHECK(reason->severity == Severity::invalid);
    CHECK(reason->message.find("41000000 of 82000000 B") != std::string::npos);
    CHECK(reason->message.find("window 75.0 %, ack timer 25.0 %") != std::string::npos);
    CHECK(reason->advice.find("takes 1 s") != std::string::npos);
}

TEST_CASE("a closed loop without a single ACK is invalid") {
    TrialResult result = closed_result();
    result.counts.gen[0].total.transport.acks_received = 0;
    const auto reasons = judge(fixture::closed_plan(), result);
    REQUIRE_FALSE(reasons.empty());
    CHECK(reasons.back().code == ReasonCode::transfer_incomplete);
    CHECK(reasons.back().message.find("no ACK reached the generator") != std::string::npos);
}

TEST_CASE("a closed loop that is silent until its timer fires is not called stuck") {
    FakeDatapath datapath;
    datapath.stuck_after = 300ms;
    datapath.stuck_cause = counters::TxCause::window;
    plan::TrialPlan plan = fixture::closed_plan();
    plan.phases.measure = 6s;
    CHECK(find(run(datapath, plan, request(), {}), ReasonCode::transfer_incomplete) == nullptr);
    plan.transport->sender.recovery.timeout = 100ms;
    FakeDatapath short_timer;
    short_timer.stuck_after = 300ms;
    short_timer.stuck_cause = counters::TxCause::window;
    const TrialResult wedged = run(short_timer, plan, request(), {});
    const Reason* reason = find(wedged, ReasonCode::transfer_incomplete);
    REQUIRE(reason != nullptr);
    CHECK(reason->message.find("its windows are full") != std::string::npos);
}

TEST_CASE("copies that the loop sent again are no residue on a lossless wire") {
    FakeDatapath datapath;
    datapath.sent_again = 100;
    const TrialResult result = run(datapath, fixture::closed_plan(), request(), {});
    INFO(reasons_of(result));
    CHECK(result.valid());
    CHECK(result.ledger.duplicate == 100);
    CHECK(result.ledger.lost == 0);
    CHECK(result.ledger.residue == 0);
    CHECK(find(result, ReasonCode::duplicate_frames) != nullptr);
}

TEST_CASE("copies that nobody sent again are a residue") {
    Snapshot counts = fixture::clean_counts();
    counts.gen[0].measured.frames_accepted = counts.gen[0].total.frames_accepted = 1'000'050;
    counts.streams[0].sent_measured.frames_accepted = 1'000'050;
    counts.streams[0].seen_measured.duplicate = 50;
    counts.gen[0].total.transport.retransmitted = 20;
    CHECK(make_ledger(fixture::closed_plan(), counts).residue == 30);
    counts.gen[0].total.transport.retransmitted = 50;
    CHECK(make_ledger(fixture::closed_plan(), counts).residue == 0);
}

TEST_CASE("a closed loop loses copies, not frames") {
    plan::TrialPlan plan = fixture::closed_plan();
    plan.lossless = false;
    Snapshot counts = fixture::clean_counts();
    auto& seen = counts.streams[0].seen_measured;
    seen.in_order = 990'000;
    seen.late = 5'000;
    seen.duplicate = 1'000;
    seen.stale = 500;
    seen.corrupt = 100;
    const Ledger ledger = make_ledger(plan, counts);
    CHECK(ledger.lost == 3'400);
    CHECK(ledger.residue == 0);
    CHECK(ledger.unknown_place == 3'400);
}

TEST_CASE("the window as the limit of a paced load is a note, its absence is not") {
    plan::TrialPlan plan = fixture::closed_plan();
    TrialResult result = closed_result();
    result.intended_fps = 2e6;
    auto reasons = judge(plan, result);
    const auto note = std::ranges::find(reasons, ReasonCode::window_limit, &Reason::code);
    REQUIRE(note != reasons.end());
    CHECK(note->severity == Severity::note);
    for (FlowReport& flow : result.counts.transport->flows) {
        flow.times = {0, 0, 0, 0, 0, 400};
    }
    reasons = judge(plan, result);
    CHECK(std::ranges::find(reasons, ReasonCode::window_limit, &Reason::code) == reasons.end());
    CHECK(std::ranges::find(reasons, ReasonCode::offered_short, &Reason::code) != reasons.end());
}

TEST_CASE("bursts of a closed loop are what the window admits") {
    TrialResult result = closed_result();
    result.intended_fps.reset();
    result.counts.gen[0].measured.send_calls = 1'000'000;
    CHECK(judge(fixture::closed_plan(), result).empty());
}

TEST_CASE("virtual time has no host that disturbs it") {
    plan::TrialPlan plan = fixture::clean_plan();
    TrialResult result = fixture::clean_result();
    result.counts.gen[0].measured.long_turns = 3;
    CHECK_FALSE(judge(plan, result).empty());
    plan.wire = plan::WireKind::model;
    CHECK(judge(plan, result).empty());
}

TEST_CASE("the closed loop's metrics follow from its counts") {
    const TrialResult result = closed_result();
    CHECK(value(result, "transfer.bps_payload") == Approx(560e6));
    CHECK(value(result, "transfer.kib_per_s") == Approx(70e6 / 1024));
    CHECK(value(result, "transfer.blocks_per_s") == Approx(500'000));
    CHECK(value(result, "transfer.timeouts") == 2);
    CHECK(value(result, "transfer.retransmit_ratio") == Approx(0.001));
    CHECK(value(result, "transfer.outstanding_max") == 8);
    CHECK(value(result, "transfer.acks_per_frame") == Approx(0.5));
    CHECK(value(result, "transfer.window_ratio") == Approx(0.75));
    CHECK(value(result, "transfer.ack_timer_ratio") == Approx(0.25));
    CHECK(value(result, "transfer.cpu_ratio") == 0);
    CHECK(value(result, "hold.p50_us") == Approx(5).epsilon(0.032));
    CHECK(value(result, "latency.block_max_us") == Approx(120'000));
    CHECK_FALSE(find_metric("latency.frame_p50_us")->value(result).has_value());
}

TEST_CASE("object times are told raw and as the rule keeps them") {
    const TrialResult result = closed_result();
    CHECK(value(result, "transfer.object_ms") == Approx(110));
    CHECK(value(result, "transfer.object_raw_ms") == Approx(857.5));
    CHECK(value(result, "transfer.object_median_ms") == Approx(115));
    CHECK(value(result, "transfer.object_max_ms") == Approx(3100));
}

TEST_CASE("payload is what the protocol's header leaves of it") {
    // 82 B of UDP payload, 12 of them header.
    const TrialResult result = closed_result();
    CHECK(value(result, "tx.bps_payload") == Approx(8 * 70e6));
    CHECK(value(result, "rx.bps_payload") == Approx(8 * 70e6));
    TrialResult open = result;
    open.header_bytes = 0;
    CHECK(value(open, "tx.bps_payload") == Approx(8 * 82e6));
    CHECK(value(result, "tx.us_per_kb") / value(open, "tx.us_per_kb") == Approx(82.0 / 70.0));
}

TEST_CASE("the measured value is told beside the predicted one") {
    TrialResult result = closed_result();
    CHECK_FALSE(find_metric("predicted_ratio")->value(result).has_value());
    result.predicted_bps_payload = 700e6;
    CHECK(value(result, "predicted_ratio") == Approx(0.8));
    result.predicted_object_ms = 100;
    CHECK(value(result, "predicted_ratio") == Approx(1.1));
}

}  // namespace gensink::trial
