// SPDX-License-Identifier: BSD-3-Clause
#include "stats/fit.hpp"

#include <cerrno>
#include <chrono>

#include "support.hpp"

using namespace gensink;
using namespace gensink::model::test;
using counters::SinkCause;
using counters::TxCause;

namespace {

double ticks_per_frame(const trial::Snapshot& seen) {
    const auto& counts = seen.gen[0].measured;
    return static_cast<double>(counts.cause_ticks[std::size_t(TxCause::sending)]) /
           static_cast<double>(counts.frames_accepted);
}

/// Of the sink's frames with the measure mark, at layer 1 of the link.
double received_bps(const trial::Snapshot& seen) {
    const auto& core = seen.sink[0];
    const double interval =
        static_cast<double>(core.measure_end_ticks - core.measure_start_ticks) * 1e-9;
    const double bytes = static_cast<double>(core.measured.frame_bytes) +
                         static_cast<double>(core.measured.frames) * wire::gap_bytes;
    return 8 * bytes / interval;
}

}  // namespace

TEST_CASE("costs a = 100 and b = 200 are recovered from bursts of 1 to 64") {
    std::vector<stats::LawPoint> points;
    for (const unsigned burst : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
        const auto seen = play(open_plan(82, static_cast<std::uint16_t>(burst)), 2ms, 1ms);
        points.push_back({static_cast<double>(burst), ticks_per_frame(seen)});
        const auto& counts = seen.gen[0].measured;
        CHECK(counts.send_calls == (counts.frames_accepted + burst - 1) / burst);
    }
    const auto law = stats::fit_law(points);
    REQUIRE(law);
    CHECK(law->a == Approx(100).epsilon(0.02));
    CHECK(law->b == Approx(200).epsilon(0.02));
    CHECK(stats::r_squared(*law, points) >= 0.98);
}

