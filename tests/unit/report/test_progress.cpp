// SPDX-License-Identifier: BSD-3-Clause
#include "report/format.hpp"
#include "report/progress.hpp"

#include <array>
#include <unistd.h>

#include "catch.hpp"

using namespace gensink;
using namespace gensink::report;
using namespace std::chrono_literals;

namespace {

ProgressState state_of(unsigned trial) {
    ProgressState state;
    state.trial = trial;
    state.trials = 40;
    state.arm = "batched";
    state.point = "block_size 128 B";
    state.phase = counters::Phase::measure;
    state.offered_fps = 27.83e6;
    state.received_fps = 27.82e6;
    state.left = Duration{123s};
    return state;
}

/// The read end says what was written.
class Pipe {
  public:
    Pipe() { REQUIRE(::pipe(ends_.data()) == 0); }

    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    ~Pipe() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    [[nodiscard]] int in() const { return ends_[1]; }

    /// All that was written so far.
    std::string read() {
        REQUIRE(::write(ends_[1], "$", 1) == 1);
        std::array<char, 4096> buffer{};
        const ::ssize_t got = ::read(ends_[0], buffer.data(), buffer.size());
        REQUIRE(got > 0);
        return {buffer.data(), static_cast<std::size_t>(got) - 1};
    }

  private:
    std::array<int, 2> ends_{};
};

const ProgressLine::Clock::time_point start{};

}  // namespace

TEST_CASE("progress names trial, arm, point, phase, rates and time left") {
    CHECK(
        progress_text(state_of(3), 120) ==
        "trial 3/40 batched block_size 128 B | measure | offered 27.83 Mfps, received 27.82 Mfps "
        "| 2 min 03 s left"
    );
}

TEST_CASE("progress leaves out what it does not know") {
    ProgressState state;
    state.trial = 1;
    state.trials = 2;
    state.phase = counters::Phase::drain;
    state.lost = 3;
    CHECK(progress_text(state, 80) == "trial 1/2 | drain | lost 3");
    CHECK(progress_text(ProgressState{}, 80) == "starting");
}

TEST_CASE("progress names the round, and no phase before anything is sent") {
    ProgressState state = state_of(3);
    state.round = "round 1";
    state.phase = counters::Phase::settle;
    state.offered_fps.reset();
    state.received_fps.reset();
    CHECK(
        progress_text(state, 120) ==
        "trial 3/40, round 1: batched block_size 128 B | 2 min 03 s left"
    );
}

TEST_CASE("progress fits any width") {
    CHECK(
        progress_text(state_of(3), 90) ==
        "trial 3/40 batched | measure | offered 27.83 Mfps, received 27.82 Mfps | 2 min 03 s left"
    );
    CHECK(progress_text(state_of(3), 60) == "trial 3/40 batched | measure | 2 min 03 s left");
    CHECK(progress_text(state_of(3), 16) == "trial 3/40 ba...");
    for (std::size_t width = 1; width < 130; ++width) {
        CHECK(columns(progress_text(state_of(3), width)) <= width);
    }
}

TEST_CASE("time left follows from the trials done") {
    CHECK(time_left(10, 40, Duration{20s}) == Duration{60s});
    CHECK(time_left(40, 40, Duration{20s}) == Duration{0});
    CHECK_FALSE(time_left(0, 40, Duration{1s}));
}

TEST_CASE("a pipe is no terminal") {
    const Pipe pipe;
    CHECK_FALSE(terminal_columns(pipe.in()));
}

TEST_CASE("a terminal's line is rewritten in place, and taken away at the end") {
    Pipe pipe;
    {
        ProgressLine line(pipe.in(), 61);
        line.update(state_of(3), start);
        CHECK(pipe.read() == "\rtrial 3/40 batched | measure | 2 min 03 s left\x1b[K");
        line.update(state_of(3), start + 10ms);
        line.update(state_of(3), start + 500ms);
        CHECK(pipe.read() == "");  // too soon; then nothing new
        line.note("a warning");
        CHECK(pipe.read() == "\r\x1b[Ka warning\n");
        line.update(state_of(4), start + 501ms);
        CHECK(pipe.read() == "\rtrial 4/40 batched | measure | 2 min 03 s left\x1b[K");
    }
    CHECK(pipe.read() == "\r\x1b[K");
}

TEST_CASE("a new phase shows at once on a terminal, and a log hears of measure phases alone") {
    ProgressState settling = state_of(3);
    settling.phase = counters::Phase::settle;
    Pipe terminal;
    {
        ProgressLine line(terminal.in(), 61);
        line.update(settling, start);
        CHECK(terminal.read() != "");
        line.update(state_of(3), start + 1ms);
        CHECK(terminal.read() != "");
    }
    Pipe log;
    ProgressLine line(log.in(), std::nullopt);
    line.update(settling, start);
    CHECK(log.read() == "");
    line.update(state_of(3), start + 1ms);
    CHECK(log.read() == progress_text(state_of(3), 200) + "\n");
}

TEST_CASE("a log gets a plain line every few seconds, however many trials begin") {
    Pipe pipe;
    {
        ProgressLine line(pipe.in(), std::nullopt);
        line.update(state_of(3), start);
        CHECK(pipe.read() == progress_text(state_of(3), 200) + "\n");
        line.update(state_of(3), start + 4s);
        CHECK(pipe.read() == "");
        line.update(state_of(4), start + 4s);
        CHECK(pipe.read() == "");
        line.update(state_of(4), start + 9s);
        CHECK(pipe.read() == progress_text(state_of(4), 200) + "\n");
    }
    CHECK(pipe.read() == "");
}
