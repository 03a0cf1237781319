// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/blocks.hpp"
#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/settings.hpp"

#include <cstdint>

namespace gensink::plan::detail {

/// True where a key asks for acknowledgements: a window, an ACK policy, slow start or a transfer.
[[nodiscard]] bool closes_loop(const profile::Settings& settings);

/// Plans the closed loop of a cell whose ends are planned, if it has one, and names what cannot
/// work.
void plan_transport(Cell& cell, const profile::Settings& settings, Problems& problems);

/// The rule by which values are left out, as written.
[[nodiscard]] Outliers outliers_of(const profile::Settings& settings);

/// ACK records of a path delay's line, of all flows together.
inline constexpr std::uint32_t max_line_records = 1U << 20U;

}  // namespace gensink::plan::detail
