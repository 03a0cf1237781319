// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <memory>

namespace gensink::dpdk {

/// Starts EAL in this process for `environment` and gives a datapath over it. Once per process.
/// wait() sleeps. Error environment.
[[nodiscard]] Result<std::unique_ptr<trial::Datapath>>
make_datapath(const plan::Environment& environment);

}  // namespace gensink::dpdk
