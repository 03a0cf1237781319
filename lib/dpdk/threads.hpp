// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cores/thread.hpp"
#include "plan/plan.hpp"

#include <functional>

namespace gensink::dpdk {

/// Runs `work` on the core's lcore (cores::Launch). Error environment.
[[nodiscard]] Result<cores::Join>
launch_on_lcore(const plan::CorePlan& core, std::function<void()> work);

}  // namespace gensink::dpdk
