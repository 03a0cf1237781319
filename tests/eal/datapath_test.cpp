// SPDX-License-Identifier: BSD-3-Clause
// The real datapath over the cable and net_null, frame by frame, without hugepages.
#include "counters/published.hpp"
#include "dpdk/datapath.hpp"
#include "dpdk/pool.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

#include "catch.hpp"

using namespace gensink;
using namespace std::chrono_literals;

namespace {

trial::Datapath& datapath() {
    static const std::unique_ptr<trial::Datapath> made = [] {
        plan::Environment e;
        e.memory_mib = 256;
        e.cores = {{LcoreId{1}, CpuId{0}, {}}, {LcoreId{2}, CpuId{1}, {}}};
        auto result = dpdk::make_datapath(e);
        if (!result) {
            throw std::runtime_error(result.error().message);
        }
        return std::move(*result);
    }();
    return *made;
}

plan::TrialPlan cable(std::uint16_t burst, std::uint16_t queues = 1) {
    plan::TrialPlan p;
    p.frames.payload_bytes = {18};
    p.gen.burst = burst;
    p.gen.queues = queues;
    p.gen.pool_frames = 4095;
    p.gen.cores = {{LcoreId{1}, CpuId{0}, {}}};
    p.sink = p.gen;
    p.sink->burst = 64;
    p.sink->cores = {{LcoreId{2}, CpuId{1}, {}}};
    for (std::uint16_t q = 0; q < queues; ++q) {
        p.gen.cores[0].queues.push_back(QueueId{q});
        p.sink->cores[0].queues.push_back(QueueId{q});
    }
    return p;
}

/// Lets time pass until `done` holds: the machine may be busy, the test does not measure speed.
template <class Done>
void wait_until(trial::Datapath& d, Done done) {
    for (int i = 0; i < 1000; ++i) {
        REQUIRE(d.wait(5ms).has_value());
        const auto s = d.snapshot();
        REQUIRE(s.has_value());
        if (done(*s)) {
            return;
        }
    }
    FAIL("waited for 5 s");
}

trial::Snapshot run(const plan::TrialPlan& plan) {
    trial::Datapath& d = datapath();
    const auto opened = d.open(plan, 0x12345678);
    REQUIRE(opened.has_value());
    REQUIRE(d.start().has_value());
    for (const counters::Phase phase : {counters::Phase::warmup, counters::Phase::measure}) {
        REQUIRE(d.enter(phase).has_value());
        // Counts are told after the loop has looked for a phase. The first that grow may be of a
        // look before this phase; the next are not, and those after them are of its frames.
        for (int i = 0; i < 3; ++i) {
            const auto before = d.snapshot();
            REQUIRE(before.has_value());
            const std::uint64_t goal = before->gen[0].total.frames_accepted + 10'000;
            wait_until(d, [goal](const trial::Snapshot& s) {
                return s.gen[0].total.frames_accepted > goal;
            });
        }
    }
    REQUIRE(d.enter(counters::Phase::drain).has_value());
    wait_until(d, [](const trial::Snapshot& s) {
        return s.gen[0].ended != 0 && s.sink[0].total.frames == s.gen[0].total.frames_accepted;
    });
    auto snapshot = d.stop();
    REQUIRE(snapshot.has_value());
    REQUIRE(d.close().has_value());
    return *snapshot;
}

std::uint64_t sent(const trial::Snapshot& s) {
    std::uint64_t sum = 0;
    for (const trial::StreamReport& stream : s.streams) {
        sum += stream.sent_measured.frames_accepted;
    }
    return sum;
}

counters::StreamCounts seen(const trial::Snapshot& s) {
    counters::StreamCounts total{};
    for (const trial::StreamReport& stream : s.streams) {
        total = counters::sum(total, stream.seen_measured);
    }
    return total;
}

}  // namespace

TEST_CASE("every frame sent over the cable arrives once and in order") {
    const std::uint16_t burst = GENERATE(std::uint16_t{1}, std::uint16_t{32}, std::uint16_t{512});
    const std::uint16_t queues = GENERATE(std::uint16_t{1}, std::uint16_t{3});
    const trial::Snapshot s = run(cable(burst, queues));
    const counters::StreamCounts got = seen(s);
    CHECK(sent(s) > 1000);
    CHECK(got.in_order == sent(s));
    CHECK(got.late + got.duplicate + got.corrupt + got.stale == 0);
    CHECK(s.sink[0].total.foreign + s.sink[0].total.background == 0);
    CHECK(s.gen[0].measured.frames_accepted == sent(s));
    std::uint64_t ticks = 0;
    for (const std::uint64_t t : s.gen[0].measured.cause_ticks) {
        ticks += t;
    }
    CHECK(ticks == s.gen[0].measure_end_ticks - s.gen[0].measure_start_ticks);
}

