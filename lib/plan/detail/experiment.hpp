// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/profile.hpp"

namespace gensink::plan::detail {

/// Metrics, comparison, statistics, fit, search and expectations; the cells must be planned.
void plan_experiment(const profile::Profile& profile, Plan& plan, Problems& problems);

/// What is reported; the first decides.
void plan_metrics(const profile::Settings& common, Plan& plan, Problems& problems);

/// The first cell that sees only what left the generator; null where there is none.
[[nodiscard]] const Cell* cell_without_sink(const Plan& plan);

/// Refuses values that parse but are not built yet.
void refuse_unavailable(const profile::Profile& profile, Problems& problems);

}  // namespace gensink::plan::detail
