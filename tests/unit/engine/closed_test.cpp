// SPDX-License-Identifier: BSD-3-Clause
#include "engine/closed.hpp"
#include "engine/sink.hpp"
#include "flow/pacer.hpp"

#include <deque>
#include <memory>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "fakes.hpp"

using namespace gensink;
using namespace gensink::engine;
using counters::FlowCause;
using counters::Phase;

namespace {

/// Two ports joined by a wire with a delay each way, that may lose, repeat and reorder.
struct Wire {
    struct Flying {
        std::uint64_t due;
        fake::Frame* frame;
    };

    fake::World world{8192};  ///< its clock and frames; its link is not used
    std::deque<Flying> flying;
    std::uint64_t delay = 1000;
    std::uint64_t stall = 0;  ///< before each receive call, within the turn
    std::function<unsigned()> copies = [] {
        return 1U;
    };
    std::function<std::uint64_t()> jitter = [] {
        return std::uint64_t{0};
    };
};

struct Sending {
    using Frame = fake::Frame;
    Wire* wire;

    bool take(Frame** frames, std::uint32_t n) const {
        return fake::TxPort{&wire->world}.take(frames, n);
    }

    std::uint32_t send(Frame** frames, std::uint32_t n) const {
        for (std::uint32_t i = 0; i < n; ++i) {
            const unsigned copies = wire->copies();
            for (unsigned c = 0; c < copies; ++c) {
                Frame* frame = frames[i];
                if (c + 1 < copies) {
                    fake::TxPort{&wire->world}.take(&frame, 1);
                    *frame = *frames[i];
                }
                wire->flying.push_back({wire->world.now + wire->delay + wire->jitter(), frame});
            }
            if (copies == 0) {
                give_back(&frames[i], 1);
            }
        }
        std::ranges::stable_sort(wire->flying, {}, &Wire::Flying::due);
        return n;
    }

    void give_back(Frame** frames, std::uint32_t n) const {
        fake::TxPort{&wire->world}.give_back(frames, n);
    }

    static void relax() {}

    static void prefetch_record(const Frame*) {}

    static std::byte* bytes(Frame* frame) { return frame->data.data(); }

    static void set_length(Frame* frame, std::uint32_t n) { frame->length = n; }
};

struct Receiving {
    using Frame = fake::Frame;
    Wire* wire;
    fake::World* clock;

    std::uint32_t receive(Frame** frames, std::uint32_t n) const {
        clock->now += wire->stall;
        std::uint32_t got = 0;
        while (got < n && !wire->flying.empty() && wire->flying.front().due <= clock->now) {
            frames[got++] = wire->flying.front().frame;
            wire->flying.pop_front();
        }
        return got;
    }

    void release(Frame** frames, std::uint32_t n) const { Sending{wire}.give_back(frames, n); }

    static const std::byte* bytes(const Frame* frame) { return frame->data.data(); }

    static std::uint32_t length(const Frame* frame) { return frame->length; }

    static void prefetch_record(const Frame*) {}

    static void prefetch(const Frame*) {}

    static void relax() {}
};

/// Generator and sink in turn, on one clock.
class Loop {
  public:
    using Queue = ClosedQueue<Sending, Receiving, flow::MaxPacer, fake::Clock>;
    using Gen = TxLoop<fake::Clock, Queue>;
    using Sink = SinkLoop<Receiving, fake::Clock, true, Acker<Sending>>;

