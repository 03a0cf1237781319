// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/experiment.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <memory>
#include <sys/types.h>

#include "progress.hpp"
#include "signals.hpp"

namespace gensink::app {

/// Runs a plan's trials: in workers, or, where a cell is modelled, here.
[[nodiscard]] experiment::ExperimentResult
measure(const plan::Plan& plan, const Signals& signals, Progress& progress);

/// The datapath of an environment in this process: ports of DPDK, or the kernel's sockets.
[[nodiscard]] Result<std::unique_ptr<trial::Datapath>>
make_local(const plan::Environment& environment);

/// Removes what a worker that died has left behind.
void bury(pid_t worker);

}  // namespace gensink::app
