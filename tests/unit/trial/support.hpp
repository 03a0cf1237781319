// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/trial.hpp"

#include <algorithm>

#include "fake_datapath.hpp"
#include "fixtures.hpp"

namespace gensink::trial::fixture {

inline Request request() {
    Request made;
    made.cell = 3;
    made.arm = "batched";
    made.round = 2;
    made.attempt = 1;
    made.intended_fps = 1e6;
    return made;
}

inline TrialResult run_clean(FakeDatapath& datapath) {
    return run(datapath, clean_plan(), request(), {});
}

inline bool has(const TrialResult& result, ReasonCode code, Severity severity = Severity::invalid) {
    return std::ranges::any_of(result.reasons, [&](const Reason& reason) {
        return reason.code == code && reason.severity == severity;
    });
}

}  // namespace gensink::trial::fixture
