// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/datapath.hpp"
#include "trial/result.hpp"

#include <cstdint>

/// The ledger of a TCP stream. A stream's report holds bytes: sent_measured how many were written
/// in the measure phase and behind how many others, seen_other all that were read.
namespace gensink::trial::detail {

/// Written and not read, of the whole trial.
[[nodiscard]] std::int64_t bytes_on_the_way(const Snapshot& counts);

[[nodiscard]] Ledger make_byte_ledger(const plan::TrialPlan& plan, const Snapshot& counts);

}  // namespace gensink::trial::detail
