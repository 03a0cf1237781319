// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/result.hpp"

#include <cstddef>
#include <cstdint>

/// A clean trial in round numbers; tests spoil one thing at a time.
namespace gensink::trial::fixture {

inline constexpr std::uint64_t tsc_hz = 1'000'000'000;
inline constexpr std::uint64_t frame_bytes = 128;
inline constexpr std::uint64_t payload_bytes = 82;

template <class Counts>
CoreReport<Counts> core_with_interval(std::uint64_t start, std::uint64_t end) {
    CoreReport<Counts> core;
    core.measure_start_ticks = start;
    core.measure_end_ticks = end;
    core.thread.core_hz_before = 3'000'000'000;
    core.thread.core_hz_after = 3'000'000'000;
    core.thread.sampled_ns = 1'000'000'000;
    core.thread.run_ns = 990'000'000;
    core.thread.user_ns = 990'000'000;
    core.thread.system_ns = 0;
    core.thread.hardware = {
        HardwareScope::user, 3'000'000'000, 6'000'000'000, 1'000'000, 2'000'000};
    return core;
}

/// 1 s in which 1,000,000 frames went out in bursts of 32: 60 % sending, 40 % pacing.
inline CoreReport<counters::TxCounts> gen_core() {
    auto core = core_with_interval<counters::TxCounts>(1'000, 1'000 + tsc_hz);
    core.lcore = LcoreId{1};
    core.thread.cpu = CpuId{1};
    counters::TxCounts& counts = core.measured;
    counts.frames_built = 1'000'000;
    counts.frames_accepted = 1'000'000;
    counts.frame_bytes = 1'000'000 * frame_bytes;
    counts.payload_bytes = 1'000'000 * payload_bytes;
    counts.send_calls = 31'250;
    counts.frames_asked = 1'000'000;
    counts.burst_asked[32] = 31'250;
    counts.burst_accepted[32] = 31'250;
    counts.cause_ticks[static_cast<std::size_t>(counters::TxCause::sending)] = 600'000'000;
    counts.cause_ticks[static_cast<std::size_t>(counters::TxCause::pacing)] = 400'000'000;
    counts.longest_turn_ticks = 20'000;
    core.total = counts;
    return core;
}

/// The same second at the sink: 30 % receiving, 70 % polling.
inline CoreReport<counters::SinkCounts> sink_core() {
    auto core = core_with_interval<counters::SinkCounts>(2'000, 2'000 + tsc_hz);
    core.lcore = LcoreId{2};
    core.thread.cpu = CpuId{2};
    counters::SinkCounts& counts = core.measured;
    counts.frames = 1'000'000;
    counts.frame_bytes = 1'000'000 * frame_bytes;
    counts.payload_bytes = 1'000'000 * payload_bytes;
    counts.receive_calls = 531'250;
    counts.burst_received[0] = 500'000;
    counts.burst_received[32] = 31'250;
    counts.cause_ticks[static_cast<std::size_t>(counters::SinkCause::receiving)] = 300'000'000;
    counts.cause_ticks[static_cast<std::size_t>(counters::SinkCause::polling)] = 700'000'000;
    counts.longest_turn_ticks = 20'000;
    core.total = counts;
    return core;
}

/// The same second, as the kernel accounts for it: nine tenths busy, by all causes.
inline CpuReport busy_cpu(unsigned cpu) {
    CpuReport report;
    report.cpu = CpuId{cpu};
    report.sampled_ns = 1'000'000'000;
    report.user_ns = 600'000'000;
    report.system_ns = 200'000'000;
    report.irq_ns = 10'000'000;
    report.softirq_ns = 90'000'000;
    report.idle_ns = 100'000'000;
    return report;
}

inline StreamReport stream() {
    StreamReport report;
    report.sent_measured.frames_accepted = 1'000'000;
    report.seen_measured.in_order = 1'000'000;
    report.seen_measured.frame_bytes = 1'000'000 * frame_bytes;
    report.seen_measured.payload_bytes = 1'000'000 * payload_bytes;
    return report;
}

inline Snapshot clean_counts() {
    Snapshot counts;
    counts.tsc_hz = tsc_hz;
    counts.gen.push_back(gen_core());
    counts.sink.push_back(sink_core());
    counts.gen_cpus.push_back(busy_cpu(1));
    counts.sink_cpus.push_back(busy_cpu(2));
    counts.streams.push_back(stream());
    counts.frames_left_in_pool = 1'000;
    return counts;
}

/// Burst 32 at 1 Mfps over a wire that loses nothing, one core a side, exact frame counters.
inline plan::TrialPlan clean_plan() {
    plan::TrialPlan plan;
    plan.gen.driver.name = "ring";
    plan.gen.driver.tx_frames = plan::Trust::exact;
    plan.gen.driver.rx_frames = plan::Trust::exact;
    plan.gen.burst = 32;
    plan.gen.cores.push_back({LcoreId{1}, CpuId{1}, {QueueId{0}}});
    plan.sink = plan.gen;
    plan.sink->cores.front() = {LcoreId{2}, CpuId{2}, {QueueId{0}}};
    plan.frames.payload_bytes = {payload_bytes};
    plan.load = {flow::LoadUnit::fps, 1e6};
    plan.intended_fps = 1e6;
    return plan;
}

/// The same plan as a closed loop: blocks of one frame under a window, at load max.
inline plan::TrialPlan closed_plan() {
    plan::TrialPlan plan = clean_plan();
    plan.load = {};
    plan.intended_fps.reset();
    plan::TransportPlan& transport = plan.transport.emplace();
    transport.sender.block = {1, payload_bytes, payload_bytes, payload_bytes};
    transport.sender.window.limit_bytes = 65'536;
    transport.ack.every_frames = 1;
    return plan;
}

inline TrialResult clean_result() {
    TrialResult result;
    result.arm = "batched";
    result.round = 1;
    result.intended_fps = 1e6;
    result.complete = true;
    result.counts = clean_counts();
    result.ledger.has_sink = true;
    result.ledger.accepted = 1'000'000;
    result.ledger.in_order = 1'000'000;
    result.measure_seconds = 1;
    result.sink_measure_seconds = 1;
    return result;
}

}  // namespace gensink::trial::fixture
