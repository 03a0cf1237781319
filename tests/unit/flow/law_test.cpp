// SPDX-License-Identifier: BSD-3-Clause
#include "flow/law.hpp"

#include <chrono>
#include <tuple>

#include "catch.hpp"

/// Figures of the published experiments (see their README for the sources) and by hand.
namespace gensink::flow::law {

namespace {

using namespace std::chrono_literals;

/// TCP-shaped frames of MTU 1500: 12 B of each UDP payload stand for what TCP's header is longer.
SenderSpec tcp(std::uint64_t block = 1460, std::uint32_t mss = 1460, std::uint16_t header = 12) {
    SenderSpec sender;
    sender.block = cut(block, mss, 18);
    sender.header_bytes = header;
    sender.max_outstanding = 65536;
    return sender;
}

SenderSpec windowed(SenderSpec sender, std::uint64_t limit) {
    sender.window.limit_bytes = limit;
    return sender;
}

AckSpec every(std::uint32_t frames) {
    AckSpec ack;
    ack.every_frames = frames;
    return ack;
}

SenderSpec slow_start(std::uint64_t bytes, std::uint32_t initial) {
    SenderSpec sender = tcp(bytes);
    sender.congestion.on = true;
    sender.congestion.initial_frames = initial;
    return sender;
}

std::uint32_t rounds(std::uint64_t bytes, std::uint32_t initial) {
    const auto time = object_time(slow_start(bytes, initial), every(1), {350ms, std::nullopt});
    REQUIRE(time);
    CHECK(time->seconds == Approx(0.350 * time->rounds));
    return time->rounds;
}

}  // namespace

TEST_CASE("TCP fills 1 GbE with 949.3 Mbit/s at MTU 1500 and 990.0 at MTU 9000") {
    CHECK(link_bps(tcp(), 1e9) == Approx(949.3e6).epsilon(0.0001));
    CHECK(link_bps(tcp(10'485'760, 8948, 24), 1e9) == Approx(990.0e6).epsilon(0.001));
}

TEST_CASE("a segment per write of 128 B reaches 621.4 Mbit/s of 1 GbE") {
    CHECK(link_bps(tcp(128), 1e9) == Approx(621.4e6).epsilon(0.0001));
}

TEST_CASE("a window of 262144 B holds 29 segments of 8948 B: 519.0 Mbit/s at 4 ms") {
    const auto sender = windowed(tcp(10'485'760, 8948, 24), 262'144);
    CHECK(frames_admitted(sender, 1000) == 29);
    CHECK(*window_bps(sender, 4ms) == Approx(519.0e6).epsilon(0.001));
    CHECK_FALSE(window_bps(sender, 0ms).has_value());
    CHECK_FALSE(window_bps(tcp(), 4ms).has_value());
}

TEST_CASE("whole segments count: 66.4 Mbit/s each at 176 us") {
    for (const std::uint32_t segments : {2U, 5U, 11U}) {
        CHECK(
            *window_bps(windowed(tcp(), segments * 1460 + 700), 176us) ==
            Approx(segments * 66.4e6).epsilon(0.001)
        );
    }
}

TEST_CASE("eight messages wait for the delayed ACK: 200 a second at 40 ms, 40 at 200 ms") {
    SenderSpec sender = windowed(tcp(40, 1460, 0), 131'072);
    sender.window.accounting = Accounting::truesize;
    sender.window.truesize_bytes = 16'384;
    sender.window.admit = Admit::while_below;
    AckSpec ack;
    ack.above_bytes = 536;
    ack.delay = 40ms;
    CHECK(*ack_timer_bps(sender, ack, 0ms) == Approx(200.0 * 40 * 8));
    ack.delay = 200ms;
    CHECK(*ack_timer_bps(sender, ack, 0ms) == Approx(40.0 * 40 * 8));
    ack.delay = 40ms;
    ack.delay_max = 200ms;
    CHECK(*ack_timer_bps(sender, ack, 0ms) == Approx(40.0 * 40 * 8));
    CHECK(*ack_timer_bps(sender, ack, 200ms) == Approx(20.0 * 40 * 8));
}

TEST_CASE("what makes the sink answer sooner ends the stall") {
    SenderSpec sender = windowed(tcp(40, 1460, 0), 131'072);
    sender.window.accounting = Accounting::truesize;
    sender.window.truesize_bytes = 16'384;
    sender.window.admit = Admit::while_below;
    AckSpec ack;
    ack.above_bytes = 536;
    ack.delay = 40ms;
    ack.every_frames = 2;
    CHECK_FALSE(ack_timer_bps(sender, ack, 0ms).has_value());
    ack.every_frames.reset();
    sender.window.limit_bytes = 229'376;  // the 14th message
    CHECK_FALSE(ack_timer_bps(sender, ack, 0ms).has_value());
    sender.window.limit_bytes = 212'992;  // 13: 520 B
    CHECK(ack_timer_bps(sender, ack, 0ms).has_value());
    ack.delay.reset();
    CHECK_FALSE(ack_timer_bps(sender, ack, 0ms).has_value());
}

TEST_CASE("the generator's cost per frame falls with the burst") {
    CHECK(generator_fps(100, 200, 1, 1e9) == Approx(1e9 / 300));
    CHECK(generator_fps(100, 200, 32, 1e9) == Approx(1e9 / 106.25));
}

TEST_CASE("slow start takes the published rounds at an ACK for every segment") {
    struct Row {
        std::uint64_t bytes;
        std::uint32_t iw3, iw4, iw10;
    };

    for (const Row& row :
         {Row{4380, 1, 1, 1},
          Row{5120, 2, 1, 1},
          Row{8192, 2, 2, 1},
          Row{10'000, 2, 2, 1},
          Row{10'240, 2, 2, 1},
          Row{14'600, 3, 2, 1},
          Row{32'768, 4, 3, 2},
          Row{65'536, 4, 4, 3},
          Row{1'048'576, 8, 8, 7}}) {
        INFO(row.bytes);
        CHECK(rounds(row.bytes, 3) == row.iw3);
        CHECK(rounds(row.bytes, 4) == row.iw4);
        CHECK(rounds(row.bytes, 10) == row.iw10);
    }
}

TEST_CASE("an ACK for every second segment grows by half, frame by frame") {
    // IW 4: 4 sent, 2 ACKs; 6 sent, 3 ACKs; the 10th frame is the last.
    AckSpec ack = every(2);
    const auto ten = object_time(slow_start(14'600, 4), ack, {100ms, std::nullopt});
    REQUIRE(ten);
    CHECK(ten->rounds == 2);
    CHECK(ten->seconds == Approx(0.2));
    // IW 3: 2 are told, the third waits. The one ACK lets 3 more go, of which the first tells of
    // the third too.
    const auto six = object_time(slow_start(8'760, 3), ack, {100ms, std::nullopt});
    REQUIRE(six);
    CHECK(six->rounds == 2);
    CHECK(six->seconds == Approx(0.2));
}

TEST_CASE("the odd last segment waits for the timer, or for ever") {
    AckSpec ack = every(2);
    CHECK_FALSE(object_time(slow_start(4380, 4), ack, {100ms, std::nullopt}).has_value());
    ack.delay = 40ms;
    const auto time = object_time(slow_start(4380, 4), ack, {100ms, std::nullopt});
    REQUIRE(time);
    CHECK(time->rounds == 1);
    CHECK(time->seconds == Approx(0.140));
}

TEST_CASE("10,240 B take 1050 ms at an initial window of 3 and 700 ms at 10, with a connection") {
    for (const auto& [rtt, iw3, iw10] :
         {std::tuple{350ms, 1.050, 0.700}, std::tuple{44ms, 0.132, 0.088}}) {
        SenderSpec sender = slow_start(10'240, 3);
        sender.connect = true;
        CHECK(object_time(sender, every(1), {rtt, std::nullopt})->seconds == Approx(iw3));
        sender.congestion.initial_frames = 10;
        CHECK(object_time(sender, every(1), {rtt, std::nullopt})->seconds == Approx(iw10));
    }
}

TEST_CASE("serialisation adds what the last round's frames take beyond the first") {
    // 8 frames at once on 10 Mbit/s: 7 more of 1538 B behind the first; the last is short.
    SenderSpec sender = slow_start(8 * 1460, 10);
    const auto time = object_time(sender, every(1), {350ms, 10e6});
    REQUIRE(time);
    CHECK(time->seconds == Approx(0.350 + 7 * 1538 * 8 / 10e6));
}

TEST_CASE("a window without slow start fetches n frames a round trip") {
    const auto time = object_time(windowed(tcp(14'600), 2 * 1460), every(1), {100ms, std::nullopt});
    REQUIRE(time);
    CHECK(time->rounds == 5);
    CHECK(time->seconds == Approx(0.5));
}

}  // namespace gensink::flow::law
