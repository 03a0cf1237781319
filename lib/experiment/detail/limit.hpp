// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/result.hpp"

#include <optional>
#include <string>

namespace gensink::experiment::detail {

/// What held a trial at load max, and the numbers that say so.
struct Limit {
    std::string name;  ///< "link", "generator CPU", "sink", "unknown"
    std::string evidence;
    std::optional<double>
        line_ratio;  ///< offered layer-1 rate of the line rate, where one is known
};

/// Link: offered within 0.5 % of the line rate. Sink: its device missed frames, or the wire refused
/// frames while the sink's polls were never empty. Generator CPU: sending took all its ticks and
/// nothing was refused; a trial with another core would prove it. Else unknown, with the numbers.
[[nodiscard]] Limit find_limit(const plan::TrialPlan& plan, const trial::TrialResult& at_max);

/// Line rate at layer 1: what the device reports, else the plan's.
[[nodiscard]] std::optional<double>
line_bps(const plan::TrialPlan& plan, const trial::TrialResult& trial);

}  // namespace gensink::experiment::detail