// 1 Gbit/s, IEEE 802.3: 64 B 1,488,095 fps; 128 B 844,595; 1518 B 81,274; 9018 B 13,830.
TEST_CASE("a bottleneck carries its line rate and not a bit more") {
    constexpr std::array<std::pair<unsigned, double>, 4> rates{
        {{64, 1'488'095}, {128, 844'595}, {1518, 81'274}, {9018, 13'830}}};
    for (const auto& [frame, fps] : rates) {
        CAPTURE(frame);
        auto plan = open_plan(static_cast<std::uint16_t>(wire::payload_bytes(frame)));
        plan.gen.descriptors = 256;
        plan.model->rate_bps = 1e9;
        const auto seen = play(plan, 200ms, 50ms);
        const double offered =
            static_cast<double>(seen.gen[0].measured.frames_accepted) / measured_seconds(seen);
        CHECK(offered == Approx(fps).margin(32 / 0.2));  // the ring takes whole bursts
        CHECK(received_bps(seen) == Approx(1e9).epsilon(4e-4));
        CHECK(seen.gen[0].measured.cause_ticks[std::size_t(TxCause::ring_full)] > 0);
        CHECK(seen.gen_device.tx_frames == seen.sink_device.rx_frames);
    }
}

TEST_CASE("every turn's time has one cause, at both ends") {
    auto plan = open_plan(82);
    plan.intended_fps = 1e6;
    plan.model->sink_fps = 1.5e6;
    const auto seen = play(plan, 20ms, 1ms);
    const auto& gen = seen.gen[0];
    CHECK(sum(gen.measured.cause_ticks) == gen.measure_end_ticks - gen.measure_start_ticks);
    const auto& sink = seen.sink[0];
    CHECK(sum(sink.measured.cause_ticks) == sink.measure_end_ticks - sink.measure_start_ticks);
    CHECK(
        sink.measured.cause_ticks[std::size_t(SinkCause::receiving)] ==
        Approx(20e6 / 1.5).epsilon(0.01)
    );
    CHECK(seen.gen[0].measured.frames_accepted == Approx(20'000).margin(32));
}

TEST_CASE("a paced generator sends its rate, and what waits for a burst is flushed") {
    auto plan = open_plan(82);
    plan.intended_fps = 1e5;
    plan.flush_after = 25us;
    const auto seen = play(plan, 100ms, 1ms);
    const auto& counts = seen.gen[0].measured;
    CHECK(counts.frames_accepted == Approx(10'000).margin(4));
    // Due at 0, 10 and 20 us, flushed at 25 us: three frames a call.
    CHECK(counts.burst_accepted[3] >= counts.send_calls - 1);
    REQUIRE(seen.transport);
    CHECK(seen.transport->latencies.hold.largest() == 25'000);
}

TEST_CASE("what a sink's ring lacks room for is counted as missed, to the frame") {
    for (const bool in_frames : {true, false}) {
        CAPTURE(in_frames);
        auto plan = open_plan(82);
        plan.intended_fps = 2e6;
        plan.model->sink_fps = 1e6;
        plan.model->sink_ring = plan::RingLimit{in_frames ? 64U : 64U * 128U, in_frames};
        const auto seen = play(plan, 20ms);
        REQUIRE(seen.sink_device.rx_missed);
        CHECK(*seen.sink_device.rx_missed == Approx(20'000).epsilon(0.02));
        CHECK(
            *seen.gen_device.tx_frames == *seen.sink_device.rx_frames + *seen.sink_device.rx_missed
        );
        CHECK(seen.sink[0].total.frames == *seen.sink_device.rx_frames);
        const auto& marked = seen.streams[0].seen_measured;
        CHECK(
            marked.in_order + *seen.sink_device.rx_missed ==
            seen.streams[0].sent_measured.frames_accepted
        );
    }
}

TEST_CASE("a ring as large as a burst misses nothing") {
    auto plan = open_plan(82, 8);
    plan.intended_fps = 1e6;
    plan.model->sink_fps = 1.2e6;
    plan.model->sink_ring = plan::RingLimit{8, true};
    const auto seen = play(plan, 20ms);
    CHECK(seen.sink_device.rx_missed == 0U);
    CHECK(seen.sink[0].total.frames == *seen.gen_device.tx_frames);
}

TEST_CASE("the path loses its share of frames, the same for the same seed only") {
    auto plan = open_plan(82);
    plan.intended_fps = 1e6;
    plan.model->loss_ratio = 0.05;
    const auto lost = [&](std::uint64_t seed) {
        plan.model->seed = seed;
        const auto seen = play(plan, 100ms);
        return *seen.gen_device.tx_frames - *seen.sink_device.rx_frames;
    };
    const std::uint64_t first = lost(1);
    CHECK(static_cast<double>(first) == Approx(5000).epsilon(0.05));
    CHECK(lost(1) == first);
    CHECK(lost(2) != first);
}

TEST_CASE("a plan that no model can play is refused") {
    const auto refuse = [](const plan::TrialPlan& plan) {
        const auto opened = model::make_datapath()->open(plan, 1);
        REQUIRE_FALSE(opened);
        CHECK(opened.error().kind == ErrorKind::plan);
    };
    auto plan = open_plan(82);
    CHECK(model::make_datapath()->open(plan, 1)->memory == "model");
    plan.gen.queues = 2;
    refuse(plan);
    plan = open_plan(82);
    plan.fault.drop_every = 3;
    refuse(plan);
    plan = open_plan(82);
    plan.model.reset();
    refuse(plan);
    plan = closed_plan(100, 100);
    plan.sink.reset();
    refuse(plan);
    plan = closed_plan(100, 100);
    plan.model->timeouts = 1;
    refuse(plan);
}

TEST_CASE("a model that is told to stop says so, and still answers") {
    bool stopped = false;
    const auto datapath = model::make_datapath([&] { return stopped; });
    REQUIRE(datapath->open(open_plan(82), 1));
    REQUIRE(datapath->enter(counters::Phase::measure));
    REQUIRE(datapath->wait(1us));
    stopped = true;
    const auto waited = datapath->wait(1us);
    REQUIRE_FALSE(waited);
    CHECK(waited.error().os_code == EINTR);
    CHECK(datapath->stop()->gen[0].total.frames_accepted > 0);
}

TEST_CASE("a model hears that it is to stop within a wait that takes long") {
    unsigned asked = 0;
    const auto datapath = model::make_datapath([&] { return ++asked > 2; });
    REQUIRE(datapath->open(open_plan(82), 1));
    REQUIRE(datapath->enter(counters::Phase::measure));
    const auto waited = datapath->wait(std::chrono::hours(1));
    REQUIRE_FALSE(waited);
    CHECK(waited.error().os_code == EINTR);
}

TEST_CASE("seeds differ in every number, and by their order") {
    using Numbers = std::array<std::uint64_t, 2>;
    CHECK(model::seed_of(Numbers{1, 2}) == model::seed_of(Numbers{1, 2}));
    CHECK(model::seed_of(Numbers{1, 2}) != model::seed_of(Numbers{2, 1}));
    CHECK(model::seed_of(Numbers{0, 0}) != model::seed_of(Numbers{0, 1}));
    CHECK(model::seed_of(Numbers{0, 0}) != model::seed_of(Numbers{1, 0}));
}
