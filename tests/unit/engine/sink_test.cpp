// SPDX-License-Identifier: BSD-3-Clause
#include "engine/fault.hpp"
#include "engine/sink.hpp"

#include <numeric>

#include "catch.hpp"
#include "fakes.hpp"

using namespace gensink;
using namespace gensink::engine;
using counters::Phase;

namespace {

constexpr std::uint64_t frames_sent = 10'000;
/// Above 18: a corrupt last byte leaves the stamp sound.
constexpr std::uint16_t payload = 64;

/// Feeds frames of one stream with sound stamps, two bursts a poll, then ends the sink.
class Feed {
  public:
    explicit Feed(std::uint32_t flows = 1)
        : world(4096), mutator_(fake::stream_spec(flows, {payload})) {
        world.write_templates(fake::stream_spec(flows, {payload}).fields);
        mutator_.set_phase(Phase::measure);
        control.phase = Phase::measure;
        world.on_receive = [this] {
            next();
        };
    }

    fake::World world;
    Control control;
    std::function<bool(std::uint64_t)> lost = [](std::uint64_t) {
        return false;
    };

  private:
    void next() {
        for (int i = 0; i < 64 && sent_ < frames_sent; ++i, ++sent_) {
            fake::Frame* frame = nullptr;
            if (!fake::TxPort{&world}.take(&frame, 1)) {
                return;
            }
            mutator_.mutate<fake::TxPort>(&frame, 1, world.now);
            if (lost(sent_)) {
                world.free.push_back(frame);
            } else {
                world.link.push_back(frame);
            }
        }
        if (world.link.empty() && sent_ == frames_sent && ++idle_ > 300'000) {
            control.stop = true;
        }
    }

    VariedMutator mutator_;
    std::uint64_t sent_ = 0;
    int idle_ = 0;
};

SinkSpec sink_spec(std::uint32_t flows = 1) {
    return {fake::run_id, fake::port, 1, flows, 32, 0, 0};
}

struct Seen {
    counters::StreamCounts stream;
    counters::SinkCounts total;
};

Seen run(Feed& feed, const FaultSpec& fault, std::uint32_t flows = 1) {
    using Port = FaultyRxPort<fake::RxPort>;
    std::vector<Port> queues;
    queues.emplace_back(fake::RxPort{&feed.world}, fault);
    SinkLoop<Port, fake::Clock, true> loop(
        {&feed.world}, {1'000'000, 1000}, sink_spec(flows), std::move(queues)
    );
    loop.run(feed.control);
    return {loop.stream(0).measured, loop.report().total};
}

}  // namespace

TEST_CASE("a clean wire gives every frame in order, and nothing else") {
    for (const std::uint32_t flows : {1U, 4U, 256U}) {
        Feed feed(flows);
        const Seen seen = run(feed, {}, flows);
        CHECK(seen.stream.in_order == frames_sent);
        CHECK(
            seen.stream.late + seen.stream.duplicate + seen.stream.corrupt + seen.stream.stale == 0
        );
        CHECK(seen.total.foreign + seen.total.background == 0);
        CHECK(seen.total.frames == frames_sent);
        CHECK(seen.total.frame_bytes == frames_sent * 110);
        CHECK(seen.total.payload_bytes == frames_sent * payload);
        CHECK(seen.stream.frame_bytes == frames_sent * 110);
    }
}

