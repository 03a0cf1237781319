// SPDX-License-Identifier: BSD-3-Clause
#include "report/progress.hpp"

#include "report/format.hpp"

#include <fmt/format.h>

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
    std::string text;
    const auto add = [&](const std::string& part) {
        text.append(text.empty() ? "" : ", ").append(part);
    };
    if (state.offered_fps) {
        add("offered " + fps(state.offered_fps));
    }
    if (state.received_fps) {
        add("received " + fps(state.received_fps));
    }
    if (state.lost) {
        add("lost " + signed_count(*state.lost));
    }
    return text;
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
    const std::string full = state.point.empty() ? who : who + " " + state.point;
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

std::optional<std::size_t> terminal_columns(int fd) {
    if (::isatty(fd) != 1) {
        return std::nullopt;
    }
    winsize size{};
    // A terminal that does not tell its size (a serial line) has 80 columns by custom.
    const bool told = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return told ? size.ws_col : std::size_t{80};
}

void ProgressLine::update(const ProgressState& state, Clock::time_point now) {
    // A new trial or phase shows at once on a terminal; a log would get a hundred lines of quick
    // trials, and gets what a measure phase has to tell.
    const bool fresh = width_ && (state.trial != last_trial_ || state.phase != last_phase_);
    const auto pause = width_ ? Clock::duration(terminal_pause) : Clock::duration(plain_pause);
    if (last_ && !fresh && now - *last_ < pause) {
        return;
    }
    if (!width_ && state.trial != 0 && state.phase != counters::Phase::measure) {
        return;
    }
    last_ = now;
    last_trial_ = state.trial;
    last_phase_ = state.phase;
    if (!width_) {
        put(progress_text(state, plain_width) + "\n");
        return;
    }
    // The last column stays free: some terminals wrap as soon as it is written.
    const std::string text = progress_text(state, *width_ > 1 ? *width_ - 1 : 1);
    if (text != shown_) {
        put("\r" + text + "\x1b[K");
        shown_ = text;
    }
}

void ProgressLine::note(std::string_view text) {
    clear();
    put(std::string(text) + "\n");
}

void ProgressLine::clear() {
    if (!shown_.empty()) {
        put("\r\x1b[K");
        shown_.clear();
    }
}

void ProgressLine::put(std::string_view text) const {
    while (!text.empty()) {
        const ::ssize_t wrote = ::write(fd_, text.data(), text.size());
        if (wrote < 0 && errno != EINTR) {
            return;
        }
        text.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
    }
}

}  // namespace gensink::report
