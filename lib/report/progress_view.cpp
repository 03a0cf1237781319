// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/names.hpp"
#include "report/detail/selection.hpp"
#include "report/format.hpp"
#include "report/progress.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace gensink::report {

namespace {

/// "[########----------]"
[[nodiscard]] std::string bar_text(unsigned done, unsigned total) {
    constexpr std::size_t width = 20;
    const std::size_t full = total > 0 ? std::min<std::size_t>(width, width * done / total) : 0;
    return "[" + std::string(full, '#') + std::string(width - full, '-') + "]";
}

[[nodiscard]] std::string
rate_text(const char* end, std::optional<double> frames, std::optional<double> bits) {
    std::string text = end;
    if (frames) {
        text += " " + fps(frames);
    }
    return text + (bits ? " " + bits_per_second(bits) + " payload" : "");
}

[[nodiscard]] std::string rates_line(const ProgressState& state) {
    std::vector<std::string> parts;
    if (state.offered_bps) {
        parts.push_back(rate_text("offered", state.offered_fps, state.offered_bps));
    }
    if (state.received_bps) {
        parts.push_back(rate_text("received", state.received_fps, state.received_bps));
    }
    return join(parts, " | ");
}

[[nodiscard]] std::string bursts_line(const ProgressState& state) {
    std::vector<std::string> parts;
    if (state.burst_asked && state.burst_accepted) {
        parts.push_back(fmt::format(
            "burst asked {}, accepted {}", number(state.burst_asked), number(state.burst_accepted)
        ));
    }
    if (state.burst_received) {
        parts.push_back("received " + number(state.burst_received));
    }
    std::string text = join(parts, ", ");
    if (state.unseen) {
        text +=
            (text.empty() ? "" : " | ") + signed_count(*state.unseen) + " frames under way or lost";
    }
    return text;
}

[[nodiscard]] std::string last_line(const TrialOutcome& last) {
    const std::string point = detail::point_text(last.point);
    const std::string state = !last.complete ? ", not complete" : last.valid ? "" : ", INVALID";
    std::string text =
        fmt::format("last: {}{}{}{}", last.arm, point.empty() ? "" : ", ", point, state);
    text += last.lost ? " | lost " + signed_count(*last.lost) : "";
    if (last.offered_fps) {
        text += " | offered " + fps(last.offered_fps);
    }
    if (last.received_fps) {
        text += " | " + rate_text("received", last.received_fps, last.received_bps);
    }
    return text;
}

[[nodiscard]] std::string core_line(const CoreShares& core) {
    std::string text = core.name + ":";
    for (const auto& [cause, share] : core.shares) {
        if (share > 0) {
            std::string words(cause);
            std::ranges::replace(words, '_', ' ');
            text += fmt::format("  {} {:.0f} %", words, share * 100);
        }
    }
    return text;
}

/// The profile, how far it is, and how long it will take.
[[nodiscard]] std::string title_line(const ProgressState& state) {
    std::vector<std::string> title;
    if (!state.name.empty()) {
        title.push_back(state.name);
    }
    if (state.trial == 0) {
        title.emplace_back("starting");
    } else {
        title.push_back(fmt::format(
            "{} trial {}/{}", bar_text(state.trial - 1, state.trials), state.trial, state.trials
        ));
    }
    if (!state.round.empty()) {
        title.push_back(state.round);
    }
    if (state.left) {
        title.push_back(duration(*state.left) + " left");
    }
    return join(title, "  ");
}

}  // namespace

std::vector<std::string>
progress_lines(const ProgressState& state, std::size_t columns, std::size_t rows) {
    std::vector<std::string> lines{title_line(state)};
    const std::string point = detail::point_text(state.point);
    const auto add = [&](const std::string& text) {
        if (!text.empty()) {
            lines.push_back("  " + text);
        }
    };
    if (state.last) {
        add(last_line(*state.last));
    }
    if (!state.arm.empty()) {
        const bool sends = state.phase != counters::Phase::settle;
        add(state.arm + (point.empty() ? "" : ", " + point) +
            (sends ? " | " + std::string(name(state.phase)) : ""));
    }
    add(rates_line(state));
    add(bursts_line(state));
    for (const CoreShares& core : state.cores) {
        add(core_line(core));
    }
    if (lines.size() > std::max<std::size_t>(rows, 2) - 1) {
        lines.resize(std::max<std::size_t>(rows, 2) - 1);
    }
    for (std::string& line : lines) {
        line = shorten(line, columns);
    }
    return lines;
}

}  // namespace gensink::report
