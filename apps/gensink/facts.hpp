// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/topology.hpp"
#include "report/saved.hpp"

#include <string>
#include <vector>

namespace gensink::app {

/// ISO 8601, UTC, whole seconds.
[[nodiscard]] std::string now_utc();

/// What a result says of this run and host; `finished` is left empty.
[[nodiscard]] report::RunInfo run_info(const plan::Topology& topology);

}  // namespace gensink::app
