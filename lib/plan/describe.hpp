// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "plan/plan.hpp"
#include "plan/topology.hpp"
#include "profile/profile.hpp"

#include <string>

/// A plan in words, for `gensink plan`: everything that a run would do, before it does it.
namespace gensink::plan {

/// Every key with its value, and who set it.
[[nodiscard]] std::string describe_keys(const profile::Profile& profile);

/// Arms, points, ends, cores, frames by layer, pools, workers.
[[nodiscard]] std::string describe_cells(const Plan& plan, const Topology& topology);

/// Metrics, statistics, trials and total time.
[[nodiscard]] std::string describe_experiment(const Plan& plan);

/// "2 min 53 s", "1.2 s", "80 ms".
[[nodiscard]] std::string describe_duration(Duration duration);

/// "1.2 Mfps".
[[nodiscard]] std::string describe_fps(double fps);

}  // namespace gensink::plan
