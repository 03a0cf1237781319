// SPDX-License-Identifier: BSD-3-Clause
#include "flow/pacer.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"

using namespace gensink::flow;

namespace {

constexpr double hz = 2.1e9;

/// Frames sent by a pacer that is asked every `step` ticks until `end`, everything accepted.
std::uint64_t run(RatePacer& pacer, std::uint64_t end, std::uint64_t step) {
    std::uint64_t frames = 0;
    pacer.start(0, 0);
    for (std::uint64_t now = 0; now < end; now += step) {
        const std::uint32_t due = pacer.due(now);
        pacer.commit(due);
        frames += due;
    }
    return frames;
}

}  // namespace

// 64 B at 10 Gbit/s is 14,880,952.38 fps; whole ticks at 2.1 GHz would send 0.085 % too fast.
TEST_CASE("the fraction keeps 10 Gbit/s of 64-byte frames exact") {
    const double fps = 10e9 / (84 * 8);
    PacerSpec spec = share(hz, fps, 1, 0);
    spec.burst = 32;
    spec.fill = Fill::due;
    RatePacer pacer(spec);
    const auto frames = static_cast<double>(run(pacer, 2'100'000'000, 1000));
    CHECK(std::abs(frames / fps - 1) < 1e-5);
}

TEST_CASE("a 10-minute interval drifts by less than a frame") {
    const double fps = 10e9 / (84 * 8);
    const FineTicks interval = fine_ticks(hz, fps);
    const double exact = hz / fps;
    const double kept =
        static_cast<double>(interval.ticks) + static_cast<double>(interval.fraction) / 4294967296.0;
    CHECK(std::abs(kept - exact) * fps * 600 < exact);
}

TEST_CASE("shares of any number of queues sum to the rate exactly") {
    for (const unsigned queues : {1U, 2U, 3U, 7U, 16U}) {
        std::uint64_t frames = 0;
        for (unsigned q = 0; q < queues; ++q) {
            PacerSpec spec = share(hz, 1'000'003, queues, q);
            spec.burst = 1;
            RatePacer pacer(spec);
            frames += run(pacer, 2'100'000'000, 500);
        }
        // Frame k of all is due at k/fps: in a second, frames 0 to fps-1; the last ask is 500 ticks
        // early.
        CHECK(frames <= 1'000'003);
        CHECK(frames >= 1'000'003 - queues);
    }
}

TEST_CASE("fill full waits for a whole burst, fill due does not") {
    PacerSpec spec = share(1000, 10, 1, 0);  // a frame every 100 ticks
    spec.burst = 4;
    RatePacer full(spec);
    full.start(0, 0);
    CHECK(full.due(0) == 0);
    CHECK(full.due(299) == 0);
    CHECK(full.due(300) == 4);
    spec.fill = Fill::due;
    RatePacer due(spec);
    due.start(0, 0);
    CHECK(due.due(0) == 1);
    due.commit(1);
    CHECK(due.due(99) == 0);
    CHECK(due.due(100) == 1);
}

TEST_CASE("flush_after sends a burst that does not fill in time") {
    PacerSpec spec = share(1000, 10, 1, 0);
    spec.burst = 32;
    spec.flush_after_ticks = 250;
    RatePacer pacer(spec);
    pacer.start(0, 0);
    CHECK(pacer.due(249) == 0);
    CHECK(pacer.due(250) == 3);
    pacer.commit(3);
    CHECK(pacer.due(260) == 0);
    CHECK(pacer.due(549) == 0);
    CHECK(pacer.due(550) == 3);
}

TEST_CASE("the next event is the flush where it comes before the next departure") {
    PacerSpec spec = share(1000, 10, 1, 0);  // a frame every 100 ticks
    spec.burst = 32;
    spec.flush_after_ticks = 30;
    RatePacer pacer(spec);
    pacer.start(0, 0);
    CHECK(pacer.due(0) == 0);
    CHECK(pacer.next(0) == 30);
    CHECK(pacer.due(30) == 1);
    pacer.commit(1);
    CHECK(pacer.next(30) == 100);
}

TEST_CASE("refused frames stay owed") {
    PacerSpec spec = share(1000, 10, 1, 0);
    spec.burst = 4;
    RatePacer pacer(spec);
    pacer.start(0, 0);
    REQUIRE(pacer.due(300) == 4);
    pacer.commit(1);
    CHECK(pacer.due(301) == 0);
    CHECK(pacer.due(400) == 4);
}

TEST_CASE("after a stall, catch_up sends all that is owed and skip forgets and counts") {
    PacerSpec spec = share(1000, 10, 1, 0);
    spec.burst = 1;
    RatePacer catches_up(spec);
    catches_up.start(0, 0);
    std::uint64_t frames = 0;
    for (std::uint64_t now = 10'000; catches_up.due(now) != 0; ++now) {
        catches_up.commit(1);
        ++frames;
    }
    CHECK(frames == 102);  // due at 0, 100, ... 10100
    CHECK(catches_up.skipped() == 0);

    spec.behind = Behind::skip;
    RatePacer skips(spec);
    skips.start(0, 0);
    REQUIRE(skips.due(10'000) == 1);
    skips.commit(1);
    CHECK(skips.due(10'001) == 0);
    CHECK(skips.skipped() == 100);
    CHECK(skips.due(10'100) == 1);
}

TEST_CASE("a new start forgets what was owed, but for frames that are held") {
    PacerSpec spec = share(1000, 10, 1, 0);
    spec.burst = 4;
    RatePacer pacer(spec);
    pacer.start(0, 0);
    REQUIRE(pacer.due(10'000) == 4);
    pacer.start(10'000, 1);
    CHECK(pacer.due(10'199) == 0);
    CHECK(pacer.due(10'200) == 4);  // the held one, and those due at 10000, 10100 and 10200
    pacer.commit(4);
    CHECK(pacer.due(10'599) == 0);
    CHECK(pacer.due(10'600) == 4);
}

TEST_CASE("an unpaced queue is always due") {
    PacerSpec spec;
    spec.burst = 32;
    MaxPacer pacer(spec);
    CHECK(pacer.due(0) == 32);
}
