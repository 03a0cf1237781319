// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "experiment/experiment.hpp"
#include "plan/plan.hpp"

#include <string>

#include "commands.hpp"

namespace gensink::app {

/// Takes rounds away, down to 3, until the plan fits the budget ("5m", "90 s"; empty: none). Error
/// usage: it still does not fit, or it takes above 30 minutes without `consent`.
[[nodiscard]] Result<void> fit_time(plan::Plan& plan, const std::string& budget, bool consent);

/// The exit status of a finished run: the worst that applies.
[[nodiscard]] Status status_of(const experiment::ExperimentResult& result, bool interrupted);

}  // namespace gensink::app
