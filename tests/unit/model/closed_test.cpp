// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>

#include "support.hpp"

using namespace gensink;
using namespace gensink::model::test;
using counters::FlowCause;

namespace {

std::uint64_t time_of(const trial::Snapshot& seen, FlowCause cause) {
    return seen.gen[0].measured.transport.flow_ticks[static_cast<std::size_t>(cause)];
}

/// The published stall (lkml, October 2005): 40-byte messages, each charged 16 KiB, ACKs above 536
/// bytes or after the delay.
plan::TrialPlan volanomark(std::uint64_t limit, Duration delay) {
    auto plan = closed_plan(40, 1460);
    flow::SenderSpec& sender = plan.transport->sender;
    sender.window.accounting = flow::Accounting::truesize;
    sender.window.truesize_bytes = 16384;
    sender.window.admit = flow::Admit::while_below;
    limit_window(plan, limit);
    plan.transport->ack = {};
    plan.transport->ack.above_bytes = 536;
    plan.transport->ack.delay = delay;
    plan.model->rate_bps = 1e9;
    set_rtt(plan, 100us);
    return plan;
}

/// HTTP downloads, a connection each, of `bytes` over a path of `rtt`.
plan::TrialPlan downloads(std::uint64_t bytes, std::uint32_t initial_window, Duration rtt) {
    auto plan = closed_plan(bytes, 1460);
    flow::SenderSpec& sender = plan.transport->sender;
    sender.sequential = true;
    sender.connect = true;
    sender.blocks = 100;
    sender.congestion.on = true;
    sender.congestion.initial_frames = initial_window;
    sender.recovery.timeout = 3s;
    set_rtt(plan, rtt);
    return plan;
}

/// Round trips that a download took, the connection's not counted.
long rounds(std::uint64_t bytes, std::uint32_t initial_window) {
    const auto seen = play(downloads(bytes, initial_window, 100ms), 3600s);
    REQUIRE(seen.transport);
    REQUIRE(seen.transport->block_ticks.size() == 100);
    const double ticks = static_cast<double>(seen.transport->block_ticks[50]);
    const double trips = ticks / 100e6;
    CHECK(trips == Approx(std::round(trips)).margin(0.01));
    return std::lround(trips) - 1;
}

}  // namespace

TEST_CASE("a window of n frames carries n frames a round trip") {
    for (const std::uint64_t frames : {1U, 5U, 29U}) {
        CAPTURE(frames);
        auto plan = closed_plan(1460, 1460);
        limit_window(plan, frames * 1460 + 700);
        plan.model->rate_bps = 1e9;
        set_rtt(plan, 10ms);
        const auto seen = play(plan, 10s, 100ms);
        CHECK(acked_fps(seen) == Approx(static_cast<double>(frames) * 100).epsilon(0.002));
        CHECK(seen.gen[0].measured.transport.most_outstanding == frames);
        CHECK(
            time_of(seen, FlowCause::window) > sum(seen.gen[0].measured.transport.flow_ticks) / 2
        );
        // The flow's times are those of the interval.
        const auto& core = seen.gen[0];
        CHECK(
            sum(core.measured.transport.flow_ticks) ==
            core.measure_end_ticks - core.measure_start_ticks
        );
    }
}

