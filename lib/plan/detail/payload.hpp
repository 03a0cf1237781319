// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/settings.hpp"

namespace gensink::plan::detail {

/// Where the payload comes from, and UDP's checksum with it; frames and devices are known.
void plan_payload(TrialPlan& trial, const profile::Settings& settings, Problems& problems);

}  // namespace gensink::plan::detail
