// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "fixture.hpp"

namespace gensink::report::fixture {

namespace {

using counters::FlowCause;

constexpr std::uint64_t ms = tsc_hz / 1000;

/// Puts a closed loop into a trial: objects fetched one by one, one of them after a timeout.
void close_loop(trial::TrialResult& trial, std::uint64_t object_ms, std::uint64_t timeouts) {
    counters::TransportCounts& counts = trial.counts.gen.front().measured.transport;
    counts.frames_acked = trial.ledger.accepted;
    counts.payload_acked = trial.ledger.accepted * 116;
    counts.blocks_acked = 20;
    counts.acks_received = trial.ledger.accepted / 2;
    counts.retransmitted = timeouts;
    counts.timeouts = timeouts;
    counts.most_outstanding = 8;
    trial.counts.sink.front().measured.acks_sent = trial.ledger.accepted / 2;
    trial.counts.transfer_done = true;
    trial.header_bytes = 12;
    trial.outliers = {stats::OutlierKind::trim_high, 1};
    trial::TransportReport& report = trial.counts.transport.emplace();
    trial::FlowReport& flow = report.flows.emplace_back();
    flow.times.at(static_cast<std::size_t>(FlowCause::window)) = 900 * ms;
    flow.times.at(static_cast<std::size_t>(FlowCause::ack_timer)) = 60 * ms;
    flow.times.at(static_cast<std::size_t>(FlowCause::cpu)) = 40 * ms;
    for (unsigned i = 0; i < 20; ++i) {
        const std::uint64_t ticks = (object_ms + (i < timeouts ? 3000 : 0)) * ms;
        report.block_ticks.push_back(ticks);
        report.latencies.block.add(ticks);
        report.latencies.frame.add(44 * ms);
        report.latencies.hold.add(ms / 1000);
    }
}

experiment::Prediction
predicted(std::size_t cell, double predicted_ms, double measured_ms, const char* measured_limit) {
    experiment::Prediction one;
    one.cell = cell;
    one.load_kind = trial::LoadKind::max;
    one.metric = "transfer.object_ms";
    one.predicted = predicted_ms;
    one.measured = measured_ms;
    one.ratio = measured_ms / predicted_ms;
    one.predicted_limit = "window";
    one.measured_limit = measured_limit;
    one.evidence = "90 % of the flows' time went to window";
    return one;
}

experiment::CellStatistic statistic(std::size_t cell, double raw, double kept) {
    experiment::CellStatistic one;
    one.cell = cell;
    one.metric = "transfer.object_ms";
    one.n = 2;
    one.mean = raw;
    one.trimmed_mean = kept;
    one.median = one.low = kept;
    one.p99 = one.high = raw;
    one.load_kind = trial::LoadKind::max;
    return one;
}

}  // namespace

Saved transfer(plan::WireKind wire) {
    Saved saved = small();
    saved.plan.name = "initial-window";
    saved.plan.summary = "How many round trips does a larger initial window save?";
    saved.plan.arms = {"iw3", "iw10"};
    saved.plan.metrics = {"transfer.object_ms"};
    saved.plan.baseline = "iw3";
    saved.plan.outliers = {plan::OutlierRule::trim_high, 1};
    saved.plan.rounds = 2;
    const char* arms[] = {"iw3", "iw10"};
    for (std::size_t i = 0; i < 2; ++i) {
        CellSummary& cell = saved.plan.cells.at(i);
        cell.arm = arms[i];
        cell.wire = wire;
        cell.gen.driver = cell.sink->driver = wire == plan::WireKind::model ? "model" : "ring";
    }
    saved.result = {};
    for (unsigned round = 1; round <= 2; ++round) {
        for (const std::size_t cell : {0U, 1U}) {
            TrialNumbers numbers;
            numbers.cell = cell;
            numbers.round = round;
            numbers.frames = 1600;
            numbers.burst = 1;
            trial::TrialResult trial = trial_of(saved, numbers);
            close_loop(trial, cell == 0 ? 132 : 88, cell == 0 && round == 1 ? 1 : 0);
            saved.result.trials.push_back(std::move(trial));
        }
    }
    saved.result.predictions = {predicted(0, 132, 132, "window"), predicted(1, 88, 92, "link")};
    saved.result.cells = {statistic(0, 207, 132), statistic(1, 88, 88)};
    experiment::Comparison one;
    one.metric = "transfer.object_ms";
    one.arm = "iw10";
    one.rounds = 2;
    one.gain_ratio = 0.5;
    one.interval = experiment::Interval{0.49, 0.51};
    one.verdict = experiment::Verdict::gain;
    one.raw_gain_ratio = 0.9;
    one.raw_verdict = experiment::Verdict::inconclusive;
    one.baseline_mean = 132;
    one.arm_mean = 88;
    saved.result.comparisons.push_back(one);
    experiment::Fit fit;
    fit.arm = "iw3";
    fit.law = plan::LawKind::affine;
    fit.metric = "transfer.bps_payload";
    fit.key = "window.limit";
    fit.rounds = 2;
    fit.a = 0.3096;
    fit.a_interval = experiment::Interval{0.3090, 0.3102};
    fit.b = 2825;
    fit.r_squared = 0.99998;
    fit.worst_misfit_ratio = 0.006;
    fit.law_holds = true;
    fit.left_out = {"1 MiB (link)"};
    saved.result.fits.push_back(fit);
    saved.result.has_verdict = true;
    saved.result.verdict = experiment::Verdict::gain;
    saved.result.headline = "GAIN: transfer.object_ms of iw10 is 50 % better than iw3";
    saved.result.rounds_counted = 2;
    return saved;
}

}  // namespace gensink::report::fixture
