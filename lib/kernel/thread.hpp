// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cores/thread.hpp"
#include "plan/plan.hpp"

#include <functional>

namespace gensink::kernel {

/// Runs `work` on a thread of its own, pinned to the core's CPU (cores::Launch). Error environment:
/// the CPU cannot be had.
[[nodiscard]] Result<cores::Join>
launch_on_thread(const plan::CorePlan& core, std::function<void()> work);

}  // namespace gensink::kernel
