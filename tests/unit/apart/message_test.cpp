// SPDX-License-Identifier: BSD-3-Clause
#include "apart/generator.hpp"
#include "apart/message.hpp"
#include "apart/open_call.hpp"
#include "wire/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "catch.hpp"

namespace gensink::apart {

namespace {

const Route route{{2, 0, 0, 0, 0, 9}, {2, 0, 0, 0, 0, 1}};

Message message_of(std::size_t bytes) {
    Message message{Kind::answer, Ask::stop, 77, 5, Bytes(bytes)};
    for (std::size_t i = 0; i < bytes; ++i) {
        message.payload[i] = static_cast<std::byte>(i * 7 + i / 256);
    }
    return message;
}

std::optional<Assembler::Arrived> add_all(Assembler& assembler, const std::vector<Bytes>& frames) {
    std::optional<Assembler::Arrived> whole;
    for (const Bytes& frame : frames) {
        if (auto arrived = assembler.add(frame)) {
            whole = std::move(arrived);
        }
    }
    return whole;
}

/// Makes the checksum fit again.
void mend(Bytes& frame) {
    constexpr std::size_t checksum = 14 + 4;
    std::memset(frame.data() + checksum, 0, 2);
    const std::uint16_t sum =
        wire::fold(wire::sum_bytes(frame.data() + 14, static_cast<std::uint32_t>(frame.size() - 14))
        );
    const auto complement = static_cast<std::uint16_t>(~sum);
    std::memcpy(frame.data() + checksum, &complement, sizeof complement);
}

}  // namespace

TEST_CASE("a message of any length comes back whole, its frames in any order") {
    std::mt19937 random(1);
    for (const std::size_t bytes : {0UL, 1UL, 15UL, 1023UL, 1024UL, 1025UL, 2048UL, 50'000UL}) {
        const Message message = message_of(bytes);
        std::vector<Bytes> frames = frames_of(message, route);
        CHECK(frames.size() == std::max<std::size_t>((bytes + 1023) / 1024, 1));
        CHECK(std::ranges::all_of(frames, [](const Bytes& f) {
            return f.size() >= 60 && f.size() <= 1514;
        }));
        std::ranges::shuffle(frames, random);
        frames.push_back(frames.front());  // a copy changes nothing
        Assembler assembler;
        const auto arrived = add_all(assembler, frames);
        REQUIRE(arrived);
        CHECK(arrived->message.payload == message.payload);
        CHECK(arrived->message.kind == Kind::answer);
        CHECK(arrived->message.ask == Ask::stop);
        CHECK(arrived->message.session == 77);
        CHECK(arrived->message.number == 5);
        CHECK(arrived->route.source == route.source);
        CHECK(arrived->same_build);
    }
}

TEST_CASE("a message that lacks a frame is not whole until it is sent again") {
    const std::vector<Bytes> frames = frames_of(message_of(5000), route);
    Assembler assembler;
    CHECK_FALSE(add_all(assembler, {frames[0], frames[1], frames[3], frames[4]}));
    CHECK(add_all(assembler, frames));
}

TEST_CASE("padding by a device changes nothing") {
    Bytes frame = frames_of(message_of(3), route).front();
    frame.resize(frame.size() + 6);
    Assembler assembler;
    CHECK(assembler.add(frame));
}

TEST_CASE("a damaged frame is ignored") {
    const Bytes good = frames_of(message_of(40), route).front();
    for (std::size_t bit = 12 * 8; bit < good.size() * 8; ++bit) {
        Bytes bad = good;
        bad[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        Assembler assembler;
        CHECK_FALSE(assembler.add(bad));
    }
    for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
        Assembler assembler;
        (void)assembler.add(ByteView(good).first(bytes));
    }
}

TEST_CASE("no header makes the assembler read or write beside its buffers") {
    std::mt19937 random(2);
    const std::vector<Bytes> frames = frames_of(message_of(3000), route);
    Assembler assembler;
    for (int i = 0; i < 20000; ++i) {
        Bytes frame = frames[random() % frames.size()];
        const std::size_t field = 14 + 4 * (random() % 8);  // of the header
        const auto value = static_cast<std::uint32_t>(random() >> (random() % 32));
        std::memcpy(frame.data() + field, &value, sizeof value);
        mend(frame);
        (void)assembler.add(frame);
    }
    CHECK(add_all(assembler, frames));
}

TEST_CASE("another build is told apart") {
    Bytes frame = frames_of(message_of(4), route).front();
    frame[14 + 8] ^= std::byte{1};
    mend(frame);
    Assembler assembler;
    const auto arrived = assembler.add(frame);
    REQUIRE(arrived);
    CHECK_FALSE(arrived->same_build);
}

TEST_CASE("an open call survives the round trip, and nothing else is one") {
    const OpenCall call{4'000'000'000U, {"traffic.frame_size=64 B", "sink.queues=2"}};
    const Bytes bytes = encode(call);
    const auto back = decode_open_call(bytes);
    REQUIRE(back);
    CHECK(back->run_id == call.run_id);
    CHECK(back->settings == call.settings);
    CHECK_FALSE(decode_open_call({}));
    CHECK_FALSE(decode_open_call(ByteView(bytes).first(bytes.size() - 1)));
    Bytes letters = bytes;
    letters[0] = std::byte{'x'};
    CHECK_FALSE(decode_open_call(letters));
}

TEST_CASE("a sink's ticks become the generator's") {
    trial::CoreReport<counters::SinkCounts> report;
    report.measure_start_ticks = 1'000'000'000'000'000;
    report.measure_end_ticks = 1'000'002'000'000'000;
    report.measured.cause_ticks[0] = 500;
    report.measured.frames = 7;
    report.total.longest_turn_ticks = 40;
    report.total.stalled_ticks = 90;
    const auto scaled = in_ticks(report, 1.5);
    CHECK(scaled.measure_end_ticks - scaled.measure_start_ticks == 3'000'000'000);
    CHECK(scaled.measured.cause_ticks[0] == 750);
    CHECK(scaled.measured.frames == 7);
    CHECK(scaled.total.longest_turn_ticks == 60);
    CHECK(scaled.total.stalled_ticks == 135);
}

}  // namespace gensink::apart
