// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace gensink::app {
namespace {

std::string point_text(const plan::Cell& cell) {
    std::string text;
    for (const auto& [key, value] : cell.point) {
        text += (text.empty() ? "" : ", ") + key.substr(key.rfind('.') + 1) + " " + value;
    }
    return text;
}

std::string round_text(const trial::Request& request) {
    if (request.load_kind == trial::LoadKind::probe) {
        return "search";
    }
    if (request.round == 0) {
        return "before the rounds";
    }
    return fmt::format(
        "round {}{}",
        request.round,
        request.attempt > 0 ? fmt::format(" (repeat {})", request.attempt) : ""
    );
}

}  // namespace

Progress::Progress(const plan::Plan& plan)
    : plan_(plan), line_(STDERR_FILENO, report::terminal_columns(STDERR_FILENO)) {
    line_.note(fmt::format("{}: about {}", plan.name, report::duration(plan.duration())));
    state_.trial = 1;
    state_.trials = plan.trials();
}

void Progress::step(unsigned done, unsigned total) {
    const Clock::time_point now = Clock::now();
    state_ = {};
    state_.trial = std::min(done + 1, total);
    state_.trials = total;
    state_.left = done < total ? report::time_left(done, total, now - start_) : std::nullopt;
    last_ = {now, 0, 0};
    line_.update(state_, now);
}

void Progress::show(
    const trial::Request& request, counters::Phase phase, const trial::Snapshot& counts
) {
    Sample sample{Clock::now(), 0, 0};
    for (const auto& core : counts.gen) {
        sample.sent += core.total.frames_accepted;
    }
    for (const auto& core : counts.sink) {
        sample.received += core.total.frames;
    }
    const double elapsed = std::chrono::duration<double>(sample.when - last_.when).count();
    state_.round = round_text(request);
    state_.arm = request.arm;
    state_.point = point_text(plan_.cells[request.cell]);
    state_.phase = phase;
    const bool is_timed = !plan_.cells[request.cell].trial.model;  // else by another clock
    // At a phase's beginning nothing new is known; its counts come later.
    if (is_timed && elapsed > 0 && sample.sent > last_.sent && sample.received >= last_.received) {
        state_.offered_fps = static_cast<double>(sample.sent - last_.sent) / elapsed;
        if (!counts.sink.empty()) {
            state_.received_fps = static_cast<double>(sample.received - last_.received) / elapsed;
        }
    }
    last_ = sample;
    line_.update(state_, sample.when);
}

}  // namespace gensink::app
