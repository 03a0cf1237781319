// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/settings.hpp"

namespace gensink::plan::detail {

/// Both ends of a modelled cell: a core and a queue each, no device. Names the keys that only a
/// real wire has.
void plan_model_ends(TrialPlan& trial, const profile::Settings& settings, Problems& problems);

/// The path of a modelled cell, once its frames, closed loop and seed are known.
void plan_model(Cell& cell, const profile::Settings& settings, Problems& problems);

}  // namespace gensink::plan::detail