    Loop(const flow::FlowSetSpec& flows, const flow::AckSpec& rules) {
        const StreamSpec stream = fake::stream_spec();
        wire::FrameFields fields = stream.fields;
        fields.payload_bytes = udp_payload(flows.sender.block.full, 0);
        forth.world.write_templates(fields);
        for (fake::Frame& f : back.world.frames) {
            f.length = wire::ack_frame_bytes_without_fcs;
            wire::write_ack_template({f.data.data(), f.length}, fields);
        }
        std::vector<Queue> queues;
        queues.push_back({
            .port = {&forth},
            .acks = {&back, &forth.world},
            .clock = fake::Clock{&forth.world},
            .pacer = flow::MaxPacer({{}, {}, 32}),
            .flows = std::make_unique<flow::FlowSet>(flows),
            .writer = SegmentWriter(
                {fake::run_id, 0, flows.sender.connect, flows.flows, flows.sender.block, 0, fields}
            ),
        });
        gen = std::make_unique<Gen>(
            fake::Clock{&forth.world}, LoopSpec{~0ULL, ~0ULL, 1000}, std::move(queues)
        );
        AckerSpec acker{fake::run_id, 1, std::bit_ceil(flows.flows), 0, rules, 1e9};
        acker.rules.line_records = 4096;
        std::vector<Acker<Sending>> ackers;
        ackers.emplace_back(Sending{&back}, acker);
        const SinkSpec spec{
            fake::run_id,
            fake::port,
            1,
            std::bit_ceil(flows.flows),
            32,
            0,
            flows.sender.max_outstanding};
        sink = std::make_unique<Sink>(
            fake::Clock{&forth.world},
            LoopSpec{~0ULL, ~0ULL, 1000},
            spec,
            std::vector<Receiving>{{&forth, &forth.world}},
            std::move(ackers)
        );
    }

    /// Turns of 100 ticks until the transfer is over or `ticks` have passed.
    void run(
        std::uint64_t ticks, const std::function<void()>& each = [] {}
    ) {
        gen_control.phase = sink_control.phase = Phase::measure;
        std::uint64_t& now = forth.world.now;
        const std::uint64_t end = now + ticks;
        begun = now;
        while (now < end && !gen->finished()) {
            back.world.now = now;
            gen->look(gen_control, now);
            const auto cause = gen->turn(now);
            gen->charge_turn(cause, now, now + 100);
            const auto sink_cause = sink->turn(now);
            sink->charge_turn(sink_cause, now, now + 100);
            sink->look(sink_control, now);
            now += 100;
            each();
        }
        gen->look(gen_control, now);
        gen_control.phase = sink_control.phase = Phase::drain;
        gen->look(gen_control, now);
        sink->look(sink_control, now);
        gen->end();
        sink->end();
    }

    [[nodiscard]] const flow::FlowSet& flows() const { return *gen->queues()[0].flows; }

    [[nodiscard]] counters::TransportCounts counts() const {
        return gen->report().measured.transport;
    }

