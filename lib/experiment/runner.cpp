// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/runner.hpp"

#include "experiment/detail/analysis.hpp"
#include "experiment/detail/order.hpp"
#include "experiment/detail/table.hpp"
#include "stats/netperf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gensink::experiment::detail {

namespace {

using trial::LoadKind;

constexpr unsigned deaths_to_fail = 3;
constexpr unsigned lost_links_to_stop = 3;
constexpr unsigned retries = 3;

unsigned rounds_asked(const plan::StatsPlan& stats) {
    if (stats.rule != plan::Rule::netperf) {
        return std::max(1U, stats.rounds);
    }
    return std::clamp(stats.rounds, stats::netperf::min_iterations, stats::netperf::max_iterations);
}

/// Probes that a bisection to the resolution needs, each repeated; for the progress display only.
unsigned probes_expected(const plan::SearchPlan& search) {
    const double steps = std::ceil(std::log2(1.0 / std::clamp(search.resolution_ratio, 1e-6, 0.5)));
    return 1 + static_cast<unsigned>(steps) * std::max(1U, search.repeats);
}

}  // namespace

Runner::Runner(const plan::Plan& plan, const Hooks& hooks, ExperimentResult& result)
    : plan_(plan)
    , hooks_(hooks)
    , result_(result)
    , slots_(round_slots(plan))
    , cost_loads_(plan.cells.size())
    , rounds_(rounds_asked(plan.stats))
    , repeats_left_(plan.stats.repeats)
    , total_(rounds_ * static_cast<unsigned>(slots_.size())) {
    if (plan.search) {
        total_ += static_cast<unsigned>(plan.cells.size()) * probes_expected(*plan.search);
    }
}

void Runner::run() {
    calibrate();
    size_by_pilot();
    play_rounds();
    search();
    const bool any_complete =
        std::any_of(result_.trials.begin(), result_.trials.end(), [](const auto& trial) {
            return trial.complete;
        });
    const bool no_link = lost_links_in_a_row_ >= lost_links_to_stop;
    result_.failed = result_.failed || (!any_complete && (!result_.partial || no_link));
    result_.partial = result_.partial || result_.failed;
}

void Runner::begin_round(unsigned round) {
    begun_round_ = round;
    worker_lost_ = false;
    if (hooks_.begin_round) {
        hooks_.begin_round(round);
    }
}

trial::Request Runner::request(const Slot& slot, unsigned round, unsigned attempt) const {
    trial::Request request;
    request.cell = slot.cell;
    request.arm = plan_.cells[slot.cell].arm;
    request.round = round;
    request.attempt = attempt;
    request.load_kind = slot.kind;
    request.shared_cores = plan_.shared_cores;
    if (slot.kind == LoadKind::as_planned) {
        request.intended_fps = plan_.cells[slot.cell].trial.intended_fps;
    } else if (slot.kind == LoadKind::cost) {
        request.intended_fps = cost_loads_[slot.cell].fps;
    }
    return request;
}

std::optional<std::size_t> Runner::run_trial(const trial::Request& request) {
    if (!stopped() && hooks_.stopped && hooks_.stopped()) {
        result_.partial = true;
    }
    if (stopped()) {
        return std::nullopt;
    }
    if (worker_lost_) {
        begin_round(begun_round_);
    }
    trial::TrialResult& made = result_.trials.emplace_back(hooks_.run_trial(request));
    made.arm = request.arm;
    made.cell = request.cell;
    made.round = request.round;
    made.attempt = request.attempt;
    made.load_kind = request.load_kind;
    made.intended_fps = request.intended_fps;
    ++done_;
    if (hooks_.progress) {
        hooks_.progress(done_, std::max(total_, done_));
    }
    worker_lost_ = died(made);
    deaths_in_a_row_ = worker_lost_ ? deaths_in_a_row_ + 1 : 0;
    if (standing(made) == Standing::cut) {
        result_.partial = true;
    } else if (deaths_in_a_row_ >= deaths_to_fail) {
        result_.failed = true;
        warn(
            result_,
            fmt::format(
                "stopped: {} trials in a row died, the last with: {}",
                deaths_in_a_row_,
                made.reasons.front().message
            )
        );
    } else {
        stop_without_link(made);
    }
    return result_.trials.size() - 1;
}

/// A link that stays down costs each trial its waiting time, and measures nothing.
void Runner::stop_without_link(const trial::TrialResult& made) {
    const auto down =
        std::ranges::find(made.reasons, trial::ReasonCode::link_down, &trial::Reason::code);
    lost_links_in_a_row_ = down == made.reasons.end() ? 0 : lost_links_in_a_row_ + 1;
    if (lost_links_in_a_row_ < lost_links_to_stop) {
        return;
    }
    result_.partial = true;
    warn(
        result_,
        fmt::format(
            "stopped: {} trials in a row had no link, the last: {}",
            lost_links_in_a_row_,
            down->message
        )
    );
}

std::optional<std::size_t> Runner::run_retried(const trial::Request& request) {
    auto made = run_trial(request);
    for (unsigned i = 0; i < retries && made && !stopped(); ++i) {
        const Standing worth = standing(result_.trials[*made]);
        if (worth != Standing::disturbed && !died(result_.trials[*made])) {
            break;
        }
        begin_round(0);
        made = run_trial(request);
    }
    return made;
}

Runner::RoundEnd Runner::play(unsigned round, unsigned attempt, const std::vector<Slot>& slots) {
    if (hooks_.stopped && hooks_.stopped()) {
        result_.partial = true;
        return RoundEnd::stopped;
    }
    begin_round(round);
    auto order = slots;
    // Pilot rounds all have number 0: the count of trials so far tells them apart.
    const unsigned salt = round == 0 ? static_cast<unsigned>(result_.trials.size()) + 1 : attempt;
    shuffle(order, plan_.stats.seed, round, salt);
    bool disturbed = false;
    bool invalid = false;
    for (const Slot& slot : order) {
        if (slot.kind == LoadKind::cost && !cost_loads_[slot.cell].known) {
            continue;
        }
        const auto made = run_trial(request(slot, round, attempt));
        if (!made || stopped()) {
            return RoundEnd::stopped;
        }
        const Standing worth = standing(result_.trials[*made]);
        disturbed = disturbed || worth == Standing::disturbed;
        invalid = invalid || worth == Standing::invalid;
    }
    return disturbed && !invalid ? RoundEnd::disturbed : RoundEnd::whole;
}

void Runner::play_rounds() {
    for (unsigned round = 1; round <= rounds_ && !stopped(); ++round) {
        for (unsigned attempt = 0;; ++attempt) {
            if (play(round, attempt, slots_) != RoundEnd::disturbed || repeats_left_ == 0) {
                break;
            }
            --repeats_left_;
            ++result_.rounds_repeated;
            total_ += static_cast<unsigned>(slots_.size());
        }
        if (plan_.stats.rule == plan::Rule::netperf && round >= stats::netperf::min_iterations &&
            netperf_converged(plan_, Table(plan_.cells.size(), result_.trials))) {
            break;
        }
    }
}

}  // namespace gensink::experiment::detail
