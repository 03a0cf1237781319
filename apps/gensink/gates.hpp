// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "report/gate.hpp"

#include <string>
#include <vector>

#include "commands.hpp"

namespace gensink::app {

/// What --fail-on was given. Error: usage.
[[nodiscard]] Result<std::vector<report::Gate>> parse_gates(const std::vector<std::string>& texts);

/// Prints what each gate found; the worst decides.
[[nodiscard]] Status
judge(const report::SavedComparison& comparison, const std::vector<report::Gate>& gates);

}  // namespace gensink::app
