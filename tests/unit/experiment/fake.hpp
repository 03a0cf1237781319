// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/experiment.hpp"
#include "plan/plan.hpp"
#include "trial/result.hpp"
#include "trial/trial.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Experiments over trials that cost nothing: plans, results in round numbers, a host to run them.
namespace gensink::experiment::fake {

inline constexpr std::uint64_t tsc_hz = 1'000'000'000;
inline constexpr std::uint64_t frame_bytes = 128;
inline constexpr std::uint64_t payload_bytes = 82;

/// What a trial is to show over one second of measure phase.
struct Seen {
    double tx_ticks_per_frame = 100.0;  ///< of sending
    double offered_fps = 1e6;
    double received_fps = -1.0;  ///< negative: all that was offered
    std::uint64_t refused = 0;
};

inline std::uint64_t whole(double value) {
    return static_cast<std::uint64_t>(std::llround(value));
}

inline void fill_gen(trial::TrialResult& trial, const Seen& seen) {
    auto& core = trial.counts.gen.emplace_back();
    core.measure_end_ticks = tsc_hz;
    auto& counts = core.measured;
    counts.frames_accepted = whole(seen.offered_fps);
    counts.frame_bytes = counts.frames_accepted * frame_bytes;
    counts.payload_bytes = counts.frames_accepted * payload_bytes;
    counts.send_calls = counts.frames_accepted;
    counts.frames_asked = counts.frames_accepted + seen.refused;
    const std::uint64_t sending = whole(seen.tx_ticks_per_frame * seen.offered_fps);
    counts.cause_ticks[0] = sending;
    counts.cause_ticks[1] = sending < tsc_hz ? tsc_hz - sending : 0;
}

inline void fill_sink(trial::TrialResult& trial, const Seen& seen) {
    auto& core = trial.counts.sink.emplace_back();
    core.measure_end_ticks = tsc_hz;
    auto& counts = core.measured;
    counts.frames = whole(seen.received_fps < 0.0 ? seen.offered_fps : seen.received_fps);
    counts.frame_bytes = counts.frames * frame_bytes;
    counts.payload_bytes = counts.frames * payload_bytes;
    counts.receive_calls = counts.frames + 1000;
    counts.burst_received[0] = 1000;
    counts.cause_ticks = {tsc_hz / 2, 0, tsc_hz / 2};
}

enum class Ends { gen, both };

/// A valid trial; with both ends it has a ledger.
inline trial::TrialResult make_trial(const Seen& seen, Ends ends = Ends::both) {
    trial::TrialResult trial;
    trial.complete = true;
    trial.counts.tsc_hz = tsc_hz;
    trial.measure_seconds = 1.0;
    fill_gen(trial, seen);
    if (ends == Ends::gen) {
        return trial;
    }
    fill_sink(trial, seen);
    trial.ledger.has_sink = true;
    trial.ledger.accepted = trial.counts.gen[0].measured.frames_accepted;
    trial.ledger.in_order = trial.counts.sink[0].measured.frames;
    trial.ledger.lost = static_cast<std::int64_t>(trial.ledger.accepted) -
                        static_cast<std::int64_t>(trial.ledger.in_order);
    trial.ledger.refused = seen.refused;
    return trial;
}

inline trial::Reason reason(trial::ReasonCode code, trial::Severity severity, std::string message) {
    return {.code = code, .severity = severity, .message = std::move(message), .advice = {}};
}

inline trial::Reason disturbance() {
    return reason(
        trial::ReasonCode::disturbed_gen, trial::Severity::external, "run delay 5 % of the measure"
    );
}

using Points = std::vector<std::vector<std::pair<std::string, std::string>>>;

inline plan::Cell make_cell(const std::string& arm, const Points::value_type& point, bool at_max) {
    plan::Cell cell;
    cell.arm = arm;
    cell.point = point;
    if (!at_max) {
        cell.trial.load = {.unit = flow::LoadUnit::fps, .value = 1e6};
        cell.trial.intended_fps = 1e6;
    }
    return cell;
}

/// "batched" against "one-by-one", with placebo, over `points`, at 1 Mfps or at max.
inline plan::Plan make_plan(const Points& points = {{}}, bool at_max = false) {
    plan::Plan plan;
    plan.name = "fake";
    plan.arms = {"one-by-one", "batched"};
    plan.metrics = {"tx.ticks_per_frame"};
    plan.compare.emplace().baseline = "one-by-one";
    for (const std::string& arm : plan.arms) {
        for (const auto& point : points) {
            plan.cells.push_back(make_cell(arm, point, at_max));
        }
    }
    for (const auto& point : points) {
        plan.cells.push_back(make_cell("one-by-one", point, at_max));
        plan.cells.back().placebo = true;
    }
    return plan;
}

/// Runs `trial_of` for every request and records what the experiment did.
struct Host {
    std::function<trial::TrialResult(const trial::Request&)> trial_of;
    std::vector<trial::Request> requests;
    std::vector<unsigned> rounds_begun;
    std::size_t stop_after = SIZE_MAX;  ///< trials

    ExperimentResult run(const plan::Plan& plan) {
        Hooks hooks;
        hooks.run_trial = [this](const trial::Request& request) {
            requests.push_back(request);
            return trial_of(request);
        };
        hooks.begin_round = [this](unsigned round) {
            rounds_begun.push_back(round);
        };
        hooks.stopped = [this] {
            return requests.size() >= stop_after;
        };
        return experiment::run(plan, hooks);
    }
};

inline const Comparison* find(const ExperimentResult& result, bool placebo, std::size_t nth = 0) {
    for (const Comparison& comparison : result.comparisons) {
        if (comparison.placebo == placebo && nth-- == 0) {
            return &comparison;
        }
    }
    return nullptr;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline bool warned(const ExperimentResult& result, const std::string& part) {
    for (const std::string& warning : result.warnings) {
        if (contains(warning, part)) {
            return true;
        }
    }
    return false;
}

}  // namespace gensink::experiment::fake
