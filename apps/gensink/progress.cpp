// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace gensink::app {
namespace {

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

Progress::Progress(const plan::Plan& plan, bool json_stream, const exporter::Exporter* exporter)
    : plan_(plan), json_stream_(json_stream), exporter_(exporter), view_(STDERR_FILENO) {
    view_.note(fmt::format("{}: about {}", plan.name, report::duration(plan.duration())));
    state_.trial = 1;
    state_.trials = plan.trials();
}

void Progress::step(unsigned done, unsigned total) {
    const Clock::time_point now = Clock::now();
    report::ProgressState state;
    state.last = std::move(state_.last);
    state_ = std::move(state);
    state_.name = plan_.name;
    state_.trial = std::min(done + 1, total);
    state_.trials = total;
    state_.left = done < total ? report::time_left(done, total, now - start_) : std::nullopt;
    last_ = {};
    last_show_ = now;
    view_.update(state_, now);
}

void Progress::done(const trial::TrialResult& trial) {
    state_.last = report::outcome_of(trial, plan_.cells[trial.cell].point);
    if (exporter_ != nullptr) {
        exporter_->ended(report::trial_json(*state_.last));
    }
}

void Progress::show(
    const trial::Request& request, counters::Phase phase, const trial::Snapshot& counts
) {
    const plan::Cell& cell = plan_.cells[request.cell];
    const Clock::time_point now = Clock::now();
    report::ProgressState state;
    state.name = plan_.name;
    state.trial = state_.trial;
    state.trials = state_.trials;
    state.left = state_.left;
    state.last = std::move(state_.last);
    state.round = round_text(request);
    state.arm = request.arm;
    state.point = cell.point;
    state.phase = phase;
    if (!cell.trial.model) {  // else by another clock
        report::add_counts(state, last_, counts, now - last_show_, cell.trial.is_tcp());
    }
    state_ = std::move(state);
    last_ = counts;
    last_show_ = now;
    view_.update(state_, now);
    const std::string line =
        json_stream_ || exporter_ != nullptr ? report::progress_json(state_) : std::string();
    if (exporter_ != nullptr) {
        exporter_->progress(line);
    }
    if (json_stream_ && (!last_line_ || now - *last_line_ >= std::chrono::seconds(1))) {
        last_line_ = now;
        std::fwrite(line.data(), 1, line.size(), stdout);
        std::fputc('\n', stdout);
        std::fflush(stdout);
    }
}

}  // namespace gensink::app
