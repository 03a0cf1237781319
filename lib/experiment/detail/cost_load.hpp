// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/result.hpp"

#include <optional>

namespace gensink::experiment::detail {

/// A load as frames per second. Absent for max, and for a share of a line whose rate is unknown.
[[nodiscard]] std::optional<double>
intended_fps(const flow::Load& load, const plan::TrialPlan& plan);

/// What a trial at max has carried: offered, or received where that is less. Absent where nothing
/// was measured.
[[nodiscard]] std::optional<double> carried_fps(const trial::TrialResult& trial);

}  // namespace gensink::experiment::detail
