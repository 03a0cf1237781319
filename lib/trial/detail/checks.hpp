// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/result.hpp"

#include <string>
#include <vector>

/// What may be wrong with a complete trial, by subject. Each adds its reasons.
namespace gensink::trial::detail {

struct Case {
    const plan::TrialPlan& plan;
    const TrialResult& result;
    std::vector<Reason>& reasons;

    void note(ReasonCode code, std::string message, std::string advice) const {
        reasons.push_back({code, Severity::note, std::move(message), std::move(advice)});
    }

    void external(ReasonCode code, std::string message, std::string advice) const {
        reasons.push_back({code, Severity::external, std::move(message), std::move(advice)});
    }

    void invalid(ReasonCode code, std::string message, std::string advice) const {
        reasons.push_back({code, Severity::invalid, std::move(message), std::move(advice)});
    }
};

/// disturbed_gen, disturbed_sink, clock_changed.
void check_host(const Case& trial);
/// treatment_not_exercised, offered_short, window_limit.
void check_treatment(const Case& trial);
/// sink_limit, generator_limit, pool_empty.
void check_limits(const Case& trial);
/// transfer_incomplete: of the closed loop.
void check_transfer(const Case& trial);
/// residue, sink_saw_nothing, and notes of what the ledger counts.
void check_ledger(const Case& trial);

/// "the flows waited for window 80.0 %, ...": of the closed loop.
[[nodiscard]] std::string flow_shares(const Snapshot& counts);

/// True when no frame of ours, of whatever phase or state, was seen at the sink.
[[nodiscard]] bool saw_nothing(const Snapshot& counts);

/// What to look at when nothing arrives.
[[nodiscard]] Reason sink_saw_nothing(const plan::TrialPlan& plan, std::uint64_t accepted);

}  // namespace gensink::trial::detail