namespace {

/// A core's time by cause is its measure interval, and the kernel tells of its thread.
template <class Counts>
void check_account(const trial::CoreReport<Counts>& core) {
    std::uint64_t ticks = 0;
    for (const std::uint64_t t : core.measured.cause_ticks) {
        ticks += t;
    }
    const auto wall = static_cast<double>(core.measure_end_ticks - core.measure_start_ticks);
    CHECK(static_cast<double>(ticks) == Approx(wall).epsilon(0.01));
    const trial::ThreadFacts& thread = core.thread;
    REQUIRE(thread.run_ns.has_value());
    CHECK(*thread.run_ns > 0);
    CHECK(*thread.run_ns <= thread.sampled_ns);
}

}  // namespace

TEST_CASE("both ends' time by cause is their wall time, and their threads and CPUs are told of") {
    const trial::Snapshot s = run(cable(32));
    check_account(s.gen[0]);
    check_account(s.sink[0]);
    REQUIRE(s.gen_cpus.size() == 1);
    REQUIRE(s.sink_cpus.size() == 1);
    CHECK(s.gen_cpus[0].cpu == s.gen[0].thread.cpu);
    CHECK(s.sink_cpus[0].cpu == s.sink[0].thread.cpu);
    CHECK(s.gen_cpus[0].sampled_ns > 0);
    CHECK_FALSE(s.sink_elsewhere);
}

namespace {

plan::TrialPlan windowed(std::uint32_t frames, std::uint16_t queues = 1) {
    plan::TrialPlan p = cable(32, queues);
    p.frames.flows = 3;
    plan::TransportPlan transport;
    transport.sender.block = flow::cut(1000, 200, 18);
    transport.sender.window.limit_bytes = std::uint64_t{frames} * 200;
    transport.sender.blocks = 20'000;
    transport.sender.recovery.timeout = 100ms;
    transport.sender.max_outstanding = frames;
    transport.ack.every_frames = 2;
    transport.ack.delay = 1ms;
    p.transport = transport;
    return p;
}

trial::Snapshot transfer(const plan::TrialPlan& plan) {
    trial::Datapath& d = datapath();
    REQUIRE(d.open(plan, 0x12345678).has_value());
    REQUIRE(d.start().has_value());
    REQUIRE(d.enter(counters::Phase::measure).has_value());
    wait_until(d, [](const trial::Snapshot& s) { return s.transfer_done; });
    REQUIRE(d.enter(counters::Phase::drain).has_value());
    wait_until(d, [](const trial::Snapshot& s) { return s.gen[0].ended != 0; });
    auto snapshot = d.stop();
    REQUIRE(snapshot.has_value());
    REQUIRE(d.close().has_value());
    return *snapshot;
}

}  // namespace

