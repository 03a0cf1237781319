// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/checks.hpp"
#include "trial/trial.hpp"

#include <algorithm>

namespace gensink::trial {

const char* name(ReasonCode code) {
    switch (code) {
    case ReasonCode::disturbed_gen:
        return "disturbed_gen";
    case ReasonCode::disturbed_sink:
        return "disturbed_sink";
    case ReasonCode::clock_changed:
        return "clock_changed";
    case ReasonCode::treatment_not_exercised:
        return "treatment_not_exercised";
    case ReasonCode::offered_short:
        return "offered_short";
    case ReasonCode::sink_limit:
        return "sink_limit";
    case ReasonCode::generator_limit:
        return "generator_limit";
    case ReasonCode::residue:
        return "residue";
    case ReasonCode::sink_saw_nothing:
        return "sink_saw_nothing";
    case ReasonCode::pool_empty:
        return "pool_empty";
    case ReasonCode::link_down:
        return "link_down";
    case ReasonCode::datapath_died:
        return "datapath_died";
    case ReasonCode::interrupted:
        return "interrupted";
    case ReasonCode::environment:
        return "environment";
    case ReasonCode::stale_frames:
        return "stale_frames";
    case ReasonCode::corrupt_frames:
        return "corrupt_frames";
    case ReasonCode::duplicate_frames:
        return "duplicate_frames";
    case ReasonCode::reordered_frames:
        return "reordered_frames";
    case ReasonCode::lost_frames:
        return "lost_frames";
    case ReasonCode::foreign_frames:
        return "foreign_frames";
    case ReasonCode::transfer_incomplete:
        return "transfer_incomplete";
    case ReasonCode::window_limit:
        return "window_limit";
    case ReasonCode::queue_stuck:
        return "queue_stuck";
    }
    return "unknown";
}

bool TrialResult::valid() const {
    return std::ranges::all_of(reasons, [](const Reason& reason) {
        return reason.severity == Severity::note;
    });
}

bool TrialResult::external() const {
    return !valid() && std::ranges::none_of(reasons, [](const Reason& reason) {
        return reason.severity == Severity::invalid;
    });
}

std::vector<Reason> judge(const plan::TrialPlan& plan, const TrialResult& result) {
    std::vector<Reason> reasons;
    if (!result.complete) {
        return reasons;  // what ended it is a reason already, and its counts prove nothing
    }
    const detail::Case trial{plan, result, reasons};
    if (plan.wire != plan::WireKind::model) {
        detail::check_host(trial);  // virtual time has no host that could disturb it
    }
    detail::check_treatment(trial);
    detail::check_limits(trial);
    detail::check_transfer(trial);
    detail::check_ledger(trial);
    return reasons;
}

}  // namespace gensink::trial
