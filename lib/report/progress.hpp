// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "trial/datapath.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What a run says while it runs. Formatting is pure; time comes from the caller.
namespace gensink::report {

/// Absent parts are left out of the line.
struct ProgressState {
    unsigned trial = 0;  ///< from 1; 0: before the first
    unsigned trials = 0;
    std::string round;  ///< "round 3"
    std::string arm;
    std::string point;  ///< "block_size 128 B"
    counters::Phase phase = counters::Phase::settle;
    std::optional<double> offered_fps;
    std::optional<double> received_fps;
    std::optional<std::int64_t> lost;  ///< known only once the trial has drained
    std::optional<Duration> left;      ///< until the whole run ends
};

[[nodiscard]] std::string_view name(counters::Phase phase);

/// "trial 3/40, round 1: batched block_size 128 B | measure | offered 27.83 Mfps, received 27.83
/// Mfps | 2 min 03 s left", without what does not fit in `width` columns: the point goes first,
/// then the rates, then the arm is cut. A trial that has not sent yet tells no phase.
[[nodiscard]] std::string progress_text(const ProgressState& state, std::size_t width);

/// Time left, when `done` of `total` equal parts took `elapsed`; absent before the first is done.
[[nodiscard]] std::optional<Duration> time_left(unsigned done, unsigned total, Duration elapsed);

/// Columns of the terminal behind `fd`; absent when it is none.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int fd);

/// Writes progress to a descriptor: one line, rewritten, on a terminal; else a plain line every few
/// seconds. What cannot be written is dropped. One thread.
class ProgressLine {
  public:
    using Clock = std::chrono::steady_clock;

    /// `width` absent: not a terminal.
    ProgressLine(int fd, std::optional<std::size_t> width) : fd_(fd), width_(width) {}

    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ProgressLine(ProgressLine&&) = delete;
    ProgressLine& operator=(ProgressLine&&) = delete;

    ~ProgressLine() { clear(); }

    void update(const ProgressState& state, Clock::time_point now);
    /// A whole line of its own, above the progress.
    void note(std::string_view text);
    /// Takes the line away, so that others may write.
    void clear();

  private:
    void put(std::string_view text) const;

    int fd_;
    std::optional<std::size_t> width_;
    std::string shown_;
    std::optional<Clock::time_point> last_;
    counters::Phase last_phase_ = counters::Phase::settle;
    unsigned last_trial_ = 0;
};

}  // namespace gensink::report
