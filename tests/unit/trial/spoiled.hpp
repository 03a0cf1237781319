// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/trial.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "fixtures.hpp"

namespace gensink::trial {

/// A plan and its finished trial, to be spoiled and judged.
struct Spoiled {
    plan::TrialPlan plan = fixture::clean_plan();
    TrialResult result = fixture::clean_result();

    counters::TxCounts& gen() { return result.counts.gen[0].measured; }

    counters::SinkCounts& sink() { return result.counts.sink[0].measured; }

    counters::StreamCounts& seen() { return result.counts.streams[0].seen_measured; }

    std::uint64_t& ticks(counters::TxCause cause) {
        return gen().cause_ticks[static_cast<std::size_t>(cause)];
    }

    void full_load() {
        plan.intended_fps.reset();
        plan.load = {};
        result.intended_fps.reset();
        result.load_kind = LoadKind::max;
    }

    /// As many frames in calls of another size.
    void bursts_of(std::uint64_t frames) {
        gen().send_calls = 1'000'000 / frames;
        gen().burst_asked = {};
        gen().burst_accepted = {};
        gen().burst_asked[frames] = gen().burst_accepted[frames] = gen().send_calls;
    }

    /// Refused sends beside those that moved frames, and the time they took.
    void refusals(std::uint64_t calls) {
        gen().send_calls += calls;
        gen().burst_accepted[0] += calls;
        gen().burst_asked[32] += calls;
        gen().frames_asked += 32 * calls;
        ticks(counters::TxCause::ring_full) = ticks(counters::TxCause::pacing);
        ticks(counters::TxCause::pacing) = 0;
    }

    std::vector<Reason> reasons() {
        result.ledger = make_ledger(plan, result.counts);
        return judge(plan, result);
    }
};

/// The one reason that a spoiled trial must give.
inline Reason only(Spoiled& trial) {
    const auto reasons = trial.reasons();
    for (const Reason& reason : reasons) {
        UNSCOPED_INFO(name(reason.code) << ": " << reason.message);
        CHECK_FALSE(reason.message.empty());
        CHECK_FALSE(reason.advice.empty());
    }
    REQUIRE(reasons.size() == 1);
    return reasons.front();
}

inline bool has(const std::vector<Reason>& reasons, ReasonCode code, Severity severity) {
    return std::ranges::any_of(reasons, [&](const Reason& reason) {
        return reason.code == code && reason.severity == severity;
    });
}

}  // namespace gensink::trial