// experiments.md: 8 outstanding, 200.0 msg/s at 40 ms and 40.0 at 200 ms.
TEST_CASE("a window that the delayed ACK keeps shut gives N / T_ack") {
    for (const auto delay : {40ms, 200ms}) {
        const auto seen = play(volanomark(131'072, delay), 40s, 1s);
        CHECK(acked_fps(seen) == Approx(8 / seconds(delay)).epsilon(0.02));
        CHECK(seen.gen[0].measured.transport.most_outstanding == 8);
        CHECK(
            time_of(seen, FlowCause::ack_timer) >
            sum(seen.gen[0].measured.transport.flow_ticks) * 9 / 10
        );
        CHECK(seen.sink[0].total.acks_by_timer == seen.sink[0].total.acks_sent);
    }
}

TEST_CASE("a larger limit, or ACKs that do not wait, end the stall") {
    const double stalled = acked_fps(play(volanomark(131'072, 40ms), 4s, 1s));
    CHECK(acked_fps(play(volanomark(229'376, 40ms), 1s)) >= 50 * stalled);
    auto every_second = volanomark(131'072, 40ms);
    every_second.transport->ack.every_frames = 2;
    const auto seen = play(every_second, 1s, 100ms);
    CHECK(acked_fps(seen) >= 50 * stalled);
    const auto& sink = seen.sink[0].measured;
    CHECK(
        static_cast<double>(sink.acks_sent) / static_cast<double>(sink.frames) ==
        Approx(0.5).margin(0.01)
    );
}

// Two rates, one bottleneck or one sink: the window makes no difference above the knee.
TEST_CASE("beyond the knee the bottleneck's rate is the limit, or the sink's") {
    for (const bool at_sink : {false, true}) {
        CAPTURE(at_sink);
        std::vector<double> rates;
        for (const std::uint64_t window : {8192U, 65536U}) {
            auto plan = closed_plan(1460, 1460);
            limit_window(plan, window);
            set_rtt(plan, 1ms);
            if (at_sink) {
                plan.model->sink_fps = 305'040.0 / 1460;
            } else {
                plan.model->rate_bps = 305'040.0 / 1460 * 8 * (1506 + 20);
            }
            rates.push_back(acked_fps(play(plan, 100s, 1s)) * 1460);
        }
        CHECK(rates[0] == Approx(305'040).epsilon(0.01));
        CHECK(rates[1] == Approx(rates[0]).epsilon(0.01));
    }
}

// gPXE (2010): a receive ring of 8192 B holds a window of 8 KiB, and is overrun by 64 KiB.
TEST_CASE("a burst above the sink's ring is dropped, and the transfer slows down") {
    const auto transfer = [](std::uint64_t window) {
        auto plan = closed_plan(1460, 1460);
        plan.transport->sender.blocks = 2000;
        plan.transport->sender.recovery.timeout = 200ms;
        limit_window(plan, window);
        plan.model->rate_bps = 1e9;
        plan.model->sink_ring = plan::RingLimit{8192, false};
        plan.model->sink_fps = 20e3;
        set_rtt(plan, 176us);
        return play(plan, 3600s);
    };
    const auto fits = transfer(5 * 1460);
    CHECK(fits.sink_device.rx_missed == 0U);
    CHECK(fits.gen[0].measured.transport.timeouts == 0);
    const auto overruns = transfer(65532);
    CHECK(*overruns.sink_device.rx_missed > 0);
    CHECK(overruns.transfer_done);
    CHECK(overruns.gen[0].measured.transport.payload_acked == 2000U * 1460);
    CHECK(acked_fps(overruns) < acked_fps(fits));
}

// Slow start, two frames an ACK: rounds = ceil(log2(S / IW + 1)), from experiments.md section 5.
TEST_CASE("downloads take the rounds of slow start, exactly") {
    struct Row {
        std::uint64_t bytes;
        std::array<long, 3> rounds;  // initial window of 3, 4, 10
    };

    const std::array<Row, 7> table{{
        {4380, {1, 1, 1}},
        {5120, {2, 1, 1}},
        {8 * 1024, {2, 2, 1}},
        {10'000, {2, 2, 1}},
        {14'600, {3, 2, 1}},
        {32 * 1024, {4, 3, 2}},
        {64 * 1024, {4, 4, 3}},
    }};
    for (const Row& row : table) {
        CAPTURE(row.bytes);
        CHECK(rounds(row.bytes, 3) == row.rounds[0]);
        CHECK(rounds(row.bytes, 4) == row.rounds[1]);
        CHECK(rounds(row.bytes, 10) == row.rounds[2]);
    }
    CHECK(rounds(1'048'576, 3) == 8);
    CHECK(rounds(1'048'576, 10) == 7);
}

TEST_CASE("10 KiB takes 1050 or 700 ms over 350 ms, by the initial window") {
    const auto mean = [](std::uint32_t initial_window, Duration rtt) {
        auto plan = downloads(10'240, initial_window, rtt);
        plan.model->rate_bps = 10e6;
        const auto seen = play(plan, 3600s);
        return static_cast<double>(sum(seen.transport->block_ticks)) /
               static_cast<double>(seen.transport->block_ticks.size()) * 1e-6;
    };
    // One per cent, and the serialisation of 8 frames at 10 Mbit/s.
    CHECK(mean(3, 350ms) == Approx(1050).margin(10.5 + 9.9));
    CHECK(mean(10, 350ms) == Approx(700).margin(7 + 9.9));
    CHECK(mean(3, 44ms) == Approx(132).margin(1.3 + 9.9));
    CHECK(mean(10, 44ms) == Approx(88).margin(0.9 + 9.9));
}

TEST_CASE("an injected timeout adds itself to one object in a hundred") {
    auto plan = downloads(1000, 3, 44ms);
    const auto clean = play(plan, 3600s);
    plan.model->timeouts = 1;
    const auto hit = play(plan, 3600s);
    const auto& before = clean.transport->block_ticks;
    const auto& after = hit.transport->block_ticks;
    REQUIRE(before.size() == 100);
    REQUIRE(after.size() == 100);
    for (std::size_t i = 0; i < before.size(); ++i) {
        CAPTURE(i);
        CHECK(after[i] - before[i] == (i == 50 ? 3'000'000'000U : 0U));
    }
    CHECK(hit.gen[0].measured.transport.timeouts == 1);
    CHECK(hit.gen[0].measured.transport.retransmitted == 1);
}

TEST_CASE("several timeouts are spread over the objects, and each happens once") {
    auto plan = downloads(4380, 3, 44ms);
    plan.model->timeouts = 4;
    const auto seen = play(plan, 3600s);
    std::vector<std::size_t> hit;
    for (std::size_t i = 0; i < 100; ++i) {
        if (seen.transport->block_ticks[i] > 3'000'000'000U) {
            hit.push_back(i);
        }
    }
    CHECK(hit == std::vector<std::size_t>{12, 37, 62, 87});
    CHECK(seen.gen[0].measured.transport.timeouts == 4);
}

TEST_CASE("with loss both ways, recovery delivers every byte, once") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        auto plan = closed_plan(10'000, 1460);
        plan.frames.flows = 3;
        plan.transport->sender.blocks = 300;
        plan.transport->sender.recovery.timeout = 50ms;
        limit_window(plan, 32'768);
        plan.model->loss_ratio = 0.05;
        plan.model->ack_loss_ratio = 0.05;
        plan.model->rate_bps = 100e6;
        plan.model->seed = seed;
        set_rtt(plan, 5ms);
        const auto seen = play(plan, 3600s);
        REQUIRE(seen.transfer_done);
        CHECK(seen.gen[0].measured.transport.payload_acked == 3U * 300 * 10'000);
        CHECK(seen.gen[0].measured.transport.blocks_acked == 3U * 300);
        CHECK(seen.gen[0].measured.transport.retransmitted > 0);
        const auto& arrived = seen.streams[0].seen_measured;
        CHECK(arrived.in_order + arrived.late == 3U * 300 * 7);
        const auto& core = seen.gen[0];
        for (const trial::FlowReport& flow : seen.transport->flows) {
            CHECK(sum(flow.times) == core.measure_end_ticks - core.measure_start_ticks);
            CHECK(flow.payload_acked == 300U * 10'000);
        }
    }
}

TEST_CASE("the same seed gives the same counts, another seed others") {
    auto plan = closed_plan(1460, 1460);
    plan.frames.flows = 2;
    limit_window(plan, 65536);
    plan.transport->sender.recovery.timeout = 20ms;
    plan.model->loss_ratio = 0.01;
    plan.model->ack_loss_ratio = 0.01;
    plan.model->rate_bps = 1e9;
    set_rtt(plan, 2ms);
    const auto run = [&](std::uint64_t seed) {
        plan.model->seed = seed;
        return play(plan, 500ms, 100ms);
    };
    const auto same = [](const trial::Snapshot& a, const trial::Snapshot& b) {
        return std::memcmp(&a.gen[0].measured, &b.gen[0].measured, sizeof a.gen[0].measured) == 0 &&
               std::memcmp(&a.sink[0].measured, &b.sink[0].measured, sizeof a.sink[0].measured) ==
                   0 &&
               a.transport->latencies.frame.counts() == b.transport->latencies.frame.counts();
    };
    const auto first = run(7);
    CHECK(same(first, run(7)));
    CHECK_FALSE(same(first, run(8)));
}

TEST_CASE("a transfer takes turns by its frames, not by its virtual time") {
    const auto turns = [](Duration rtt) {
        auto plan = closed_plan(1460, 1460);
        plan.transport->sender.blocks = 200'000;
        limit_window(plan, 8 * 1460);
        plan.model->rate_bps = 1e9;
        set_rtt(plan, rtt);
        const auto seen = play(plan, 24h);
        CHECK(seen.transfer_done);
        CHECK(seen.gen[0].measured.transport.frames_acked == 200'000);
        CHECK(measured_seconds(seen) == Approx(25'000 * seconds(rtt)).epsilon(0.01));
        return sum(seen.gen[0].measured.cause_turns) + sum(seen.sink[0].measured.cause_turns);
    };
    CHECK(turns(1ms) < 2'000'000);
    CHECK(turns(1s) < 2'000'000);
}
