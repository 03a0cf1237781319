// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "trial/datapath.hpp"
#include "trial/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a run says while it runs. Formatting is pure; time comes from the caller.
namespace gensink::report {

/// What a core's time went to lately; shares sum to 1.
struct CoreShares {
    std::string name;  ///< "gen core 1"
    std::vector<std::pair<std::string_view, double>> shares;
};

/// A trial that has ended; rates over its measure phase.
struct TrialOutcome {
    std::string arm;
    std::vector<std::pair<std::string, std::string>> point;
    bool complete = false;
    bool valid = false;
    std::optional<double> offered_fps;
    std::optional<double> received_fps;
    std::optional<double> received_bps;  ///< of payload
    std::optional<std::int64_t> lost;    ///< frames; bytes of a TCP stream
};

[[nodiscard]] TrialOutcome
outcome_of(const trial::TrialResult& trial, std::vector<std::pair<std::string, std::string>> point);

/// Absent parts are left out.
struct ProgressState {
    unsigned trial = 0;  ///< from 1; 0: before the first
    unsigned trials = 0;
    std::string name;   ///< the profile's
    std::string round;  ///< "round 3"
    std::string arm;
    std::vector<std::pair<std::string, std::string>> point;
    counters::Phase phase = counters::Phase::settle;
    std::optional<Duration> left;  ///< until the whole run ends
    std::optional<TrialOutcome> last;

    // Since the last look; frames and bursts are absent for a TCP stream, which has none.
    std::optional<double> offered_fps;
    std::optional<double> received_fps;
    std::optional<double> offered_bps;  ///< of payload
    std::optional<double> received_bps;
    std::optional<double> burst_asked;  ///< mean frames a send call
    std::optional<double> burst_accepted;
    std::optional<double> burst_received;  ///< mean frames a receive call that moved some
    std::vector<CoreShares> cores;
    /// Of the trial: frames accepted and not received, under way or lost. Below 0 where copies
    /// came.
    std::optional<std::int64_t> unseen;
};

/// Fills what happened between two looks at one trial. `stream`: TCP. Where the sink is elsewhere,
/// or there is none, its parts stay absent; so does all where nothing was sent.
void add_counts(
    ProgressState& state,
    const trial::Snapshot& before,
    const trial::Snapshot& now,
    Duration between,
    bool stream
);

[[nodiscard]] std::string_view name(counters::Phase phase);

/// A line for a log: "trial 3/40, round 1: batched block_size 128 B | measure | offered 27.83 Mfps,
/// received 27.83 Mfps | 2 min 03 s left", without what does not fit in `width` columns: the point
/// goes first, then the rates, then the arm is cut. A trial that has not sent yet tells no phase.
[[nodiscard]] std::string progress_text(const ProgressState& state, std::size_t width);

/// Time left, when `done` of `total` equal parts took `elapsed`; absent before the first is done.
[[nodiscard]] std::optional<Duration> time_left(unsigned done, unsigned total, Duration elapsed);

/// A compact view for a terminal: a title with a bar, how the last trial ended, this one's rates,
/// bursts, and a line a core; no line is longer than `columns`, and at most `rows` are there.
[[nodiscard]] std::vector<std::string>
progress_lines(const ProgressState& state, std::size_t columns, std::size_t rows);

/// One JSON object, without a line end: what is known, by the names of ProgressState, with units.
[[nodiscard]] std::string progress_json(const ProgressState& state);

/// The same of a trial that has ended.
[[nodiscard]] std::string trial_json(const TrialOutcome& outcome);

struct TerminalSize {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

/// Of the terminal behind `fd`; absent when it is none.
[[nodiscard]] std::optional<TerminalSize> terminal_size(int fd);
/// Its columns.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int fd);

/// Writes progress to a descriptor: a view, rewritten in place, on a terminal; else a plain line
/// every few seconds. What cannot be written is dropped. One thread.
class ProgressView {
  public:
    using Clock = std::chrono::steady_clock;
    using SizeOf = std::function<std::optional<TerminalSize>(int fd)>;

    /// `size_of` is asked before each view is drawn, so that a terminal may change its size;
    /// absent: not a terminal.
    explicit ProgressView(int fd, SizeOf size_of = &terminal_size)
        : fd_(fd), size_of_(std::move(size_of)) {}

    ProgressView(const ProgressView&) = delete;
    ProgressView& operator=(const ProgressView&) = delete;
    ProgressView(ProgressView&&) = delete;
    ProgressView& operator=(ProgressView&&) = delete;

    ~ProgressView() { clear(); }

    void update(const ProgressState& state, Clock::time_point now);
    /// A whole line of its own, above the progress.
    void note(std::string_view text);
    /// Takes the view away, so that others may write.
    void clear();

  private:
    void draw(const ProgressState& state, TerminalSize size);
    /// What takes the shown view away on a terminal that is now so wide.
    [[nodiscard]] std::string wiped(std::size_t columns) const;
    void put(std::string_view text) const;

    int fd_;
    SizeOf size_of_;
    std::vector<std::string> shown_;
    std::optional<Clock::time_point> last_;
    unsigned last_trial_ = 0;
    counters::Phase last_phase_ = counters::Phase::settle;
};

}  // namespace gensink::report
