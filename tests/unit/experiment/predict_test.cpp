// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/predict.hpp"

#include <chrono>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;
using namespace std::chrono_literals;
using counters::FlowCause;

namespace {

/// Frames of 1460 B over 10 Mbit/s and 100 ms, immediate ACKs.
plan::TrialPlan model_plan(std::uint64_t window) {
    plan::TrialPlan plan;
    plan.wire = plan::WireKind::model;
    plan.gen.burst = 1;
    plan.sink.emplace().driver.rx_missed = plan::Trust::exact;
    plan.model.emplace();
    plan.model->rate_bps = 10e6;
    plan.model->rtt = 100ms;
    plan::TransportPlan& loop = plan.transport.emplace();
    loop.rtt = 100ms;
    loop.sender.block = flow::cut(1460, 1460, 18);
    loop.sender.header_bytes = 12;
    loop.sender.window.limit_bytes = window;
    loop.sender.max_outstanding = flow::frames_admitted(loop.sender, 65536);
    loop.ack.every_frames = 1;
    return plan;
}

/// A second in which one flow spent its time on one cause.
trial::TrialResult trial_with(FlowCause cause, double bps = 1e6) {
    trial::TrialResult trial = fake::make_trial({.offered_fps = 100});
    auto& counts = trial.counts.gen[0].measured.transport;
    counts.payload_acked = fake::whole(bps / 8);
    auto& flow = trial.counts.transport.emplace().flows.emplace_back();
    flow.times[static_cast<std::size_t>(cause)] = fake::tsc_hz;
    return trial;
}

std::string limit_of(const plan::TrialPlan& plan, const trial::TrialResult& trial) {
    return detail::measured_limit(plan, trial).name;
}

}  // namespace

