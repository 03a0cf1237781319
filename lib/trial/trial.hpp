// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/datapath.hpp"
#include "trial/result.hpp"

#include <functional>

namespace gensink::trial {

struct Request {
    std::size_t cell = 0;
    std::string arm;
    unsigned round = 0;
    unsigned attempt = 0;
    LoadKind load_kind = LoadKind::as_planned;
    std::optional<double> intended_fps;  ///< replaces the plan's; absent: max
    bool shared_cores = false;           ///< disturbance is noted, not repeated
};

/// Called about every 200 ms with the counts so far.
using Progress = std::function<void(counters::Phase, const Snapshot&)>;

/// One repetition of one arm: open, settle, warm-up, measure, drain, close. Never fails: what went
/// wrong is a reason in the result, with whatever was counted.
[[nodiscard]] TrialResult
run(Datapath& datapath,
    const plan::TrialPlan& plan,
    const Request& request,
    const Progress& progress);

/// The result of a trial that never had a datapath, e.g. because its worker did not start.
[[nodiscard]] TrialResult failed(const Request& request, const Error& error);

/// Balance of a finished trial.
[[nodiscard]] Ledger make_ledger(const plan::TrialPlan& plan, const Snapshot& counts);

/// Everything that is wrong with a finished trial.
[[nodiscard]] std::vector<Reason> judge(const plan::TrialPlan& plan, const TrialResult& result);

}  // namespace gensink::trial
