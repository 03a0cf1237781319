// SPDX-License-Identifier: BSD-3-Clause
#include "engine/classifier.hpp"

#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "fakes.hpp"

using namespace gensink;
using namespace gensink::engine;

namespace {

/// What a sink tells of one flow, and after which frame it does so.
struct Told {
    std::uint64_t after = 0;
    std::uint64_t first_missing = 0;
    std::uint64_t frames = 0;
    std::uint64_t payload = 0;

    bool operator==(const Told&) const = default;
};

/// Answers as Acker does, into a list.
struct Listener {
    static constexpr bool answers = true;

    flow::AckRules rules;
    flow::Receiver receiver{};
    std::uint64_t frames = 0;
    std::vector<Told> told{};

    void arrived(const Arrival& frame, SequenceWindow& window, std::uint64_t now) {
        ++frames;
        const bool due = receiver.arrived(rules, frame.payload_bytes, now);
        if (due || frame.asks || frame.order != Order::in_order || !window.is_whole()) {
            if (frame.order == Order::duplicate || frame.order == Order::stale) {
                receiver.came_again(frame.payload_bytes);
            }
            receiver.told();
            told.push_back({frames, window.first_missing(), receiver.frames, receiver.payload});
        }
    }

    [[nodiscard]] std::uint32_t may_come(std::uint32_t, std::uint32_t payload) const {
        return receiver.may_come(rules, payload);
    }

    void came(std::uint32_t, std::uint32_t more, std::uint32_t payload, std::uint64_t now) {
        frames += more;
        receiver.came(more, payload, now);
    }
};

using Bytes = std::pair<std::array<std::byte, 2048>, std::uint32_t>;

/// A stream of one flow as a bad network leaves it: frames lost, doubled, overtaken, of two sizes,
/// corrupt, of two phases, some that ask.
std::vector<Bytes> stream(std::mt19937_64& random, bool loses) {
    std::vector<Bytes> out;
    std::uint16_t payload = 64;
    std::uint8_t marks = 1;
    for (std::uint64_t s = 0; s < 3000; ++s) {
        const auto one_of = [&](std::uint64_t n) {
            return random() % n == 0;
        };
        payload = one_of(150) ? static_cast<std::uint16_t>(18 + random() % 80) : payload;
        marks = one_of(700) ? 2 : marks;
        if (loses && one_of(120)) {
            continue;
        }
        wire::FrameFields fields = fake::stream_spec(1, {payload}).fields;
        fields.payload_bytes = payload;
        Bytes frame;
        frame.second = wire::frame_bytes_without_fcs(payload);
        wire::write_frame({frame.first.data(), frame.second}, fields);
        const auto asks = static_cast<std::uint8_t>(one_of(200) ? wire::answer_at_once : 0);
        wire::write_stamp(
            frame.first.data(),
            fake::run_id,
            wire::stamp_word(0, static_cast<std::uint8_t>(marks | asks), s),
            static_cast<std::uint32_t>(random())
        );
        if (loses && one_of(300)) {
            frame.first[random() % frame.second] ^= std::byte{16};
        }
        out.push_back(frame);
        if (one_of(200)) {
            out.push_back(frame);
        }
        if (one_of(200) && out.size() > 3) {
            std::swap(out.back(), out[out.size() - 3]);
        }
    }
    return out;
}

auto numbers(const counters::StreamCounts& c) {
    return std::tuple(
        c.in_order, c.late, c.duplicate, c.corrupt, c.stale, c.frame_bytes, c.payload_bytes
    );
}

/// Classifies all frames; `rows`: with runs, ended at random, else one by one. Returns how many
/// were taken by runs.
template <class A>
std::uint64_t classify(
    Classifier<true>& classifier,
    counters::SinkCounts& counts,
    A& acks,
    const std::vector<Bytes>& frames,
    bool rows
) {
    std::mt19937_64 random(5);
    std::uint64_t in_rows = 0;
    for (std::size_t i = 0; i < frames.size();) {
        classifier.classify(frames[i].first.data(), frames[i].second, counts, acks, 0);
        ++i;
        if (rows) {
            const auto most = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(frames.size() - i, random() % 100)
            );
            const std::uint32_t more = classifier.follow(most, [&](std::uint32_t k) {
                return std::pair(frames[i + k].first.data(), frames[i + k].second);
            });
            in_rows += more;
            i += more;
        }
        if (!rows || random() % 2 == 0) {
            classifier.end_run(counts, acks, 0);
        }
    }
    classifier.end_run(counts, acks, 0);
    return in_rows;
}

}  // namespace

TEST_CASE("runs count and answer as frame by frame") {
    std::mt19937_64 random(3);
    for (int round = 0; round < 40; ++round) {
        const bool loses = round % 2 == 0;  // then a hole stays, and all is answered at once
        const std::vector<Bytes> frames = stream(random, loses);
        flow::AckSpec rules;
        if (random() % 4 != 0) {
            rules.every_frames = static_cast<std::uint32_t>(1 + random() % 40);
        }
        if (random() % 3 == 0) {
            rules.above_bytes = random() % 2000;
        }
        // A closed loop's sink takes no corrupt frame for come; an open loop's does.
        const SinkSpec spec{fake::run_id, fake::port, 1, 1, 32, 0, random() % 2 == 0 ? 0U : 1000U};
        Classifier<true> singly(spec);
        Classifier<true> rowwise(spec);
        counters::SinkCounts single_counts{};
        counters::SinkCounts row_counts{};
        Listener single{flow::AckRules(rules, 1e9)};
        Listener row{flow::AckRules(rules, 1e9)};
        const std::uint64_t none = classify(singly, single_counts, single, frames, false);
        const std::uint64_t some = classify(rowwise, row_counts, row, frames, true);
        CHECK(none == 0);
        CHECK((some > 500 || loses || rules.every_frames.value_or(100) < 8 || rules.above_bytes));
        CHECK(single.told == row.told);
        CHECK(single.receiver.untold == row.receiver.untold);
        CHECK(single_counts.payload_bytes == row_counts.payload_bytes);
        const StreamSeen& a = singly.streams()[0];
        const StreamSeen& b = rowwise.streams()[0];
        CHECK(numbers(a.measured) == numbers(b.measured));
        CHECK(numbers(a.other) == numbers(b.other));
        CHECK(a.measured.in_order > 0);
    }
}
