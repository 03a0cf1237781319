// SPDX-License-Identifier: BSD-3-Clause
#include "trial/metrics.hpp"
#include "trial/trial.hpp"

#include <algorithm>

#include "catch.hpp"
#include "fixtures.hpp"

namespace gensink::trial {

namespace {

constexpr std::uint64_t warmup_bytes = 5'000;
constexpr std::uint64_t measured_bytes = 40'000;
constexpr std::uint64_t later_bytes = 300;

plan::TrialPlan tcp_plan(plan::KernelSender sender = plan::KernelSender::write) {
    plan::TrialPlan plan = fixture::clean_plan();
    plan.wire = plan::WireKind::kernel;
    plan.kernel.emplace().sender = sender;
    plan.kernel->loopback = true;
    plan.lossless = true;
    return plan;
}

/// All that was written has been read.
Snapshot tcp_counts() {
    Snapshot counts = fixture::clean_counts();
    counters::TxCounts& total = counts.gen[0].total;
    total.payload_bytes = warmup_bytes + measured_bytes + later_bytes;
    counts.gen[0].measured.payload_bytes = measured_bytes;
    StreamReport& stream = counts.streams[0];
    stream.sent_measured = {measured_bytes, warmup_bytes};
    stream.seen_measured = {};
    stream.seen_other = {};
    stream.seen_other.in_order = total.payload_bytes;
    return counts;
}

}  // namespace

TEST_CASE("TCP's ledger is in bytes: those of the measure phase, by their place in the stream") {
    const Ledger ledger = make_ledger(tcp_plan(), tcp_counts());
    CHECK(ledger.in_bytes);
    CHECK(ledger.accepted == measured_bytes);
    CHECK(ledger.in_order == measured_bytes);
    CHECK(ledger.lost == 0);
    CHECK(ledger.residue == 0);
}

TEST_CASE("bytes that TCP has not delivered are missing at the stream's end, and a residue") {
    Snapshot counts = tcp_counts();
    counts.streams[0].seen_other.in_order -= later_bytes;
    const Ledger late = make_ledger(tcp_plan(), counts);
    CHECK(late.lost == 0);
    CHECK(late.residue == 300);
    counts.streams[0].seen_other.in_order -= 100;
    const Ledger early = make_ledger(tcp_plan(), counts);
    CHECK(early.lost == 100);
    CHECK(early.in_order == measured_bytes - 100);
    CHECK(early.residue == 400);
    plan::TrialPlan cut_short = tcp_plan();
    cut_short.lossless = false;
    CHECK(make_ledger(cut_short, counts).residue == 0);
}

TEST_CASE("what a kernel copied is counted apart from what gensink copied") {
    TrialResult trial = fixture::clean_result();
    trial.counts.gen[0].measured.frames_accepted = 1000;
    trial.counts.gen[0].measured.frames_built = 0;
    trial.counts.gen[0].measured.kernel_bytes_copied = 1'448'000;
    CHECK(find_metric("tx.driver_bytes_copied_per_frame")->value(trial) == 1448.0);
    CHECK(find_metric("tx.bytes_copied_per_frame")->value(trial) == 0.0);
}

TEST_CASE("a socket's thread is disturbed by others' threads, not by the kernel's work for it") {
    TrialResult trial = fixture::clean_result();
    trial.counts = tcp_counts();
    const plan::TrialPlan plan = tcp_plan();
    trial.ledger = make_ledger(plan, trial.counts);
    trial.counts.sink_cpus.clear();
    ThreadFacts& thread = trial.counts.gen[0].thread;
    thread.run_ns = 600'000'000;
    thread.sampled_ns = 1'000'000'000;
    thread.run_delay_ns = 300'000'000;
    CpuReport cpu;
    cpu.cpu = thread.cpu;
    cpu.user_ns = 100'000'000;
    cpu.system_ns = 500'000'000;
    cpu.softirq_ns = 400'000'000;
    const auto disturbed = [&] {
        trial.counts.gen_cpus = {cpu};
        const auto reasons = judge(plan, trial);
        return std::ranges::count(reasons, ReasonCode::disturbed_gen, &Reason::code) != 0;
    };
    CHECK_FALSE(disturbed());
    cpu.user_ns += 30'000'000;  // within two steps of the account, and 2 % of the rest
    CHECK_FALSE(disturbed());
    cpu.user_ns += 100'000'000;
    CHECK(disturbed());
    trial.counts.sink[0].thread.cpu = thread.cpu;  // its own other end is no stranger
    trial.counts.sink[0].thread.run_ns = 130'000'000;
    CHECK_FALSE(disturbed());
}

TEST_CASE("what the kernel tells of TCP is of the time in which data waited") {
    TrialResult trial = fixture::clean_result();
    trial.ledger.in_bytes = true;
    counters::TxCounts& measured = trial.counts.gen[0].measured;
    measured.frames_accepted = 1000;
    measured.tcp = {20, 4000, 1000, 400};
    CHECK(find_metric("tcp.retransmit_ratio")->value(trial) == 0.02);
    CHECK(find_metric("tcp.receive_window_ratio")->value(trial) == 0.25);
    CHECK(find_metric("tcp.send_buffer_ratio")->value(trial) == 0.1);
    measured.tcp = {};
    CHECK_FALSE(find_metric("tcp.receive_window_ratio")->value(trial).has_value());
    trial.ledger.in_bytes = false;
    CHECK_FALSE(find_metric("tcp.retransmit_ratio")->value(trial).has_value());
}

TEST_CASE("a send that was to be in place and was copied is said, and counts") {
    TrialResult trial = fixture::clean_result();
    trial.counts = tcp_counts();
    const plan::TrialPlan plan = tcp_plan(plan::KernelSender::msg_zerocopy);
    trial.ledger = make_ledger(plan, trial.counts);
    trial.counts.gen[0].measured.kernel_bytes_copied = measured_bytes / 2;
    const auto reasons = judge(plan, trial);
    const auto found =
        std::ranges::find(reasons, ReasonCode::treatment_not_exercised, &Reason::code);
    REQUIRE(found != reasons.end());
    CHECK(found->severity == Severity::note);
    CHECK(found->message.find("copied 50.0 %") != std::string::npos);
}

}  // namespace gensink::trial
