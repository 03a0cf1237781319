// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/datapath.hpp"
#include "trial/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gensink::trial::detail {

/// Exact terms that cannot all be true, and by how many frames.
struct Contradiction {
    std::string what;
    std::int64_t frames = 0;
};

/// All of them; `ledger` up to its terms, without residue. On a wire that cannot lose, change or
/// reorder frames, doing so is a contradiction too.
[[nodiscard]] std::vector<Contradiction>
contradictions(const plan::TrialPlan& plan, const Snapshot& counts, const Ledger& ledger);

}  // namespace gensink::trial::detail
