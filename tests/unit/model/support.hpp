// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/datapath.hpp"
#include "plan/plan.hpp"
#include "wire/size.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "catch.hpp"

/// Trials of the model, planned by hand.
namespace gensink::model::test {

using namespace std::chrono_literals;

/// One flow of frames with `payload` bytes of UDP payload, open loop at full load, no path.
inline plan::TrialPlan open_plan(std::uint16_t payload, std::uint16_t burst = 32) {
    plan::TrialPlan plan;
    plan.wire = plan::WireKind::model;
    plan.gen.burst = burst;
    plan.gen.queues = 1;
    plan.gen.cores = {{{}, {}, {QueueId{0}}}};
    plan.sink = plan.gen;
    plan.sink->burst = 32;
    plan.frames.payload_bytes = {payload};
    plan.verify = plan::Verify::header;
    plan.model.emplace();
    return plan;
}

/// One flow of blocks of `block` bytes, each frame with `mss` of them at most; answered at once.
inline plan::TrialPlan closed_plan(std::uint64_t block, std::uint32_t mss) {
    plan::TrialPlan plan = open_plan(18);
    plan::TransportPlan& transport = plan.transport.emplace();
    transport.sender.block = flow::cut(block, mss, 18);
    transport.sender.max_outstanding = 65536;
    transport.sender.recovery.timeout = 3s;
    transport.ack.every_frames = 1;
    return plan;
}

/// A window of so many bytes of payload.
inline void limit_window(plan::TrialPlan& plan, std::uint64_t bytes) {
    flow::SenderSpec& sender = plan.transport->sender;
    sender.window.limit_bytes = bytes;
    sender.max_outstanding = flow::frames_admitted(sender, 65536);
}

inline void set_rtt(plan::TrialPlan& plan, Duration rtt) {
    plan.model->rtt = rtt;
    if (plan.transport) {
        plan.transport->rtt = rtt;
    }
}

/// A whole trial; the measure phase ends early where a transfer does.
inline trial::Snapshot play(const plan::TrialPlan& plan, Duration measure, Duration warmup = 0ns) {
    const auto datapath = make_datapath();
    REQUIRE(datapath->open(plan, 0x1234567));
    REQUIRE(datapath->start());
    REQUIRE(datapath->enter(counters::Phase::warmup));
    REQUIRE(datapath->wait(warmup));
    REQUIRE(datapath->enter(counters::Phase::measure));
    REQUIRE(datapath->wait(measure));
    REQUIRE(datapath->enter(counters::Phase::drain));
    REQUIRE(datapath->wait(5s));
    auto last = datapath->stop();
    REQUIRE(last);
    REQUIRE(datapath->close());
    return *std::move(last);
}

inline double measured_seconds(const trial::Snapshot& seen) {
    return static_cast<double>(seen.gen[0].measure_end_ticks - seen.gen[0].measure_start_ticks) *
           1e-9;
}

/// Frames acknowledged per second of the measure phase.
inline double acked_fps(const trial::Snapshot& seen) {
    return static_cast<double>(seen.gen[0].measured.transport.frames_acked) /
           measured_seconds(seen);
}

template <class Times>
std::uint64_t sum(const Times& times) {
    return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

}  // namespace gensink::model::test
