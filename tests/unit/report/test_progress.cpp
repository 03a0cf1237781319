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
    state.point = {{"traffic.block_size", "128 B"}};
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

const ProgressView::Clock::time_point start{};

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
    CHECK(progress_text(state, 80) == "trial 1/2 | drain");
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

TEST_CASE("a terminal's view is rewritten in place, and taken away at the end") {
    Pipe pipe;
    {
        ProgressView view(pipe.in(), [](int) { return TerminalSize{61, 24}; });
        view.update(state_of(3), start);
        CHECK(
            pipe.read() == "[#-------------------] trial 3/40  2 min 03 s left\n"
                           "  batched, block_size 128 B | measure"
        );
        view.update(state_of(3), start + 10ms);
        view.update(state_of(3), start + 500ms);
        CHECK(pipe.read() == "");  // too soon; then nothing new
        view.note("a warning");
        CHECK(pipe.read() == "\r\x1b[1A\x1b[Ja warning\n");
        view.update(state_of(4), start + 501ms);
        CHECK(pipe.read() != "");
    }
    CHECK(pipe.read() == "\r\x1b[1A\x1b[J");
}

TEST_CASE("a terminal that became narrower has folded the view, and all of it is taken away") {
    Pipe pipe;
    TerminalSize size{60, 24};
    ProgressView view(pipe.in(), [&](int) { return size; });
    view.update(state_of(3), start);
    CHECK(pipe.read() != "");
    size.columns = 20;  // 50 and 37 columns become three rows and two
    view.update(state_of(4), start + 1s);
    const std::string text = pipe.read();
    CHECK(text.substr(0, 8) == "\r\x1b[4A\x1b[J");
    CHECK(columns(text.substr(8, text.find('\n') - 8)) <= 19);
}

TEST_CASE("the view has a line for rates, bursts and each core, within the terminal") {
    ProgressState state = state_of(3);
    state.name = "xmit-batching";
    state.offered_bps = 36.7e9;
    state.received_bps = 36.6e9;
    state.unseen = 312;
    state.burst_asked = 32;
    state.burst_accepted = 31.5;
    state.burst_received = 34.7;
    state.cores = {
        {"gen core 1", {{"sending", 0.93}, {"ring_full", 0.07}, {"window", 0.0}}},
        {"sink core 2", {{"receiving", 1.0}}}};
    const std::vector<std::string> lines = progress_lines(state, 120, 24);
    REQUIRE(lines.size() == 6);
    CHECK(lines[0] == "xmit-batching  [#-------------------] trial 3/40  2 min 03 s left");
    CHECK(
        lines[2] == "  offered 27.83 Mfps 36.70 Gbit/s payload | received 27.82 Mfps 36.60 Gbit/s "
                    "payload"
    );
    CHECK(
        lines[3] ==
        "  burst asked 32.0, accepted 31.5, received 34.7 | 312 frames under way or lost"
    );
    state.last = TrialOutcome{"plain", {}, true, false, 1e6, 9e5, 8e8, 12};
    CHECK(
        progress_lines(state, 120, 24)[1] ==
        "  last: plain, INVALID | lost 12 | offered 1.000 Mfps | received 900.0 kfps 800.0 Mbit/s "
        "payload"
    );
    CHECK(lines[4] == "  gen core 1:  sending 93 %  ring full 7 %");
    CHECK(progress_lines(state, 120, 4).size() == 3);
    for (const std::string& line : progress_lines(state, 15, 24)) {
        CHECK(columns(line) <= 15);
    }
}

namespace {

trial::Snapshot snapshot_of(std::uint64_t sent, std::uint64_t got) {
    trial::Snapshot counts;
    counts.gen.resize(1);
    counts.gen[0].lcore = LcoreId{1};
    counters::TxCounts& tx = counts.gen[0].total;
    tx.frames_accepted = sent;
    tx.frames_asked = sent * 2;
    tx.payload_bytes = sent * 100;
    tx.send_calls = sent / 10;
    tx.cause_ticks = {sent * 3, sent, 0, 0, 0};
    counts.sink.resize(1);
    counts.sink[0].lcore = LcoreId{2};
    counters::SinkCounts& rx = counts.sink[0].total;
    rx.frames = got;
    rx.payload_bytes = got * 100;
    rx.burst_received.at(0) = 1000;
    rx.burst_received.at(5) = got / 5;
    rx.cause_ticks = {got, 0, got};
    return counts;
}

}  // namespace

