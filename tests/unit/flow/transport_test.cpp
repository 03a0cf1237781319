// SPDX-License-Identifier: BSD-3-Clause
#include "flow/receiver.hpp"
#include "flow/sender.hpp"
#include "flow/transport.hpp"

#include <vector>

#include "catch.hpp"

using namespace gensink;
using namespace gensink::flow;

TEST_CASE("a block is cut at the MSS, and no byte is lost") {
    for (const std::uint32_t mss : {64U, 200U, 1460U, 8948U}) {
        for (std::uint64_t bytes = 1; bytes < 5 * mss; bytes += 1 + bytes / 40) {
            const BlockCut made = cut(bytes, mss, 18);
            std::uint64_t sum = 0;
            for (std::uint32_t i = 0; i < made.frames; ++i) {
                sum += made.bytes_of(i);
                CHECK((made.frames == 1 || made.bytes_of(i) >= 18));
                CHECK(made.bytes_of(i) <= mss);
            }
            CHECK(sum == bytes);
            CHECK(made.bytes() == bytes);
            CHECK(made.frames == (bytes + mss - 1) / mss);
        }
    }
}

TEST_CASE("a window admits what its accounting and its rule say") {
    // The published stall: 40-byte messages, each charged a 16 KiB buffer, 128 KiB limit.
    SenderSpec spec;
    spec.block = cut(40, 1472, 18);
    spec.window = {131072, 0, Accounting::truesize, 16384, Admit::while_below, 0};
    CHECK(frames_admitted(spec, 65536) == 8);
    spec.window.limit_bytes = 212992;
    CHECK(frames_admitted(spec, 65536) == 13);
    spec.window.limit_bytes = 212993;
    CHECK(frames_admitted(spec, 65536) == 14);
    spec.window.limit_bytes = 131072;
    spec.window.accounting = Accounting::payload;
    CHECK(frames_admitted(spec, 65536) == 3277);
    spec.window.admit = Admit::must_fit;
    CHECK(frames_admitted(spec, 65536) == 3276);
    spec.window.accounting = Accounting::frame;  // 86 B with FCS
    CHECK(frames_admitted(spec, 65536) == 131072 / 86);
    spec.block = cut(8948, 8948, 18);
    spec.header_bytes = 24;
    spec.window = {262144, 0, Accounting::payload, 2304, Admit::must_fit, 0};
    CHECK(frames_admitted(spec, 65536) == 29);
    spec.window.reserve_bytes = 262144;
    CHECK(frames_admitted(spec, 65536) == 0);
    spec.window.limit_bytes.reset();
    CHECK(frames_admitted(spec, 100) == 100);
}

TEST_CASE("a small last piece leaves room for one frame more in mid-block") {
    SenderSpec spec;
    spec.block = cut(2100, 1000, 0);  // 1000, 1000, 100
    REQUIRE(spec.block.frames == 3);
    spec.window.limit_bytes = 2200;
    CHECK(frames_admitted(spec, 65536) == 3);
    CHECK(most_frames_admitted(spec, 65536) == 4);  // 100, 1000, 1000, and again 100: 2200
}

TEST_CASE("an ACK is due by whichever rule comes first") {
    AckSpec spec;
    spec.above_bytes = 536;
    spec.delay = Duration{40'000'000};
    const AckRules rules(spec, 1e9);
    Receiver r;
    for (int i = 1; i < 14; ++i) {
        CHECK_FALSE(r.arrived(rules, 40, 1000));
    }
    CHECK(r.deadline == 1000 + 40'000'000);
    CHECK(r.arrived(rules, 40, 1000));  // the 14th: 560 B
    r.told();
    CHECK(r.deadline == never);
    CHECK(r.frames == 14);
    CHECK(r.payload == 560);
    CHECK_FALSE(r.arrived(rules, 40, 2000));
    r.came_again(40);
    CHECK_FALSE(r.arrived(rules, 40, 2000));
    r.told();
    CHECK(r.frames == 15);
    CHECK(r.payload == 600);
}

