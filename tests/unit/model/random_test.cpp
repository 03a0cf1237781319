// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include "support.hpp"

using namespace gensink;
using namespace gensink::model::test;

namespace {

/// Plans of every kind, reproducible by their seed.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// 0 .. n - 1
    std::uint64_t below(std::uint64_t n) { return engine_() % n; }

    bool chance(unsigned percent) { return below(100) < percent; }

    plan::TrialPlan plan();

  private:
    void choose_path(plan::TrialPlan& plan);
    void choose_load(plan::TrialPlan& plan);
    void choose_flows(plan::TrialPlan& plan);

    std::mt19937_64 engine_;
};

void Random::choose_path(plan::TrialPlan& plan) {
    plan::ModelPlan& model = *plan.model;
    model.frame_ticks = below(3) * 50;
    model.call_ticks = below(3) * 100;
    model.seed = below(1000);
    if (chance(60)) {
        model.rate_bps = 1e6 * static_cast<double>(1 + below(1000));
    }
    if (chance(40)) {
        model.loss_ratio = 0.05;
    }
    if (chance(40)) {
        model.ack_loss_ratio = 0.05;
    }
    if (chance(40)) {
        // The largest frame fits, or none would ever arrive.
        model.sink_ring = chance(50) ? plan::RingLimit{1 + below(64), true}
                                     : plan::RingLimit{2048 + below(30'000), false};
    }
    if (chance(40)) {
        model.sink_fps = 1000.0 * static_cast<double>(1 + below(3000));
    }
    set_rtt(plan, Duration{static_cast<std::int64_t>(below(20'000'000))});
}

void Random::choose_load(plan::TrialPlan& plan) {
    plan.gen.burst = static_cast<std::uint16_t>(1 + below(64));
    plan.gen.descriptors = static_cast<std::uint16_t>(1 + below(256));
    plan.sink->burst = static_cast<std::uint16_t>(1 + below(64));
    if (chance(40)) {
        plan.intended_fps = 1000.0 * static_cast<double>(1 + below(2000));
        plan.fill = flow::Fill::due;
        if (chance(50)) {
            plan.fill = flow::Fill::full;
            plan.flush_after = Duration{1000 + static_cast<std::int64_t>(below(100'000))};
        }
        plan.behind = chance(50) ? flow::Behind::skip : flow::Behind::catch_up;
    }
}

void Random::choose_flows(plan::TrialPlan& plan) {
    plan::TransportPlan& transport = *plan.transport;
    flow::SenderSpec& sender = transport.sender;
    plan.frames.flows = static_cast<std::uint16_t>(1 + below(7));
    sender.blocks = 1 + below(100);
    sender.sequential = chance(40);
    sender.connect = sender.sequential && chance(50);
    sender.congestion.on = chance(50);
    sender.window.admit = chance(50) ? flow::Admit::must_fit : flow::Admit::while_below;
    sender.window.wake_ratio = chance(30) ? 0.33 : 0;
    sender.recovery.timeout = Duration{100'000'000};
    limit_window(plan, 1500 + below(60'000));
    if (!sender.sequential && plan.frames.flows > 1 && chance(30)) {
        transport.fan_out = plan.frames.flows - 1U;
    }
    transport.ack.every_frames = static_cast<std::uint32_t>(1 + below(4));
    if (chance(70)) {
        transport.ack.delay = 10ms;
    }
    if (sender.blocks > 3U && chance(30)) {
        plan.model->timeouts = 3;
    }
}

plan::TrialPlan Random::plan() {
    plan::TrialPlan plan = closed_plan(100 + below(6000), 1460);
    choose_path(plan);
    choose_load(plan);
    choose_flows(plan);
    return plan;
}

}  // namespace

TEST_CASE("whatever the plan, a transfer ends, all of it arrives, and the books balance") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        const plan::TrialPlan plan = Random(seed).plan();
        const flow::SenderSpec& sender = plan.transport->sender;
        const auto seen = play(plan, 100h);
        REQUIRE(seen.transfer_done);
        const std::uint64_t blocks = *sender.blocks * plan.frames.flows;
        const trial::CoreReport<counters::TxCounts>& gen = seen.gen[0];
        CHECK(gen.measured.transport.payload_acked == blocks * sender.block.bytes());
        CHECK(gen.measured.transport.blocks_acked == blocks);
        CHECK(gen.measured.transport.most_outstanding <= sender.max_outstanding);

        const std::uint64_t frames = blocks * (sender.block.frames + (sender.connect ? 1 : 0));
        const auto& arrived = seen.streams[0].seen_measured;
        CHECK(arrived.in_order + arrived.late == frames);
        CHECK(gen.total.frames_accepted == *seen.gen_device.tx_frames);
        CHECK(seen.sink[0].total.frames == *seen.sink_device.rx_frames);
        if (plan.model->loss_ratio == 0 && plan.model->timeouts == 0) {
            CHECK(
                *seen.gen_device.tx_frames ==
                *seen.sink_device.rx_frames + *seen.sink_device.rx_missed
            );
        }

        const std::uint64_t wall = gen.measure_end_ticks - gen.measure_start_ticks;
        CHECK(sum(gen.measured.cause_ticks) == wall);
        for (const trial::FlowReport& flow : seen.transport->flows) {
            CHECK(sum(flow.times) == wall);
        }
        const auto& sink = seen.sink[0];
        CHECK(sum(sink.measured.cause_ticks) == sink.measure_end_ticks - sink.measure_start_ticks);
        if (sender.sequential) {
            CHECK(seen.transport->block_ticks.size() == blocks);
        }
    }
}