    Wire forth;
    Wire back;
    Control gen_control;
    Control sink_control;
    std::uint64_t begun = 0;
    std::unique_ptr<Gen> gen;
    std::unique_ptr<Sink> sink;
};

flow::FlowSetSpec flows_of(std::uint32_t flows, std::uint64_t limit_frames) {
    flow::FlowSetSpec spec;
    spec.sender.block = {1, 100, 100, 100};
    spec.sender.window.limit_bytes = limit_frames * 100;
    spec.sender.recovery.timeout = Duration{50'000};
    spec.sender.max_outstanding = flow::frames_admitted(spec.sender, 65536);
    spec.flows = flows;
    return spec;
}

flow::AckSpec every(std::uint32_t n) {
    flow::AckSpec spec;
    spec.every_frames = n;
    return spec;
}

std::uint64_t sum(const counters::FlowTimes& times) {
    return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("a window of n frames carries n frames a round trip") {
    Loop loop(flows_of(1, 5), every(1));
    loop.forth.delay = 5000;
    loop.back.delay = 4900;
    loop.run(10'000'000);
    // A turn of 100 ticks at each end: the round trip is 10000 ticks within two turns.
    CHECK(loop.counts().frames_acked == Approx(5 * 1000).epsilon(0.03));
    CHECK(loop.counts().most_outstanding == 5);
    CHECK(loop.counts().timeouts == 0);
    CHECK(loop.sink->report().total.acks_sent == Approx(5 * 1000).epsilon(0.03));
}

TEST_CASE("an end that is off its core before it receives makes no latency shorter") {
    flow::AckSpec rules = every(1);
    rules.path_delay = Duration{10'000};
    for (const bool at_sink : {true, false}) {
        CAPTURE(at_sink);
        Loop loop(flows_of(1, 5), rules);
        loop.forth.delay = 3000;
        (at_sink ? loop.forth : loop.back).stall = 5000;
        loop.run(1'000'000);
        const auto& latency = loop.flows().measured().latencies.frame;
        CHECK(latency.total() > 100);
        CHECK(latency.smallest() >= 13'000);
    }
}

TEST_CASE("a delayed ACK stalls a window that no other rule opens, and is told apart") {
    auto spec = flows_of(1, 8);
    spec.sender.recovery.timeout = Duration{3'000'000};
    flow::AckSpec rules;
    rules.above_bytes = 1300;
    rules.delay = Duration{400'000};
    Loop loop(spec, rules);
    loop.run(40'000'000);
    const auto report = loop.counts();
    CHECK(report.frames_acked == Approx(8 * 100).epsilon(0.03));
    const auto& times = report.flow_ticks;
    CHECK(times[std::size_t(FlowCause::ack_timer)] * 10 > sum(times) * 9);
    CHECK(sum(times) == loop.gen->report().measure_end_ticks - loop.begun);
}

TEST_CASE("every second frame is answered once") {
    Loop loop(flows_of(1, 64), every(2));
    loop.run(10'000'000);
    const auto& sink = loop.sink->report().total;
    CHECK(
        static_cast<double>(sink.acks_sent) / static_cast<double>(sink.frames) ==
        Approx(0.5).epsilon(0.01)
    );
}

TEST_CASE("whatever the wire does, all arrives once, within the window, and time adds up") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 engine(seed);
        const auto random = [&] {
            return static_cast<std::uint32_t>(engine());
        };
        const auto chance = [&](double p) {
            return std::uniform_real_distribution<>(0, 1)(engine) < p;
        };
        const std::uint32_t flows = 1 + random() % 7;
        auto spec = flows_of(flows, 1 + random() % 40);
        spec.sender.block = flow::cut(100 + random() % 3000, 200, 18);
        spec.sender.window.limit_bytes = 200 + random() % 8000;
        spec.sender.window.admit = chance(0.5) ? flow::Admit::must_fit : flow::Admit::while_below;
        spec.sender.window.wake_ratio = chance(0.5) ? 0.3 : 0;
        spec.sender.congestion.on = chance(0.5);
        spec.sender.sequential = chance(0.3);
        spec.sender.connect = spec.sender.sequential && chance(0.5);
        spec.sender.blocks = 1 + random() % 200;
        spec.sender.max_outstanding = flow::frames_admitted(spec.sender, 65536);
        spec.fan_out = !spec.sender.sequential && chance(0.3) && flows > 1 ? flows - 1 : 1;
        flow::AckSpec rules = every(1 + random() % 4);
        rules.delay = Duration{20'000};
        Loop loop(spec, rules);
        const double loss = chance(0.3) ? 0 : 0.1;
        const double twice = chance(0.5) ? 0 : 0.1;
        const std::uint64_t spread = chance(0.5) ? 1 : 5000;
        for (Wire* wire : {&loop.forth, &loop.back}) {
            wire->copies = [&, loss, twice] {
                return chance(loss) ? 0U : chance(twice) ? 2U : 1U;
            };
            wire->jitter = [&, spread] {
                return random() % spread;
            };
        }
        const std::uint64_t limit = *spec.sender.window.limit_bytes;
        const std::uint64_t above = spec.sender.window.admit == flow::Admit::must_fit ? 0 : 199;
        loop.run(4'000'000'000, [&] {
            for (std::size_t f = 0; f < flows; ++f) {
                REQUIRE(loop.flows().sender(f).outstanding_bytes() <= limit + above);
            }
        });
        REQUIRE(loop.gen->finished());
        const std::uint64_t bytes = *spec.sender.blocks * spec.sender.block.bytes();
        CHECK(loop.counts().payload_acked == bytes * flows);
        CHECK(loop.counts().blocks_acked == *spec.sender.blocks * flows);
        const auto& seen = loop.sink->stream(0).measured;
        CHECK(
            seen.in_order + seen.late == (*spec.sender.blocks * spec.sender.block.frames +
                                          (spec.sender.connect ? *spec.sender.blocks : 0)) *
                                             flows
        );
        const std::uint64_t wall = loop.gen->report().measure_end_ticks - loop.begun;
        CHECK(sum(loop.counts().flow_ticks) == wall * flows);
        for (std::size_t f = 0; f < flows; ++f) {
            CHECK(sum(loop.flows().measured().flows[f].times) == wall);
        }
    }
}