TEST_CASE("a windowed transfer over the cable delivers every byte, and its time adds up") {
    const std::uint16_t queues = GENERATE(std::uint16_t{1}, std::uint16_t{2});
    const trial::Snapshot s = transfer(windowed(16, queues));
    const counters::TransportCounts& t = s.gen[0].measured.transport;
    const std::uint64_t bytes = 20'000ULL * 1000 * 3 * queues;
    CHECK(t.payload_acked == bytes);
    CHECK(t.most_outstanding == 16);
    CHECK(t.retransmitted + t.timeouts == 0);
    CHECK(seen(s).in_order == 20'000U * 5 * 3 * queues);
    REQUIRE(s.transport.has_value());
    REQUIRE(s.transport->flows.size() == 3U * queues);
    const std::uint64_t wall = s.gen[0].measure_end_ticks - s.gen[0].measure_start_ticks;
    for (const trial::FlowReport& flow : s.transport->flows) {
        std::uint64_t sum = 0;
        for (const std::uint64_t part : flow.times) {
            sum += part;
        }
        CHECK(sum == wall);
        CHECK(flow.payload_acked == 20'000'000);
    }
    CHECK(s.transport->latencies.frame.total() == 20'000U * 5 * 3 * queues);
}

TEST_CASE("frames that the sink drops or corrupts are sent again until all have come") {
    plan::TrialPlan p = windowed(16);
    p.transport->sender.blocks = 300;
    p.transport->sender.recovery.timeout = 2ms;
    p.lossless = false;
    p.fault.drop_every = 701;
    p.fault.corrupt_every = 997;
    const trial::Snapshot s = transfer(p);
    CHECK(s.gen[0].measured.transport.payload_acked == 300'000U * 3);
    CHECK(s.gen[0].measured.transport.retransmitted > 0);
    CHECK(seen(s).in_order + seen(s).late == 300U * 5 * 3);
}

namespace {

plan::TrialPlan with_payload(plan::TrialPlan p, flow::Payload mode) {
    p.payload.mode = mode;
    p.payload.source = plan::SourceKind::random;
    p.payload.working_set = 100'000;
    p.payload.own_bytes = 18;
    return p;
}

constexpr std::array payload_modes{
    flow::Payload::copy, flow::Payload::copy_checksum, flow::Payload::zero_copy};

}  // namespace

TEST_CASE("payload that is copied, summed or attached arrives, and is counted") {
    for (const flow::Payload mode : payload_modes) {
        for (const std::uint16_t queues : {std::uint16_t{1}, std::uint16_t{2}}) {
            INFO(static_cast<int>(mode) << ", " << queues << " queues");
            plan::TrialPlan p = with_payload(cable(32, queues), mode);
            p.frames.payload_bytes = {18, 1000, 333};
            const trial::Snapshot s = run(p);
            const counters::StreamCounts got = seen(s);
            CHECK(got.in_order == sent(s));
            CHECK(got.late + got.duplicate + got.corrupt + got.stale == 0);
            CHECK(s.sink[0].total.foreign + s.sink[0].total.background == 0);
            CHECK(s.sink[0].total.payload_bytes == s.gen[0].total.payload_bytes);
            CHECK(s.sink[0].total.frame_bytes == s.gen[0].total.frame_bytes);
            const counters::TxCounts& gen = s.gen[0].total;
            const bool attached = mode == flow::Payload::zero_copy;
            CHECK((gen.bytes_copied == 0) == attached);
            CHECK((gen.frames_chained == 0) != attached);
            // Of each three frames two have payload; the last cycle of a queue may be cut.
            const std::uint64_t cycles = gen.frames_built / 3;
            const std::uint64_t expected = attached ? 2 * cycles : cycles * (982 + 315);
            const std::uint64_t counted = attached ? gen.frames_chained : gen.bytes_copied;
            CHECK(counted >= expected - 2 * 1297);
            CHECK(counted <= expected + 2 * 1297);
        }
    }
}

TEST_CASE("a windowed transfer delivers what is copied, summed or attached") {
    for (const flow::Payload mode : payload_modes) {
        INFO(static_cast<int>(mode));
        const trial::Snapshot s = transfer(with_payload(windowed(16), mode));
        CHECK(s.gen[0].measured.transport.payload_acked == 20'000ULL * 1000 * 3);
        CHECK(s.gen[0].measured.transport.retransmitted == 0);
        CHECK(seen(s).corrupt + seen(s).duplicate == 0);
    }
}

TEST_CASE("a sum that was not made is a corrupt frame") {
    plan::TrialPlan p = with_payload(cable(32), flow::Payload::copy);
    p.frames.payload_bytes = {200};
    p.frames.udp_checksum = plan::UdpChecksum::zero;
    CHECK(seen(run(p)).corrupt == 0);
    p.fault.corrupt_every = 10;  // no one can see it without a sum
    CHECK(seen(run(p)).corrupt == 0);
    p.payload.mode = flow::Payload::copy_checksum;
    p.frames.udp_checksum = plan::UdpChecksum::incremental;
    CHECK(seen(run(p)).corrupt > 1000);
}

TEST_CASE("a file's pages are payload, and a file that will not do is an error") {
    plan::TrialPlan p = with_payload(cable(32), flow::Payload::zero_copy);
    p.frames.payload_bytes = {500};
    p.payload.source = plan::SourceKind::file;
    p.payload.working_set = 0;
    const auto file =
        std::filesystem::temp_directory_path() / ("gensink-source-" + std::to_string(getpid()));
    p.payload.file = file.string();
    const auto open = [&p] {
        return datapath().open(p, 1);
    };
    REQUIRE_FALSE(open());
    CHECK(open().error().message.find("No such file") != std::string::npos);
    std::ofstream(file) << std::string(100, 'x');
    CHECK(open().error().message.find("fewer than the 500 B") != std::string::npos);
    std::ofstream(file) << std::string(5000, 'x');
    const trial::Snapshot s = run(p);
    CHECK(seen(s).in_order == sent(s));
    CHECK(s.gen[0].total.bytes_copied == 0);
    std::filesystem::remove(file);
}

TEST_CASE("a receive buffer holds its frame in the sizes that the device knows") {
    plan::DriverFacts driver;
    CHECK(dpdk::rx_room_bytes(1518, driver) == 2048);
    CHECK(dpdk::rx_room_bytes(9018, driver) == 9024 + 64);
    driver.power_of_two_buffers = true;  // DPDK 22.11 em_rxtx.c, em_rctl_bsize
    CHECK(dpdk::rx_room_bytes(1518, driver) == 2048);
    CHECK(dpdk::rx_room_bytes(2048, driver) == 4096);
    CHECK(dpdk::rx_room_bytes(9018, driver) == 16384);
    driver = {};
    driver.small_buffers = true;
    CHECK(dpdk::rx_room_bytes(9018, driver) == 9024);
}