TEST_CASE("an adaptive delay follows the gaps between its bounds") {
    AckSpec spec;
    spec.delay = Duration{40'000};
    spec.delay_max = Duration{200'000};
    const AckRules rules(spec, 1e9);
    Receiver r;
    std::uint64_t now = 1'000'000;
    const auto arrive = [&](std::uint64_t gap) {
        now += gap;
        (void)r.arrived(rules, 100, now);
        const std::uint64_t delay = r.deadline - now;
        r.told();
        return delay;
    };
    CHECK(arrive(0) == 40'000);
    for (int i = 0; i < 20; ++i) {
        arrive(1'000'000);
    }
    CHECK(arrive(1'000'000) == 200'000);
    for (int i = 0; i < 20; ++i) {
        arrive(1000);
    }
    CHECK(arrive(1000) == 40'000);
    CHECK(arrive(60'000) == 80'000);
}

TEST_CASE("delayed ACKs come out in the order of their deadlines") {
    DelayedAcks acks(4);
    CHECK(acks.earliest() == never);
    acks.enter(0, 30);
    acks.enter(1, 10);
    acks.enter(2, 20);
    CHECK(acks.earliest() == 10);
    CHECK(acks.pop() == 1);
    acks.enter(1, 25);
    CHECK(acks.pop() == 2);
    CHECK(acks.pop() == 1);
    CHECK(acks.pop() == 0);
    CHECK(acks.earliest() == never);
}

namespace {

/// A sender whose frames are all accepted when they are taken.
struct Bench {
    explicit Bench(const SenderSpec& spec) : rules(spec, 1e9), sender(rules) {}

    std::uint64_t send_all(std::uint64_t now) {
        std::uint64_t n = 0;
        for (; sender.admits(rules); ++n) {
            const Segment segment = sender.take(rules, 0, now, tally);
            sender.sent(rules, {&segment, 1}, now);
            last = segment;
        }
        return n;
    }

    bool ack(std::uint64_t next, std::uint64_t highest, std::uint64_t now) {
        return sender.acknowledge(rules, {0, next, highest, highest, 0, 0}, now, tally);
    }

    SenderRules rules;
    Sender sender;
    Segment last;
    counters::TransportCounts counts;
    counters::Latencies latencies;
    BlockTimes times{100};
    Tally tally{counts, latencies, times, false};
};

SenderSpec frames_of(std::uint16_t bytes) {
    SenderSpec spec;
    spec.block = {1, bytes, bytes, bytes};
    spec.recovery.timeout = Duration{1000};
    return spec;
}

}  // namespace

TEST_CASE("slow start sends as many rounds as the law says") {
    // Rounds for S segments at growth 2: published table, MSS 1460.
    const auto rounds = [](std::uint32_t segments, std::uint32_t initial) {
        SenderSpec spec = frames_of(1460);
        spec.block = cut(std::uint64_t{segments} * 1460, 1460, 18);
        spec.sequential = true;
        spec.blocks = 1;
        spec.congestion.on = true;
        spec.congestion.initial_frames = initial;
        Bench bench(spec);
        std::uint64_t acked = 0;
        unsigned n = 0;
        for (std::uint64_t now = 1; !bench.sender.is_finished(bench.rules); ++now, ++n) {
            const std::uint64_t sent = bench.send_all(now);
            for (std::uint64_t i = 0; i < sent; ++i) {
                ++acked;
                bench.ack(acked, acked, now);
            }
        }
        return n;
    };
    CHECK(rounds(3, 3) == 1);
    CHECK(rounds(4, 3) == 2);
    CHECK(rounds(7, 3) == 2);
    CHECK(rounds(7, 10) == 1);
    CHECK(rounds(10, 3) == 3);
    CHECK(rounds(10, 4) == 2);
    CHECK(rounds(23, 3) == 4);
    CHECK(rounds(45, 4) == 4);
    CHECK(rounds(45, 10) == 3);
    CHECK(rounds(719, 3) == 8);
    CHECK(rounds(719, 10) == 7);
}

TEST_CASE("a lost frame is sent again after the timeout, then a hole with each ACK") {
    SenderSpec spec = frames_of(100);
    spec.window.limit_bytes = 800;
    Bench bench(spec);
    CHECK(bench.send_all(10) == 8);
    CHECK(bench.ack(2, 7, 20));  // frame 2 and perhaps more are missing
    CHECK(bench.send_all(20) == 2);
    CHECK(bench.sender.deadline() == 1020);
    bench.sender.expire(bench.rules, 1020, bench.tally);
    CHECK(bench.send_all(1020) == 1);
    CHECK(bench.last.number == 2);
    CHECK(bench.last.again);
    CHECK(bench.ack(4, 10, 1030));  // frame 4 was lost too
    CHECK(bench.sender.resends());
    bench.send_all(1030);
    CHECK(bench.ack(10, 10, 1040));
    CHECK_FALSE(bench.sender.resends());
    CHECK(bench.counts.retransmitted == 2);
    CHECK(bench.counts.timeouts == 1);
    CHECK_FALSE(bench.ack(9, 9, 1050));      // old
    CHECK_FALSE(bench.ack(900, 900, 1050));  // nonsense
}

TEST_CASE("what is given up is released, and only what came is counted") {
    SenderSpec spec = frames_of(100);
    spec.window.limit_bytes = 400;
    spec.recovery.policy = Recovery::give_up;
    Bench bench(spec);
    CHECK(bench.send_all(10) == 4);
    bench.sender.acknowledge(bench.rules, {0, 1, 3, 2, 200, 0}, 20, bench.tally);
    CHECK(bench.counts.frames_acked == 2);
    CHECK(bench.counts.payload_acked == 200);
    CHECK(bench.sender.outstanding_frames() == 1);
    bench.sender.expire(bench.rules, 1010, bench.tally);
    CHECK(bench.sender.outstanding_frames() == 0);
    CHECK(bench.counts.given_up == 2);
}

TEST_CASE("with giving up, what came is counted once, and the rest as given up") {
    SenderSpec spec = frames_of(100);
    spec.window.limit_bytes = 1000;
    spec.recovery.policy = Recovery::give_up;
    Bench bench(spec);
    REQUIRE(bench.send_all(10) == 10);
    // 8 of the first 10 came, the tenth among them: two holes.
    bench.sender.acknowledge(bench.rules, {0, 3, 10, 8, 800, 0}, 20, bench.tally);
    CHECK(bench.counts.frames_acked == 8);
    CHECK(bench.counts.blocks_acked == 8);
    CHECK(bench.counts.given_up == 2);
    CHECK(bench.latencies.frame.total() == 8);
    REQUIRE(bench.send_all(30) == 10);
    bench.sender.expire(bench.rules, 1030, bench.tally);
    CHECK(bench.counts.given_up == 12);
    // They had come, and only their ACK was late.
    bench.sender.acknowledge(bench.rules, {0, 3, 20, 18, 1800, 0}, 1040, bench.tally);
    CHECK(bench.counts.frames_acked == 18);
    CHECK(bench.counts.given_up == 2);
}

TEST_CASE("what the port has not accepted is neither acknowledged nor given up") {
    SenderSpec spec = frames_of(100);
    spec.window.limit_bytes = 400;
    spec.recovery.policy = Recovery::give_up;
    Bench bench(spec);
    bench.send_all(10);
    bench.sender.expire(bench.rules, 1010, bench.tally);
    REQUIRE(bench.counts.given_up == 4);
    CHECK(bench.sender.deadline() == never);
    std::vector<Segment> taken;
    while (bench.sender.admits(bench.rules)) {
        taken.push_back(bench.sender.take(bench.rules, 0, 1010, bench.tally));
    }
    bench.sender.sent(bench.rules, {taken.data(), 1}, 1020);
    CHECK_FALSE(bench.ack(6, 6, 1030));
    bench.sender.expire(bench.rules, 2020, bench.tally);
    CHECK(bench.counts.given_up == 5);
    CHECK(bench.sender.outstanding_frames() == 3);
    bench.sender.sent(bench.rules, {&taken[1], 3}, 2030);
    CHECK(bench.sender.deadline() == 3030);
    bench.sender.acknowledge(bench.rules, {0, 0, 6, 1, 100, 0}, 2040, bench.tally);
    CHECK(bench.counts.given_up == 5);
    CHECK(bench.latencies.frame.total() == 1);
    CHECK(bench.latencies.frame.largest() == 10);
}

TEST_CASE("a blocked flow wakes only when the wake share is free") {
    SenderSpec spec = frames_of(100);
    spec.window.limit_bytes = 900;
    spec.window.wake_ratio = 1.0 / 3;
    Bench bench(spec);
    CHECK(bench.send_all(1) == 9);
    bench.sender.block();
    bench.ack(2, 2, 2);
    CHECK_FALSE(bench.sender.admits(bench.rules));
    bench.ack(3, 3, 3);
    CHECK(bench.sender.admits(bench.rules));
}
