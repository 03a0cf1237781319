// SPDX-License-Identifier: BSD-3-Clause
#include "report/progress.hpp"

#include "report/detail/selection.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gensink::report {

namespace {

/// A terminal is rewritten at most this often; a log gets a line this often.
constexpr std::chrono::milliseconds terminal_pause{100};
constexpr std::chrono::seconds plain_pause{5};

/// What a log line may take.
constexpr std::size_t plain_width = 200;

[[nodiscard]] std::string rates_text(const ProgressState& state) {
    std::vector<std::string> parts;
    const auto add = [&](const char* end, std::optional<double> frames, std::optional<double> bits
                     ) {
        if (frames) {
            parts.push_back(end + fps(frames));
        } else if (bits) {
            parts.push_back(fmt::format("{}{} payload", end, bits_per_second(bits)));
        }
    };
    add("offered ", state.offered_fps, state.offered_bps);
    add("received ", state.received_fps, state.received_bps);
    return join(parts, ", ");
}

[[nodiscard]] std::string joined(
    const std::string& who,
    const std::string& phase,
    const std::string& rates,
    const std::string& left
) {
    std::string text = who;
    for (const std::string* part : {&phase, &rates, &left}) {
        if (!part->empty()) {
            text.append(" | ").append(*part);
        }
    }
    return text;
}

}  // namespace

std::string_view name(counters::Phase phase) {
    switch (phase) {
    case counters::Phase::settle:
        return "settle";
    case counters::Phase::warmup:
        return "warm-up";
    case counters::Phase::measure:
        return "measure";
    default:
        return "drain";
    }
}

std::string progress_text(const ProgressState& state, std::size_t width) {
    std::string who = state.trial == 0 ? std::string("starting")
                                       : fmt::format("trial {}/{}", state.trial, state.trials);
    if (!state.round.empty()) {
        who += ", " + state.round;
    }
    if (!state.arm.empty()) {
        who += (state.round.empty() ? " " : ": ") + state.arm;
    }
    const bool sends = state.trial != 0 && state.phase != counters::Phase::settle;
    const std::string phase(sends ? name(state.phase) : std::string_view());
    const std::string rates = rates_text(state);
    const std::string left = state.left ? duration(*state.left) + " left" : std::string();
    const std::string full =
        state.point.empty() ? who : who + " " + detail::point_text(state.point);
    for (const std::string& text :
         {joined(full, phase, rates, left),
          joined(who, phase, rates, left),
          joined(who, phase, "", left)}) {
        if (columns(text) <= width) {
            return text;
        }
    }
    return shorten(joined(who, phase, "", ""), width);
}

std::optional<Duration> time_left(unsigned done, unsigned total, Duration elapsed) {
    if (done == 0 || total < done) {
        return std::nullopt;
    }
    const double each_ns = static_cast<double>(elapsed.count()) / done;
    return Duration(static_cast<Duration::rep>(each_ns * (total - done)));
}

std::optional<TerminalSize> terminal_size(int fd) {
    if (::isatty(fd) != 1) {
        return std::nullopt;
    }
    winsize size{};
    TerminalSize told;
    // A terminal that does not tell its size (a serial line) has 80 by 24 by custom.
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0) {
        told.columns = size.ws_col > 0 ? size.ws_col : told.columns;
        told.rows = size.ws_row > 0 ? size.ws_row : told.rows;
    }
    return told;
}

std::optional<std::size_t> terminal_columns(int fd) {
    const auto size = terminal_size(fd);
    return size ? std::optional(size->columns) : std::nullopt;
}

void ProgressView::update(const ProgressState& state, Clock::time_point now) {
    const std::optional<TerminalSize> size = size_of_(fd_);
    // A new trial or phase shows at once on a terminal; a log would get a hundred lines of quick
    // trials, and gets what a measure phase has to tell.
    const bool fresh = size && (state.trial != last_trial_ || state.phase != last_phase_);
    const auto pause = size ? Clock::duration(terminal_pause) : Clock::duration(plain_pause);
    if (last_ && !fresh && now - *last_ < pause) {
        return;
    }
    if (!size && state.trial != 0 && state.phase != counters::Phase::measure) {
        return;
    }
    last_ = now;
    last_trial_ = state.trial;
    last_phase_ = state.phase;
    if (size) {
        draw(state, *size);
    } else {
        put(progress_text(state, plain_width) + "\n");
    }
}

void ProgressView::draw(const ProgressState& state, TerminalSize size) {
    // The last column stays free: some terminals wrap as soon as it is written.
    const std::size_t width = size.columns > 1 ? size.columns - 1 : 1;
    std::vector<std::string> lines = progress_lines(state, width, size.rows);
    if (lines != shown_) {
        put(wiped(size.columns) + join(lines, "\n"));
        shown_ = std::move(lines);
    }
}

std::string ProgressView::wiped(std::size_t columns) const {
    if (shown_.empty()) {
        return {};
    }
    // A terminal that became narrower has folded what it shows.
    std::size_t rows = 0;
    for (const std::string& line : shown_) {
        rows += std::max<std::size_t>(1, (report::columns(line) + columns - 1) / columns);
    }
    return (rows > 1 ? fmt::format("\r\x1b[{}A", rows - 1) : "\r") + "\x1b[J";
}

void ProgressView::note(std::string_view text) {
    clear();
    put(std::string(text) + "\n");
}

void ProgressView::clear() {
    if (!shown_.empty()) {
        put(wiped(size_of_(fd_).value_or(TerminalSize{}).columns));
        shown_.clear();
    }
}

void ProgressView::put(std::string_view text) const {
    while (!text.empty()) {
        const ::ssize_t wrote = ::write(fd_, text.data(), text.size());
        if (wrote < 0 && errno != EINTR) {
            return;
        }
        text.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
    }
}

}  // namespace gensink::report