TEST_CASE("the lowest law names the limit") {
    const auto small = detail::predict(model_plan(14'600), std::nullopt);
    CHECK(small.limit == "window");
    CHECK(*small.value == Approx(10 * 1460 * 8 / 0.1));
    const auto large = detail::predict(model_plan(1'460'000), std::nullopt);
    CHECK(large.limit == "link");
    CHECK(*large.value == Approx(10e6 * 1460 / 1538));
    const auto paced = detail::predict(model_plan(1'460'000), 100.0);
    CHECK(paced.limit == "rate");
    CHECK(*paced.value == Approx(100 * 1460 * 8));
}

TEST_CASE("the sink and the generator of the model are limits of their own") {
    plan::TrialPlan plan = model_plan(1'460'000);
    plan.model->sink_fps = 500;
    CHECK(detail::predict(plan, std::nullopt).limit == "sink CPU");
    plan.model->frame_ticks = 10'000'000;
    const auto slow = detail::predict(plan, std::nullopt);
    CHECK(slow.limit == "generator CPU");
    CHECK(*slow.value == Approx(1e9 / 10'000'200 * 1460 * 8));
}

TEST_CASE("TCP's limit is what the kernel and the ends' time say") {
    plan::TrialPlan plan;
    plan.wire = plan::WireKind::kernel;
    plan.kernel.emplace();
    trial::TrialResult trial;
    trial.ledger.in_bytes = true;
    counters::TxCounts& gen = trial.counts.gen.emplace_back().measured;
    counters::SinkCounts& sink = trial.counts.sink.emplace_back().measured;
    const auto spend = [](auto& counts, auto cause, std::uint64_t ticks) {
        counts.cause_ticks[static_cast<std::size_t>(cause)] = ticks;
    };
    const auto name = [&] {
        return detail::measured_limit(plan, trial).name;
    };
    gen.tcp.busy_us = 1000;
    spend(gen, counters::TxCause::sending, 40);
    spend(gen, counters::TxCause::window, 60);
    spend(sink, counters::SinkCause::receiving, 30);
    spend(sink, counters::SinkCause::polling, 70);
    CHECK(name() == "link");
    gen.tcp.receive_window_us = 300;
    CHECK(name() == "window");
    CHECK(detail::measured_limit(plan, trial).evidence.find("held back 30 %") != std::string::npos);
    gen.tcp.receive_window_us = 0;
    gen.tcp.send_buffer_us = 260;
    CHECK(name() == "window");
    gen.tcp.send_buffer_us = 0;
    spend(gen, counters::TxCause::sending, 940);
    CHECK(name() == "generator CPU");
    gen.tcp.receive_window_us = 200;
    CHECK(name() == "generator CPU");
    gen.tcp.receive_window_us = 300;
    CHECK(name() == "window");
    spend(sink, counters::SinkCause::receiving, 900);
    CHECK(name() == "sink CPU");
    spend(gen, counters::TxCause::pacing, 4000);
    CHECK(name() == "rate");
}

TEST_CASE("nothing is predicted where a law's input is unknown") {
    plan::TrialPlan plan = model_plan(14'600);
    plan.wire = plan::WireKind::cable;
    plan.model.reset();
    plan.transport->rtt = 0ms;
    CHECK_FALSE(detail::predict(plan, std::nullopt).value.has_value());
    plan = model_plan(14'600);
    plan.model->loss_ratio = 0.01;
    CHECK_FALSE(detail::predict(plan, std::nullopt).value.has_value());
    plan.model.reset();
    plan.transport.reset();
    CHECK_FALSE(detail::predict(plan, 1e6).value.has_value());
}

TEST_CASE("a window that overruns the sink's ring is told without a number") {
    plan::TrialPlan plan = model_plan(65'532);
    plan.model->rate_bps = 1e9;
    plan.model->sink_ring = plan::RingLimit{8192, false};
    plan.model->sink_fps = 3000;
    const auto overrun = detail::predict(plan, std::nullopt);
    CHECK(overrun.limit == "sink ring");
    CHECK_FALSE(overrun.value.has_value());
    plan.transport->sender.window.limit_bytes = 5 * 1460;
    plan.transport->sender.max_outstanding = 5;
    CHECK(detail::predict(plan, std::nullopt).limit == "window");
    plan.model->sink_ring = plan::RingLimit{4, true};
    CHECK(detail::predict(plan, std::nullopt).limit == "sink ring");
}

TEST_CASE("an object's time is predicted in ms") {
    plan::TrialPlan plan = model_plan(14'600'000);
    plan.transport->sender.sequential = true;
    plan.transport->sender.connect = true;
    plan.transport->sender.block = flow::cut(10'240, 1460, 18);
    plan.transport->sender.congestion.on = true;
    plan.transport->sender.congestion.initial_frames = 10;
    plan.model->rate_bps.reset();
    const auto object = detail::predict(plan, std::nullopt);
    CHECK(object.is_object);
    CHECK(object.limit == "window");
    CHECK(*object.value == Approx(200));
}

TEST_CASE("the measured limit follows from what the flows waited for") {
    const plan::TrialPlan plan = model_plan(14'600);
    CHECK(limit_of(plan, trial_with(FlowCause::window)) == "window");
    CHECK(limit_of(plan, trial_with(FlowCause::ack_timer)) == "ack timer");
    CHECK(limit_of(plan, trial_with(FlowCause::pacing)) == "rate");
    CHECK(limit_of(plan, trial_with(FlowCause::ring)) == "link");
    CHECK(limit_of(plan, trial_with(FlowCause::cpu)) == "generator CPU");
    CHECK(limit_of(plan, trial_with(FlowCause::pool)) == "unknown");
}

TEST_CASE("a full link, a busy sink and drops are limits whatever the flows waited for") {
    plan::TrialPlan plan = model_plan(14'600);
    trial::TrialResult trial = trial_with(FlowCause::window);
    plan.line_bps = 100 * (128 + 20) * 8 / 0.98;
    CHECK(limit_of(plan, trial) == "link");
    plan.line_bps.reset();
    trial.counts.sink[0].measured.cause_ticks = {990'000'000, 0, 10'000'000};
    CHECK(limit_of(plan, trial) == "sink CPU");
    trial.counts.sink_device.rx_missed = 5;
    CHECK(limit_of(plan, trial) == "sink ring");
    plan.sink->driver.rx_missed = plan::Trust::absent;
    CHECK(limit_of(plan, trial) == "sink CPU");
}

TEST_CASE("an experiment tells predicted beside measured, and checks the limit") {
    auto plan =
        fake::make_plan({{{"window.limit", "14600 B"}}, {{"window.limit", "29200 B"}}}, true);
    plan.compare.reset();
    plan.metrics = {"transfer.bps_payload"};
    for (plan::Cell& cell : plan.cells) {
        cell.trial = model_plan(cell.point[0].second == "14600 B" ? 14'600 : 29'200);
    }
    plan::ExpectPlan limit;
    limit.limit = "window";
    limit.at = {{"window.limit", "14600 B"}};
    plan::ExpectPlan ratio;
    ratio.metric = "predicted_ratio";
    ratio.equals = 1;
    ratio.within_ratio = 0.01;
    ratio.limit = "window";
    plan::ExpectPlan nowhere = limit;
    nowhere.at = {{"window.limit", "1 B"}};
    plan.expect = {limit, ratio, nowhere};
    fake::Host host;
    host.trial_of = [](const trial::Request& request) {
        return request.cell % 2 == 0 ? trial_with(FlowCause::window, 1'168'000)
                                     : trial_with(FlowCause::cpu, 1'168'000);
    };
    const auto result = host.run(plan);
    REQUIRE(result.predictions.size() == 4);
    const Prediction& first = result.predictions[0];
    CHECK(first.metric == "transfer.bps_payload");
    CHECK(*first.predicted == Approx(1'168'000));
    CHECK(*first.ratio == Approx(1.0));
    CHECK(first.predicted_limit == "window");
    CHECK(first.measured_limit == "window");
    CHECK(first.evidence == "100 % of the flows' time went to window");
    REQUIRE(result.expectations.size() == 3);
    CHECK(result.expectations[0].text == "limit at window.limit 14600 B is window");
    CHECK(result.expectations[0].met);
    CHECK_FALSE(result.expectations[1].met);
    CHECK(
        result.expectations[1].observed ==
        "0.5, limit generator CPU (100 % of the flows' time went to cpu) (one-by-one at "
        "window.limit 29200 B)"
    );
    CHECK_FALSE(result.expectations[2].met);
    CHECK(result.expectations[2].observed == "no such cell");
}