TEST_CASE("each planted fault is counted as what it is") {
    Feed feed;
    FaultSpec fault;
    SECTION("dropped frames are missing") {
        fault.drop_every = 100;
        const Seen seen = run(feed, fault);
        CHECK(seen.stream.in_order == frames_sent - 100);
        CHECK(seen.stream.late + seen.stream.duplicate + seen.stream.corrupt == 0);
    }
    SECTION("duplicates") {
        fault.duplicate_every = 100;
        const Seen seen = run(feed, fault);
        CHECK(seen.stream.in_order == frames_sent);
        CHECK(seen.stream.duplicate == 100);
    }
    SECTION("reordered frames are late, not lost") {
        fault.reorder_every = 100;
        fault.reorder_depth = 5;
        const Seen seen = run(feed, fault);
        // The last frame of all is kept too, with none after it to overtake it.
        CHECK(seen.stream.late == 99);
        CHECK(seen.stream.in_order == frames_sent - 99);
        CHECK(seen.stream.duplicate == 0);
    }
    SECTION("corrupt frames") {
        fault.corrupt_every = 100;
        const Seen seen = run(feed, fault);
        CHECK(seen.stream.corrupt == 100);
        CHECK(seen.stream.in_order == frames_sent - 100);
    }
    SECTION("foreign frames with our port") {
        fault.foreign_every = 100;
        const Seen seen = run(feed, fault);
        CHECK(seen.total.foreign == 100);
        CHECK(seen.stream.in_order == frames_sent - 100);
        CHECK(seen.stream.corrupt == 0);
    }
    SECTION("all at once stay apart") {
        fault = {
            .drop_every = 97,
            .duplicate_every = 89,
            .reorder_every = 83,
            .reorder_depth = 3,
            .corrupt_every = 79,
            .foreign_every = 73};
        const Seen seen = run(feed, fault);
        const auto& s = seen.stream;
        CHECK(s.late > 80);
        CHECK(s.duplicate > 80);
        CHECK(s.corrupt > 80);
        CHECK(seen.total.foreign > 80);
        const std::uint64_t dropped = frames_sent / 97;
        // Frame 6497 is foreign and doubled: neither copy has a place in the sequence.
        CHECK(s.in_order + s.late + s.corrupt + seen.total.foreign - 1 + dropped == frames_sent);
    }
}

TEST_CASE("the sink's ticks have one cause each") {
    Feed feed;
    SinkLoop<fake::RxPort, fake::Clock, true> loop(
        {&feed.world}, {1'000'000, 1000}, sink_spec(), {fake::RxPort{&feed.world}}
    );
    const std::uint64_t start = feed.world.now;
    loop.run(feed.control);
    const counters::SinkCounts& t = loop.report().total;
    const std::uint64_t ticks =
        std::accumulate(t.cause_ticks.begin(), t.cause_ticks.end(), std::uint64_t{0});
    CHECK(ticks == feed.world.now - start - feed.world.ticks_per_read);
    CHECK(t.burst_received[0] == t.cause_turns[std::size_t(counters::SinkCause::polling)]);
    CHECK(t.receive_calls == t.cause_turns[0] + t.cause_turns[2]);
}

TEST_CASE("a sink whose turns are long sees a phase after the next of them") {
    Feed feed;
    SinkSpec spec = sink_spec();
    spec.slow_ticks = 100;
    SinkLoop<fake::RxPort, fake::Clock, true> loop(
        {&feed.world}, {1'000'000, 1'000'000, 1000}, spec, {fake::RxPort{&feed.world}}
    );
    const auto next = feed.world.on_receive;
    int polls = 0;
    feed.world.on_receive = [&] {
        next();
        ++polls;
        feed.control.phase = polls < 10 ? Phase::warmup : Phase::measure;
        if (polls == 12) {
            CHECK(loop.phase() == Phase::measure);
            feed.control.stop = true;
        }
    };
    loop.run(feed.control);
    CHECK(polls <= 13);
}

TEST_CASE("a stream that the plan does not know is foreign") {
    Feed feed;
    for (fake::Frame& f : feed.world.frames) {
        wire::write_stamp(f.data.data(), fake::run_id, wire::stamp_word(9, 2, 5), 0);
    }
    Classifier<true> classifier(sink_spec());
    NoAcks no_acks;
    counters::SinkCounts counts{};
    classifier.classify(feed.world.frames[0].data.data(), 60, counts, no_acks, 0);
    CHECK(counts.foreign == 1);
}

TEST_CASE("an unreadable stamp is one corrupt frame of the stream seen last") {
    Feed feed;
    Classifier<true> classifier(sink_spec());
    NoAcks no_acks;
    counters::SinkCounts counts{};
    fake::Frame& f = feed.world.frames[0];
    wire::write_stamp(f.data.data(), fake::run_id, wire::stamp_word(0, 2, 0), 0);
    classifier.classify(f.data.data(), f.length, counts, no_acks, 0);
    f.data[50] ^= std::byte{4};
    classifier.classify(f.data.data(), f.length, counts, no_acks, 0);
    CHECK(classifier.streams()[0].measured.in_order == 1);
    CHECK(classifier.streams()[0].measured.corrupt == 1);
}
