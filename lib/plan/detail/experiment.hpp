// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/profile.hpp"

namespace gensink::plan::detail {

/// Metrics, comparison, statistics, fit, search and expectations; the cells must be planned.
void plan_experiment(const profile::Profile& profile, Plan& plan, Problems& problems);

/// Refuses keys and values that parse but are not built yet.
void refuse_unavailable(const profile::Profile& profile, Problems& problems);

}  // namespace gensink::plan::detail
