// SPDX-License-Identifier: BSD-3-Clause
#include "profile/metric_names.hpp"
#include "trial/metrics.hpp"

#include <set>
#include <string>

#include "catch.hpp"
#include "fixtures.hpp"

namespace gensink::trial {

namespace {

double value(const TrialResult& result, std::string_view name) {
    const Metric* metric = find_metric(name);
    REQUIRE(metric != nullptr);
    const std::optional<double> found = metric->value(result);
    INFO(name);
    REQUIRE(found.has_value());
    return *found;
}

bool absent(const TrialResult& result, std::string_view name) {
    return !find_metric(name)->value(result).has_value();
}

}  // namespace

TEST_CASE("metric names are unique and found by name") {
    std::set<std::string_view> names;
    for (const Metric& metric : metrics()) {
        CHECK(names.insert(metric.name).second);
        CHECK(find_metric(metric.name) == &metric);
        CHECK_FALSE(metric.unit.empty());
        CHECK_FALSE(metric.meaning.empty());
    }
    CHECK(find_metric("tx.nonsense") == nullptr);
}

TEST_CASE("profile and trial know the same metrics, of the same kind and unit") {
    using Kind = profile::MetricName::Kind;
    CHECK(profile::metric_names().size() == metrics().size());
    for (const Metric& metric : metrics()) {
        INFO(metric.name);
        const profile::MetricName* written = profile::find_metric_name(metric.name);
        REQUIRE(written != nullptr);
        const Kind kind = metric.kind == MetricKind::cost   ? Kind::cost
                          : metric.kind == MetricKind::rate ? Kind::rate
                                                            : Kind::other;
        CHECK(written->kind == kind);
        CHECK(written->unit == metric.unit);
        TrialResult sinkless = fixture::clean_result();
        sinkless.counts.sink.clear();
        sinkless.ledger.has_sink = false;
        CHECK(written->needs_sink == !metric.value(sinkless).has_value());
    }
}

TEST_CASE("what others send is in no rate of the sink") {
    const TrialResult clean = fixture::clean_result();
    TrialResult strayed = clean;
    counters::SinkCounts& counts = strayed.counts.sink.front().measured;
    counts.foreign += 40;
    counts.background += 60;
    counts.frames += 100;
    counts.frame_bytes += 6400;
    counts.stray_bytes += 6400;
    for (const char* name : {"rx.fps", "rx.bps_l1", "rx.bps_l2", "rx.bps_payload"}) {
        CHECK(value(strayed, name) == Approx(value(clean, name)));
    }
}

TEST_CASE("every promised metric exists") {
    for (const char* name :
         {"tx.ticks_per_frame",
          "tx.ns_per_frame",
          "tx.occupied_ticks_per_frame",
          "tx.us_per_kb",
          "tx.fps",
          "tx.burst_accepted",
          "tx.send_calls_per_frame",
          "rx.fps",
          "rx.bps_l1",
          "rx.bps_l2",
          "rx.bps_payload",
          "rx.ticks_per_frame",
          "rx.ns_per_frame",
          "rx.occupied_ticks_per_frame",
          "rx.us_per_kb",
          "rx.burst_received",
          "loss_ratio"}) {
        INFO(name);
        CHECK(find_metric(name) != nullptr);
    }
}

TEST_CASE("cost divides the ticks of busy turns, or of all, by frames") {
    const TrialResult result = fixture::clean_result();
    CHECK(value(result, "tx.ticks_per_frame") == Approx(600));
    CHECK(value(result, "tx.ns_per_frame") == Approx(600));
    CHECK(value(result, "tx.occupied_ticks_per_frame") == Approx(1000));
    CHECK(value(result, "rx.ticks_per_frame") == Approx(300));
    CHECK(value(result, "rx.occupied_ns_per_frame") == Approx(1000));
}

TEST_CASE("nanoseconds follow the time-stamp counter's rate, ticks do not") {
    TrialResult result = fixture::clean_result();
    result.counts.tsc_hz = 2 * fixture::tsc_hz;
    CHECK(value(result, "tx.ticks_per_frame") == Approx(600));
    CHECK(value(result, "tx.ns_per_frame") == Approx(300));
}

TEST_CASE("service demand is microseconds per 1024 bytes of payload, as netperf's") {
    // netperf: CPU% * 10^4 / (KB/s) * cores. 60 % of one core at 1e6 * 82 / 1024 KB/s.
    const double kb_per_second = 1e6 * 82 / 1024;
    const TrialResult result = fixture::clean_result();
    CHECK(value(result, "tx.us_per_kb") == Approx(60.0 * 1e4 / kb_per_second));
    CHECK(value(result, "tx.occupied_us_per_kb") == Approx(100.0 * 1e4 / kb_per_second));
}

TEST_CASE("rates name their layer") {
    const TrialResult result = fixture::clean_result();
    CHECK(value(result, "tx.fps") == Approx(1e6));
    CHECK(value(result, "rx.fps") == Approx(1e6));
    CHECK(value(result, "rx.bps_l1") == Approx(1e6 * 8 * 148));
    CHECK(value(result, "rx.bps_l2") == Approx(1e6 * 8 * 128));
    CHECK(value(result, "rx.bps_payload") == Approx(1e6 * 8 * 82));
    CHECK(value(result, "tx.bps_l1") == Approx(1e6 * 8 * 148));
}

TEST_CASE("each core's rate is taken over its own interval") {
    TrialResult result = fixture::clean_result();
    result.counts.gen.push_back(fixture::gen_core());
    auto& second = result.counts.gen.back();
    second.measure_end_ticks = second.measure_start_ticks + fixture::tsc_hz / 2;
    CHECK(value(result, "tx.fps") == Approx(1e6 + 2e6));
}

TEST_CASE("bursts leave out calls that moved nothing, send calls count them") {
    TrialResult result = fixture::clean_result();
    auto& counts = result.counts.gen.front().measured;
    counts.send_calls += 31'250;
    counts.burst_accepted[0] += 31'250;
    counts.burst_asked[32] += 31'250;
    counts.frames_asked += 1'000'000;
    CHECK(value(result, "tx.burst_accepted") == Approx(32));
    CHECK(value(result, "tx.burst_asked") == Approx(32));
    CHECK(value(result, "tx.send_calls_per_frame") == Approx(0.0625));
    CHECK(value(result, "tx.refused_ratio") == Approx(0.5));
    CHECK(value(result, "rx.burst_received") == Approx(32));
}

TEST_CASE("shares of causes sum to one") {
    const TrialResult result = fixture::clean_result();
    CHECK(value(result, "tx.sending_ratio") == Approx(0.6));
    CHECK(value(result, "tx.pacing_ratio") == Approx(0.4));
    CHECK(value(result, "tx.ring_full_ratio") == 0);
    CHECK(value(result, "tx.window_ratio") == 0);
    CHECK(value(result, "tx.pool_empty_ratio") == 0);
    CHECK(value(result, "rx.receiving_ratio") == Approx(0.3));
    CHECK(value(result, "rx.polling_ratio") == Approx(0.7));
    CHECK(value(result, "rx.acking_ratio") == 0);
}

TEST_CASE("loss is lost over accepted and never rounded away") {
    TrialResult result = fixture::clean_result();
    CHECK(value(result, "loss_ratio") == 0);
    result.ledger.lost = 1;
    CHECK(value(result, "loss_ratio") == Approx(1e-6));
}

TEST_CASE("without a sink its metrics are absent, not zero") {
    TrialResult result = fixture::clean_result();
    result.counts.sink.clear();
    result.ledger.has_sink = false;
    for (const Metric& metric : metrics()) {
        INFO(metric.name);
        // A closed loop cannot be without a sink.
        const bool generator_metric = metric.name.starts_with("tx.");
        CHECK(metric.value(result).has_value() == generator_metric);
    }
}

TEST_CASE("nothing counted is absent, not zero") {
    TrialResult result;
    for (const Metric& metric : metrics()) {
        INFO(metric.name);
        CHECK_FALSE(metric.value(result).has_value());
    }
}

TEST_CASE("a core that never closed its interval leaves the rate absent") {
    TrialResult result = fixture::clean_result();
    result.counts.gen.push_back({});
    CHECK(absent(result, "tx.fps"));
    CHECK_FALSE(absent(result, "tx.ticks_per_frame"));
}

TEST_CASE("a thread's CPU time is per frame by its own span, which is not the interval") {
    TrialResult trial = fixture::clean_result();  // 1,000,000 frames in 1 s
    ThreadFacts& gen = trial.counts.gen.front().thread;
    gen.sampled_ns = 1'250'000'000;
    gen.run_ns = 500'000'000;  // two fifths of the span: 0.4 s of the interval
    CHECK(value(trial, "tx.cpu_ns_per_frame") == Approx(400));
    CHECK(value(trial, "rx.cpu_ns_per_frame") == Approx(990));
    gen.hardware.cycles = 2'500'000'000;
    CHECK(value(trial, "tx.cycles_per_frame") == Approx(2000));
    CHECK(value(trial, "rx.cycles_per_frame") == Approx(3000));
    CHECK(value(trial, "rx.instructions_per_frame") == Approx(6000));
    CHECK(value(trial, "rx.cache_misses_per_frame") == Approx(1));
    CHECK(value(trial, "rx.branch_misses_per_frame") == Approx(2));
}

TEST_CASE("the cost of all CPUs is their busy time, interrupts too, per frame received") {
    TrialResult trial = fixture::clean_result();  // two CPUs, nine tenths busy
    CHECK(value(trial, "cpu.ns_per_frame") == Approx(1800));
    // 1.8e6 us/s by 1,000,000 x 82 B/s.
    CHECK(value(trial, "cpu.us_per_kb") == Approx(1.8e6 * 1024 / 82e6));
    trial.counts.gen_cpus[0].steal_ns = 1'000'000'000;  // stolen time is nobody's work
    CHECK(value(trial, "cpu.ns_per_frame") == Approx(450 + 900));
}

TEST_CASE("a CPU that the kernel hardly ever met at work did at least what gensink's threads did") {
    TrialResult trial = fixture::clean_result();
    trial.counts.gen_cpus[0] = {};
    trial.counts.gen_cpus[0].cpu = trial.counts.gen[0].thread.cpu;
    trial.counts.gen_cpus[0].idle_ns = 1'000'000'000;
    trial.counts.gen[0].thread.sampled_ns = 1'000'000'000;
    trial.counts.gen[0].thread.run_ns = 20'000'000;
    CHECK(value(trial, "cpu.ns_per_frame") == Approx(20 + 900));
}

TEST_CASE("a CPU that both ends share is counted once, unless the sink is elsewhere") {
    TrialResult trial = fixture::clean_result();
    trial.counts.sink_cpus = trial.counts.gen_cpus;
    CHECK(value(trial, "cpu.ns_per_frame") == Approx(900));
    trial.counts.sink_elsewhere = true;
    CHECK(value(trial, "cpu.ns_per_frame") == Approx(1800));
}

TEST_CASE("what the kernel or the machine does not tell is absent, not 0") {
    TrialResult trial = fixture::clean_result();
    trial.counts.gen.front().thread.run_ns.reset();
    CHECK(absent(trial, "tx.cpu_ns_per_frame"));
    trial.counts.gen.front().thread.hardware = {};
    CHECK(absent(trial, "tx.cycles_per_frame"));
    trial.counts.sink.front().thread.sampled_ns = 0;
    CHECK(absent(trial, "rx.cpu_ns_per_frame"));
    trial.counts.gen_cpus.clear();
    CHECK(absent(trial, "cpu.ns_per_frame"));
    CHECK(absent(trial, "cpu.us_per_kb"));
    trial = fixture::clean_result();
    trial.counts.sink_cpus[0] = {};  // too short for the kernel's clock
    CHECK(absent(trial, "cpu.ns_per_frame"));
}

}  // namespace gensink::trial
