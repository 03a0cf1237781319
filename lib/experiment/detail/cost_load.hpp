// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/result.hpp"

#include <optional>

namespace gensink::experiment::detail {

/// What a trial at max has carried: offered, or received where that is less. Absent where nothing
/// was measured.
[[nodiscard]] std::optional<double> carried_fps(const trial::TrialResult& trial);

}  // namespace gensink::experiment::detail
