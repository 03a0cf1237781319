// SPDX-License-Identifier: BSD-3-Clause
#include "fixture.hpp"

#include <cmath>

namespace gensink::report::fixture {

namespace {

using experiment::Verdict;
using trial::LoadKind;
using trial::ReasonCode;
using trial::Severity;

constexpr std::uint64_t frame_bytes = 174;
constexpr std::uint64_t payload_bytes = 128;

EndSummary end_of(const char* device, std::uint16_t burst, unsigned lcore) {
    EndSummary end;
    end.device = device;
    end.driver = *device == '\0' ? "ring" : "af_packet";
    end.doorbell = *device == '\0' ? "none" : "per_call";
    end.queues = 1;
    end.descriptors = 1024;
    end.burst = burst;
    end.cores = {{LcoreId{lcore}, CpuId{lcore}, {QueueId{0}}}};
    return end;
}

CellSummary cell_of(const std::string& arm, std::uint16_t burst) {
    CellSummary cell;
    cell.arm = arm;
    cell.lossless = true;
    cell.gen = end_of("", burst, 0);
    cell.sink = end_of("", 32, 1);
    cell.frame_bytes = frame_bytes;
    cell.payload_bytes = payload_bytes;
    cell.block_bytes = payload_bytes;
    cell.flows = 1;
    cell.warmup = Duration{200'000'000};
    cell.measure = Duration{1'000'000'000};
    return cell;
}

Saved start(const std::string& name) {
    Saved saved;
    saved.run.id = "2026-11-30T13-25-37Z-0badcafe";
    saved.run.started = "2026-11-30T13:25:37Z";
    saved.run.finished = "2026-11-30T13:26:01Z";
    saved.run.versions = {{"gensink", "0.1.0"}, {"DPDK", "22.11.5"}};
    saved.run.command_line = {"gensink", "run", name};
    saved.run.host.cpu_model = "Example CPU at 2.0 GHz";
    saved.run.host.kernel = "6.1.0-18-amd64";
    saved.run.host.topology = "1 socket, 2 CPUs";
    saved.run.host.cpus = 2;
    saved.run.host.invariant_tsc = true;
    saved.plan.name = name;
    saved.plan.profile_text = "gensink: 1\nname: " + name + "\n";
    saved.plan.profile_digest = "00112233445566aa";
    saved.plan.seed = 1;
    saved.plan.confidence = 0.99;
    saved.plan.rounds = 2;
    saved.tsc_hz = tsc_hz;
    return saved;
}

void add_comparison(Saved& saved, experiment::Comparison comparison) {
    comparison.rounds = 2;
    if (comparison.interval) {
        comparison.smallest_margin_ratio =
            std::max(std::fabs(comparison.interval->low), std::fabs(comparison.interval->high));
    }
    saved.result.comparisons.push_back(std::move(comparison));
}

void fill_gen(const TrialNumbers& numbers, counters::TxCounts& counts) {
    const std::uint64_t sending = numbers.frames * numbers.sending_ticks;
    counts.frames_built = numbers.frames;
    counts.frames_accepted = numbers.frames;
    counts.frame_bytes = numbers.frames * frame_bytes;
    counts.payload_bytes = numbers.frames * payload_bytes;
    counts.send_calls = numbers.frames / numbers.burst;
    counts.frames_asked = numbers.frames;
    counts.cause_ticks = {sending, 0, 0, tsc_hz - sending, 0};
    counts.cause_turns = {counts.send_calls, 0, 0, 1000, 0};
    counts.longest_turn_ticks = 40'000;
    counts.burst_asked.at(numbers.burst) = counts.send_calls;
    counts.burst_accepted.at(numbers.burst) = counts.send_calls;
}

void fill_sink(const TrialNumbers& numbers, counters::SinkCounts& counts) {
    const std::uint64_t seen = numbers.frames - numbers.lost;
    const std::uint64_t receiving = seen * numbers.receiving_ticks;
    counts.frames = seen;
    counts.frame_bytes = seen * frame_bytes;
    counts.payload_bytes = seen * payload_bytes;
    counts.receive_calls = seen / 16 + 1000;
    counts.cause_ticks = {receiving, 0, tsc_hz - receiving};
    counts.cause_turns = {seen / 16, 0, 1000};
    counts.longest_turn_ticks = 30'000;
    counts.burst_received.at(0) = 1000;
    counts.burst_received.at(16) = seen / 16;
}

template <class Counts>
trial::CoreReport<Counts> core_of(unsigned lcore, const Counts& counts) {
    trial::CoreReport<Counts> core;
    core.lcore = LcoreId{lcore};
    core.total = counts;
    core.measured = counts;
    core.measure_start_ticks = 1'000'000;
    core.measure_end_ticks = 1'000'000 + tsc_hz;
    core.thread.cpu = CpuId{lcore};
    core.thread.sampled_ns = 1'000'200'000;
    core.thread.run_delay_ns = 12'000;
    core.thread.run_ns = 1'000'100'000;
    core.thread.user_ns = 1'000'100'000;
    core.thread.system_ns = 0;
    core.thread.core_hz_before = tsc_hz;
    return core;
}

/// Of a core that never idles, but for interrupts and a visitor.
trial::CpuReport cpu_of(unsigned cpu) {
    trial::CpuReport report;
    report.cpu = CpuId{cpu};
    report.sampled_ns = 1'000'300'000;
    report.user_ns = 940'000'000;
    report.system_ns = 20'000'000;
    report.irq_ns = 0;
    report.softirq_ns = 30'000'000;
    report.steal_ns = 10'000'000;
    report.use = trial::CpuSlices{0.95, 1.0, 1.0};
    return report;
}

/// A trial of each arm, in both rounds, at max and at equal load.
void add_rounds(Saved& saved) {
    for (unsigned round = 1; round <= 2; ++round) {
        for (std::size_t cell = 0; cell < saved.plan.cells.size(); ++cell) {
            const bool batched = saved.plan.cells[cell].arm == "batched";
            TrialNumbers numbers;
            numbers.cell = cell;
            numbers.round = round;
            numbers.sending_ticks = (batched ? 100 : 150) + round;
            numbers.frames = batched ? 16'000'000 : 12'000'000;
            numbers.burst = batched ? 32 : 1;
            saved.result.trials.push_back(trial_of(saved, numbers));
            numbers.kind = LoadKind::cost;
            numbers.frames = 6'000'000;
            saved.result.trials.push_back(trial_of(saved, numbers));
        }
    }
}

void add_sweep_results(Saved& saved) {
    const std::vector<std::string> blocks{"128 B", "4096 B"};
    for (const std::string& block : blocks) {
        const std::vector<std::pair<std::string, std::string>> point{{"traffic.block_size", block}};
        experiment::Comparison one;
        one.metric = "tx.ticks_per_frame";
        one.arm = "batched";
        one.point = point;
        one.gain_ratio = 0.4975;
        one.interval = experiment::Interval{0.4612, 0.5347};
        one.verdict = Verdict::gain;
        one.baseline_mean = 151.5;
        one.arm_mean = 101.5;
        add_comparison(saved, one);
        one.placebo = true;
        one.arm = "one-by-one";
        one.gain_ratio = 0.0001;
        one.interval = experiment::Interval{-0.0121, 0.0119};
        one.verdict = Verdict::no_difference;
        one.arm_mean = 151.4;
        add_comparison(saved, one);
        experiment::Fit fit;
        fit.metric = one.metric;
        fit.key = "tx.burst";
        fit.point = point;
        fit.arm = block == "128 B" ? "batched" : "null";
        fit.rounds = 2;
        fit.a = 99.9;
        fit.b = 51.6;
        fit.a_interval = experiment::Interval{98.0, 101.8};
        fit.r_squared = 0.91234;
        fit.worst_misfit_ratio = block == "128 B" ? 0.031 : 0.082;
        fit.law_holds = block == "128 B";
        saved.result.fits.push_back(fit);
    }
}

}  // namespace

trial::TrialResult trial_of(const Saved& saved, const TrialNumbers& numbers) {
    trial::TrialResult result;
    const CellSummary& cell = saved.plan.cells.at(numbers.cell);
    result.arm = cell.arm;
    result.cell = numbers.cell;
    result.round = numbers.round;
    result.load_kind = numbers.kind;
    if (numbers.kind != LoadKind::max) {
        result.intended_fps = static_cast<double>(numbers.frames);
    }
    result.complete = true;
    counters::TxCounts sent;
    fill_gen(numbers, sent);
    result.counts.tsc_hz = tsc_hz;
    result.counts.gen.push_back(core_of(0, sent));
    result.counts.gen_cpus.push_back(cpu_of(0));
    result.opened.memory = "4 KiB pages";
    result.opened.tsc_hz = tsc_hz;
    result.opened.gen_driver = "net_ring";
    result.measure_seconds = 1.0;
    result.drain_seconds = 0.1;
    trial::StreamReport stream;
    stream.sent_measured.frames_accepted = numbers.frames;
    result.ledger.built = numbers.frames;
    result.ledger.accepted = numbers.frames;
    if (cell.sink) {
        counters::SinkCounts seen;
        fill_sink(numbers, seen);
        result.counts.sink.push_back(core_of(1, seen));
        result.counts.sink_cpus.push_back(cpu_of(1));
        stream.seen_measured.in_order = seen.frames;
        stream.seen_measured.frame_bytes = seen.frame_bytes;
        stream.seen_measured.payload_bytes = seen.payload_bytes;
        result.opened.sink_driver = "net_ring";
        result.sink_measure_seconds = 1.0;
        result.ledger.has_sink = true;
        result.ledger.in_order = seen.frames;
        result.ledger.lost = static_cast<std::int64_t>(numbers.lost);
        result.ledger.unknown_place = result.ledger.lost;
    }
    result.counts.streams.push_back(stream);
    return result;
}

Saved small() {
    Saved saved = start("small");
    saved.plan.summary = "Two arms, one round";
    saved.plan.arms = {"one-by-one", "batched"};
    saved.plan.metrics = {"rx.fps"};
    saved.plan.baseline = "one-by-one";
    saved.plan.margin_ratio = 0.02;
    saved.plan.rounds = 1;
    saved.plan.cells = {cell_of("one-by-one", 1), cell_of("batched", 32)};
    for (const std::size_t cell : {0U, 1U}) {
        TrialNumbers numbers;
        numbers.cell = cell;
        numbers.burst = cell == 0 ? 1 : 32;
        numbers.frames = cell == 0 ? 12'000'000 : 16'000'000;
        saved.result.trials.push_back(trial_of(saved, numbers));
    }
    experiment::CellStatistic statistic;
    statistic.metric = "rx.fps";
    statistic.n = 1;
    statistic.mean = statistic.trimmed_mean = statistic.median = statistic.p99 = statistic.low =
        statistic.high = 12e6;
    statistic.load_kind = LoadKind::max;
    saved.result.cells.push_back(statistic);
    experiment::Comparison one;
    one.metric = "rx.fps";
    one.arm = "batched";
    one.gain_ratio = 1.0 / 3.0;
    one.baseline_mean = 12e6;
    one.arm_mean = 16e6;
    add_comparison(saved, one);
    saved.result.has_verdict = true;
    saved.result.verdict = Verdict::inconclusive;
    saved.result.headline =
        "INCONCLUSIVE: rx.fps of batched against one-by-one: +33.3 %, no interval";
    saved.result.rounds_counted = 1;
    return saved;
}

Saved sweep() {
    Saved saved = start("xmit-batching");
    saved.plan.summary = "Does handing the NIC many frames per doorbell beat one at a time? Here "
                         "with a summary that "
                         "is longer than a line";
    saved.plan.arms = {"one-by-one", "batched"};
    saved.plan.metrics = {"tx.ticks_per_frame"};
    saved.plan.baseline = "one-by-one";
    saved.plan.margin_ratio = 0.02;
    saved.plan.shared_cores = true;
    saved.plan.fit_reference = "null";
    saved.plan.overrides = {"stats.rounds=2"};
    for (const char* arm : {"one-by-one", "batched", "placebo"}) {
        for (const char* block : {"128 B", "4096 B"}) {
            const bool placebo = std::string(arm) == "placebo";
            CellSummary cell =
                cell_of(placebo ? "one-by-one" : arm, std::string(arm) == "batched" ? 32 : 1);
            cell.placebo = placebo;
            cell.point = {{"traffic.block_size", block}};
            saved.plan.cells.push_back(std::move(cell));
        }
    }
    add_rounds(saved);
    trial::TrialResult& lossy = saved.result.trials.at(2);
    lossy.ledger.in_order -= 3;
    lossy.ledger.lost = 3;
    lossy.ledger.unknown_place = 1;
    lossy.ledger.attributed = {{"sink device: missed", 2, plan::Trust::approximate}};
    lossy.reasons.push_back(
        {ReasonCode::lost_frames, Severity::note, "3 of 12,000,000 frames were lost", ""}
    );
    lossy.reasons.push_back(
        {ReasonCode::residue,
         Severity::invalid,
         "the cable cannot lose a frame, yet 1 is missing",
         "report this with result.json"}
    );
    add_sweep_results(saved);
    saved.result.expectations = {
        {"tx.burst_accepted of batched = 32 within 1 %", true, "32"},
        {"verdict is gain", false, "INVALID"},
    };
    saved.result.warnings = {"2 rounds give wide intervals; use 10"};
    saved.result.has_verdict = true;
    saved.result.verdict = Verdict::gain;
    saved.result.headline =
        "GAIN: tx.ticks_per_frame of batched is 49.8 % better than one-by-one (+49.8 [+46.1, "
        "+53.5] "
        "at 99 %) at traffic.block_size 128 B; tx.ticks_per_frame of batched is 49.8 % better than "
        "one-by-one (+49.8 [+46.1, +53.5] at 99 %) at traffic.block_size 4096 B";
    saved.result.rounds_counted = 2;
    return saved;
}

Saved search() {
    Saved saved = start("saturate");
    saved.plan.arms = {"plain"};
    saved.plan.metrics = {"rx.fps"};
    saved.plan.search_loss_ratio = 0.0;
    for (const char* size : {"64 B", "1518 B"}) {
        CellSummary cell = cell_of("plain", 32);
        cell.point = {{"traffic.frame_size", size}};
        cell.wire = plan::WireKind::ports;
        cell.lossless = false;
        cell.gen.device = "net_af_packet0,iface=v0";
        cell.sink->device = "net_af_packet1,iface=v1";
        cell.sink->netns = "gensink-b";
        cell.line_bps = 10e9;
        saved.plan.cells.push_back(std::move(cell));
    }
    for (const std::size_t cell : {0U, 1U}) {
        TrialNumbers numbers;
        numbers.cell = cell;
        numbers.round = 0;
        numbers.kind = LoadKind::probe;
        numbers.frames = 1'000'000;
        numbers.lost = cell == 0 ? 100'000 : 0;
        saved.result.trials.push_back(trial_of(saved, numbers));
        experiment::SearchResult found;
        found.cell = cell;
        found.max_offered_fps = 1.2e6;
        found.max_received_fps = 1.1e6;
        if (cell == 1) {
            found.found_fps = 812'744.0;
            found.line_ratio = 1.0;
            found.limit = "link";
            found.evidence = "within 0.5 % of the enforced line rate of 10 Gbit/s";
        }
        found.low_fps = 0;
        found.high_fps = 1e5;
        found.probes = 14;
        saved.result.searches.push_back(std::move(found));
    }
    saved.result.headline = "measured 2 cells in 0 rounds; nothing was compared";
    return saved;
}

Saved broken() {
    Saved saved = small();
    saved.plan.name = "broken";
    saved.result = {};
    trial::TrialResult died;
    died.arm = "one-by-one";
    died.round = 1;
    died.load_kind = LoadKind::max;
    died.reasons.push_back(
        {ReasonCode::datapath_died,
         Severity::invalid,
         "the worker was killed by signal 9",
         "look at the kernel's log for the out-of-memory killer"}
    );
    saved.result.trials.push_back(died);
    TrialNumbers numbers;
    numbers.cell = 1;
    trial::TrialResult cut = trial_of(saved, numbers);
    cut.complete = false;
    cut.measure_seconds = 0;
    cut.sink_measure_seconds = 0;
    cut.counts.gen.front().measure_end_ticks = cut.counts.gen.front().measure_start_ticks;
    cut.counts.gen.front().measured = {};
    cut.reasons.push_back({ReasonCode::interrupted, Severity::invalid, "SIGINT ended the run", ""});
    saved.result.trials.push_back(cut);
    saved.result.partial = true;
    saved.result.failed = true;
    saved.result.headline = "INVALID: no trial counts";
    saved.result.has_verdict = true;
    saved.result.verdict = Verdict::invalid;
    return saved;
}

}  // namespace gensink::report::fixture
