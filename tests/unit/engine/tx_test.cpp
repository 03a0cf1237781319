// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tx.hpp"
#include "flow/pacer.hpp"
#include "flow/window.hpp"
#include "wire/inspect.hpp"

#include <numeric>

#include "catch.hpp"
#include "fakes.hpp"

using namespace gensink;
using namespace gensink::engine;
using counters::Phase;
using counters::TxCause;

namespace {

template <class Mutator = UniformMutator, class Pacer = flow::MaxPacer>
class Bench {
  public:
    using Loop = TxLoop<fake::Clock, TxQueue<fake::TxPort, Pacer, flow::UnlimitedWindow, Mutator>>;

    Bench(
        fake::World& world,
        const flow::PacerSpec& pacer,
        const StreamSpec& stream = fake::stream_spec()
    )
        : world_(world), loop_({&world}, {1'000'000, 100'000, 1000}, queues(world, pacer, stream)) {
        world.write_templates(stream.fields);
        control.phase = Phase::warmup;
        world.on_send = [this] {
            script(++sends);
        };
    }

    void run() { loop_.run(control); }

    [[nodiscard]] const LoopReport<counters::TxCounts>& report() const { return loop_.report(); }

    [[nodiscard]] counters::TxQueueState queue_state() const { return loop_.queue_state(0); }

    [[nodiscard]] counters::TxStreamCounts stream() const { return loop_.streams_measured()[0]; }

    Control control;
    std::uint64_t sends = 0;
    std::function<void(std::uint64_t)> script = [](std::uint64_t) {
    };

  private:
    static std::vector<typename Loop::Queue>
    queues(fake::World& world, const flow::PacerSpec& pacer, const StreamSpec& stream) {
        std::vector<typename Loop::Queue> made;
        made.push_back({{&world}, Pacer(pacer), {}, Mutator(stream)});
        return made;
    }

    fake::World& world_;
    Loop loop_;
};

flow::PacerSpec burst(std::uint32_t n) {
    flow::PacerSpec spec;
    spec.burst = n;
    return spec;
}

std::uint64_t total_ticks(const counters::TxCounts& counts) {
    return std::accumulate(counts.cause_ticks.begin(), counts.cause_ticks.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("sequence numbers have no holes, however frames are refused") {
    fake::World world;
    world.link_room = 0;
    Bench bench(world, burst(32));
    std::uint64_t expected = 0;
    bench.script = [&](std::uint64_t n) {
        for (const fake::Frame* f : world.link) {
            const auto seen =
                wire::inspect(f->data.data(), f->length, fake::run_id, fake::port, true);
            REQUIRE(seen.kind == wire::FrameKind::ours);
            REQUIRE(seen.stamp.sequence() == expected++);
            world.free.push_back(const_cast<fake::Frame*>(f));
        }
        world.link.clear();
        world.link_room = n * 7 % 33;  // none, some or all of a burst
        bench.control.stop = n > 5000;
    };
    bench.run();
    CHECK(expected > 50'000);
    CHECK(world.free.size() + world.link.size() == world.frames.size());
}

TEST_CASE("every tick of the measure interval has one cause") {
    fake::World world;
    Bench bench(world, burst(8));
    bench.script = [&](std::uint64_t n) {
        world.free.insert(world.free.end(), world.link.begin(), world.link.end());
        world.link.clear();
        world.link_room = n % 3 == 0 ? 0 : 8;
        world.ticks_per_read = 5 + n % 11;
        if (n == 1000) {
            bench.control.phase = Phase::measure;
        } else if (n == 4000) {
            bench.control.phase = Phase::drain;
        }
    };
    bench.run();
    const auto& report = bench.report();
    CHECK(total_ticks(report.measured) == report.measure_end_ticks - report.measure_start_ticks);
    CHECK(
        report.measured.cause_ticks[std::size_t(TxCause::ring_full)] == 0
    );  // fresh frames went along
    CHECK(report.measured.frames_accepted == bench.stream().frames_accepted);
    CHECK(report.measured.send_calls > 2000);
}

TEST_CASE("a turn that only repeats refused frames is ring full") {
    fake::World world;
    world.link_room = 4;
    Bench bench(world, burst(4));
    bench.script = [&](std::uint64_t n) {
        bench.control.stop = n > 1000;
    };
    bench.run();
    const counters::TxCounts& t = bench.report().total;
    CHECK(t.frames_accepted == 4);
    CHECK(t.cause_turns[std::size_t(TxCause::sending)] == 2);  // one that moved, one that built
    CHECK(t.cause_turns[std::size_t(TxCause::ring_full)] > 990);
    CHECK(t.burst_asked[4] == t.send_calls);
    CHECK(t.burst_accepted[0] == t.send_calls - 1);
    CHECK(bench.queue_state().accepted == 4);
    CHECK(bench.queue_state().waiting == bench.report().total.frames_built - 4);
    CHECK(t.frames_asked == 4 * t.send_calls);
    CHECK(world.free.size() == world.frames.size() - 4);  // held frames were given back
}

TEST_CASE("accepted in measure are exactly the frames that carry its mark") {
    fake::World world(64);
    Bench bench(world, burst(16));
    std::uint64_t marked = 0;
    std::uint64_t first = UINT64_MAX;
    const auto collect = [&] {
        for (fake::Frame* f : world.link) {
            const auto seen =
                wire::inspect(f->data.data(), f->length, fake::run_id, fake::port, true);
            if (seen.stamp.phase() == static_cast<std::uint8_t>(Phase::measure)) {
                ++marked;
                first = std::min(first, seen.stamp.sequence());
            }
            world.free.push_back(f);
        }
        world.link.clear();
    };
    bench.script = [&](std::uint64_t n) {
        collect();
        world.link_room = n % 5;  // frames are held at most times, at both phase changes too
        if (n == 700) {
            bench.control.phase = Phase::measure;
        } else if (n == 3000) {
            bench.control.phase = Phase::drain;
        }
    };
    bench.run();
    collect();
    CHECK(marked == bench.stream().frames_accepted);
    CHECK(first == bench.stream().first_sequence);
    CHECK(marked == bench.report().measured.frames_accepted);
    CHECK(marked > 3000);
}

TEST_CASE("an empty pool is named, and ends nothing") {
    fake::World dry(8);
    Bench second(dry, burst(4));
    std::uint64_t sends = 0;
    dry.on_send = [&] {
        second.control.stop = ++sends == 2;
    };
    second.run();  // 8 frames leave and never come back
    CHECK(second.report().total.frames_accepted == 8);
    CHECK(second.report().total.cause_turns[std::size_t(TxCause::pool_empty)] > 0);
    CHECK(second.report().total.pool_failures > 0);
}

TEST_CASE("paced frames leave at their rate and the waiting is pacing") {
    fake::World world;
    flow::PacerSpec pacer = flow::share(1e9, 1e6, 1, 0);  // a frame every 1000 ticks
    pacer.burst = 4;
    Bench<UniformMutator, flow::RatePacer> bench(world, pacer);
    bench.script = [&](std::uint64_t n) {
        world.free.insert(world.free.end(), world.link.begin(), world.link.end());
        world.link.clear();
        if (n == 100) {
            bench.control.phase = Phase::measure;
        } else if (n == 1100) {
            bench.control.phase = Phase::drain;
        }
    };
    bench.run();
    const auto& m = bench.report();
    const double ticks = static_cast<double>(m.measure_end_ticks - m.measure_start_ticks);
    CHECK(static_cast<double>(m.measured.frames_accepted) == Approx(ticks / 1000).epsilon(0.01));
    CHECK(m.measured.burst_accepted[4] == m.measured.send_calls);
    CHECK(static_cast<double>(m.measured.cause_ticks[std::size_t(TxCause::pacing)]) > 0.9 * ticks);
}

TEST_CASE("sizes and flows cycle, every frame being right") {
    fake::World world;
    const StreamSpec stream = fake::stream_spec(8, {1472, 1472, 1152});
    Bench<VariedMutator> bench(world, burst(32), stream);
    std::uint64_t expected = 0;
    std::uint64_t payload = 0;
    bench.script = [&](std::uint64_t n) {
        for (fake::Frame* f : world.link) {
            const auto seen =
                wire::inspect(f->data.data(), f->length, fake::run_id, fake::port, true);
            REQUIRE(seen.kind == wire::FrameKind::ours);
            REQUIRE(seen.stamp.sequence() == expected);
            REQUIRE(seen.payload_bytes == stream.payload_bytes[expected % 3]);
            const auto source = wire::swap16(wire::load<std::uint16_t>(&f->data[34]));
            REQUIRE(source == 49152 + expected % 8);
            payload += seen.payload_bytes;
            ++expected;
            world.free.push_back(f);
        }
        world.link.clear();
        world.link_room = n % 40;
        bench.control.stop = n > 2000;
    };
    bench.run();
    for (const fake::Frame* f : world.link) {
        payload +=
            wire::inspect(f->data.data(), f->length, fake::run_id, fake::port, true).payload_bytes;
        ++expected;
    }
    const counters::TxCounts& t = bench.report().total;
    CHECK(t.frames_accepted == expected);
    CHECK(t.payload_bytes == payload);
    CHECK(t.frame_bytes == payload + expected * 46);
}

TEST_CASE("a turn longer than a limit is counted") {
    fake::World world;
    Bench bench(world, burst(1));
    bench.script = [&](std::uint64_t n) {
        world.now += n == 500 ? 2'000'000 : n == 700 ? 300'000 : 0;
        bench.control.phase = n > 2000 ? Phase::drain : n > 10 ? Phase::measure : Phase::warmup;
        world.free.insert(world.free.end(), world.link.begin(), world.link.end());
        world.link.clear();
    };
    bench.run();
    CHECK(bench.report().measured.long_turns == 1);
    CHECK(bench.report().measured.stalled_ticks >= 2'300'000);
    CHECK(bench.report().measured.stalled_ticks < 2'400'000);
    CHECK(bench.report().measured.longest_turn_ticks >= 2'000'000);
}