TEST_CASE("rates, bursts and shares are those between two looks") {
    ProgressState state;
    add_counts(state, snapshot_of(1000, 1000), snapshot_of(3000, 2000), 500ms, false);
    CHECK(*state.offered_fps == Approx(4000));
    CHECK(*state.received_fps == Approx(2000));
    CHECK(*state.offered_bps == Approx(2000 * 100 * 8 * 2));
    CHECK(*state.burst_asked == Approx(20));
    CHECK(*state.burst_accepted == Approx(10));
    CHECK(*state.burst_received == Approx(5));
    CHECK(*state.unseen == 1000);
    REQUIRE(state.cores.size() == 2);
    CHECK(state.cores[0].name == "gen core 1");
    CHECK(state.cores[0].shares[0].second == Approx(0.75));
    CHECK(state.cores[1].shares[2].second == Approx(0.5));
}

TEST_CASE("a TCP stream has bits, no frames") {
    ProgressState state;
    add_counts(state, snapshot_of(1000, 1000), snapshot_of(3000, 2000), 500ms, true);
    CHECK_FALSE(state.offered_fps);
    CHECK_FALSE(state.burst_accepted);
    CHECK_FALSE(state.unseen);
    CHECK(*state.received_bps == Approx(1000 * 100 * 8 * 2));
    CHECK(
        progress_text(state, 80) ==
        "starting | offered 3.200 Mbit/s payload, received 1.600 Mbit/s payload"
    );
}

TEST_CASE("no sink, nothing sent, or another trial's counts tell no rates") {
    ProgressState alone;
    trial::Snapshot before = snapshot_of(1000, 0);
    trial::Snapshot after = snapshot_of(2000, 0);
    before.sink.clear();
    after.sink.clear();
    add_counts(alone, before, after, 1s, false);
    CHECK(*alone.offered_fps == Approx(1000));
    CHECK_FALSE(alone.received_fps);
    CHECK_FALSE(alone.unseen);
    ProgressState idle;
    add_counts(idle, snapshot_of(1000, 1000), snapshot_of(1000, 1000), 1s, false);
    CHECK_FALSE(idle.offered_fps);
    ProgressState another;
    add_counts(another, snapshot_of(2000, 2000), snapshot_of(100, 100), 1s, false);
    CHECK_FALSE(another.offered_fps);
}

TEST_CASE("the JSON line has what is known, and null for what is not") {
    ProgressState state = state_of(3);
    state.received_fps.reset();
    state.cores = {{"gen core 1", {{"sending", 0.5}, {"pacing", 0.5}}}};
    CHECK(
        progress_json(state) ==
        R"({"type":"progress","trial":3,"trials":40,"round":"","arm":"batched",)"
        R"("point":{"traffic.block_size":"128 B"},"phase":"measure","offered_fps":27830000.0,)"
        R"("received_fps":null,"offered_payload_bps":null,"received_payload_bps":null,)"
        R"("frames_under_way_or_lost":null,"burst_asked":null,"burst_accepted":null,)"
        R"("burst_received":null,"cores":{"gen core 1":{"sending":0.5,"pacing":0.5}},)"
        R"("left_s":123.0,"last_trial":null})"
    );
}

TEST_CASE("a new phase shows at once on a terminal, and a log hears of measure phases alone") {
    ProgressState settling = state_of(3);
    settling.phase = counters::Phase::settle;
    Pipe terminal;
    {
        ProgressView view(terminal.in(), [](int) { return TerminalSize{61, 24}; });
        view.update(settling, start);
        CHECK(terminal.read() != "");
        view.update(state_of(3), start + 1ms);
        CHECK(terminal.read() != "");
    }
    Pipe log;
    ProgressView view(log.in());
    view.update(settling, start);
    CHECK(log.read() == "");
    view.update(state_of(3), start + 1ms);
    CHECK(log.read() == progress_text(state_of(3), 200) + "\n");
}

TEST_CASE("a log gets a plain line every few seconds, however many trials begin") {
    Pipe pipe;
    {
        ProgressView view(pipe.in());
        view.update(state_of(3), start);
        CHECK(pipe.read() == progress_text(state_of(3), 200) + "\n");
        view.update(state_of(3), start + 4s);
        CHECK(pipe.read() == "");
        view.update(state_of(4), start + 4s);
        CHECK(pipe.read() == "");
        view.update(state_of(4), start + 9s);
        CHECK(pipe.read() == progress_text(state_of(4), 200) + "\n");
    }
    CHECK(pipe.read() == "");
}
