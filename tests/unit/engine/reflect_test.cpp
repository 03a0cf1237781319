// SPDX-License-Identifier: BSD-3-Clause
#include "engine/reflect.hpp"
#include "wire/frame.hpp"
#include "wire/inspect.hpp"

#include <algorithm>
#include <deque>

#include "catch.hpp"
#include "fakes.hpp"

namespace gensink::engine {

namespace {

constexpr std::array<std::uint8_t, 6> mac{2, 0, 0, 0, 0, 9};

wire::FrameFields fields() {
    wire::FrameFields f;
    f.source_mac = {2, 0, 0, 0, 0, 1};
    f.destination_mac = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    f.source_ip = {198, 18, 0, 1};
    f.destination_ip = {198, 18, 0, 2};
    f.source_port = 49152;
    f.destination_port = 5401;
    f.payload_bytes = 64;
    f.run_id = 7;
    return f;
}

/// What is to come, what went back, and how much of it the port takes at once.
struct Ends {
    std::deque<fake::Frame> incoming;
    std::deque<fake::Frame> outgoing;
    std::size_t room = 1000;
    std::size_t released = 0;
    std::atomic<bool>* stop = nullptr;
};

struct Rx {
    using Frame = fake::Frame;
    Ends* ends;

    std::uint32_t receive(Frame** frames, std::uint32_t n) const {
        std::uint32_t got = 0;
        for (; got < n && !ends->incoming.empty(); ++got) {
            frames[got] = new Frame(ends->incoming.front());
            ends->incoming.pop_front();
        }
        if (got == 0) {
            ends->stop->store(true);
        }
        return got;
    }

    void release(Frame** frames, std::uint32_t n) const {
        for (std::uint32_t i = 0; i < n; ++i) {
            delete frames[i];
        }
        ends->released += n;
    }

    static const std::byte* bytes(const Frame* frame) { return frame->data.data(); }

    static std::byte* mutable_bytes(Frame* frame) { return frame->data.data(); }

    static std::uint32_t length(const Frame* frame) { return frame->length; }

    static void prefetch_record(const Frame* /*frame*/) {}

    static void prefetch(const Frame* /*frame*/) {}

    static void relax() {}
};

struct Tx {
    Ends* ends;

    std::uint32_t send(fake::Frame** frames, std::uint32_t n) const {
        const auto taken = static_cast<std::uint32_t>(std::min<std::size_t>(n, ends->room));
        for (std::uint32_t i = 0; i < taken; ++i) {
            ends->outgoing.push_back(*frames[i]);
            delete frames[i];
        }
        return taken;
    }
};

counters::SinkCounts reflect(Ends& ends, std::uint32_t burst) {
    fake::World world(1);
    Control control;
    ends.stop = &control.stop;
    std::vector<ReflectQueue<Rx, Tx>> queues;
    queues.push_back({.rx = {&ends}, .tx = {&ends}});
    ReflectLoop<Rx, Tx, fake::Clock> loop(
        fake::Clock{&world}, LoopSpec{1000, 1000, 1}, {mac, burst}, std::move(queues)
    );
    loop.run(control);
    return loop.report().total;
}

fake::Frame frame_of(const wire::FrameFields& f) {
    fake::Frame frame;
    frame.length = wire::frame_bytes_without_fcs(f.payload_bytes);
    wire::write_frame({frame.data.data(), frame.length}, f);
    return frame;
}

}  // namespace

TEST_CASE("a frame goes back to its sender, and a sink still knows it for its own") {
    Ends ends;
    ends.incoming.assign(10, frame_of(fields()));
    const counters::SinkCounts counts = reflect(ends, 4);
    CHECK(counts.frames == 10);
    CHECK(counts.acks_sent == 10);
    CHECK(counts.frame_bytes == 10 * wire::frame_bytes(64));
    REQUIRE(ends.outgoing.size() == 10);
    wire::FrameFields back = fields();
    back.source_mac = mac;
    back.destination_mac = fields().source_mac;
    std::swap(back.source_ip, back.destination_ip);
    const fake::Frame expected = frame_of(back);
    const fake::Frame& frame = ends.outgoing.back();
    CHECK(std::equal(frame.data.begin(), frame.data.begin() + frame.length, expected.data.begin()));
    const auto seen = wire::inspect(frame.data.data(), frame.length, 7, 5401, true);
    CHECK(seen.kind == wire::FrameKind::ours);
}

TEST_CASE("refused frames lead the next burst, and none is lost") {
    Ends ends;
    for (std::uint32_t i = 0; i < 100; ++i) {
        wire::FrameFields f = fields();
        f.source_port = static_cast<std::uint16_t>(1000 + i);
        ends.incoming.push_back(frame_of(f));
    }
    ends.room = 3;
    const counters::SinkCounts counts = reflect(ends, 8);
    CHECK(counts.frames == 100);
    REQUIRE(ends.outgoing.size() + ends.released == 100);  // what is held at the end is given up
    CHECK(ends.outgoing.size() >= 92);
    for (std::size_t i = 0; i < ends.outgoing.size(); ++i) {
        const auto* port = &ends.outgoing[i].data[34];
        CHECK(wire::swap16(wire::load<std::uint16_t>(port)) == 1000 + i);
    }
}

TEST_CASE("what is not IPv4 does not go back") {
    Ends ends;
    ends.incoming.assign(3, frame_of(fields()));
    ends.incoming[1].data[12] = std::byte{0x86};
    ends.incoming[1].data[13] = std::byte{0xdd};
    const counters::SinkCounts counts = reflect(ends, 8);
    CHECK(counts.background == 1);
    CHECK(counts.acks_sent == 2);
    CHECK(ends.released == 1);
}

}  // namespace gensink::engine
