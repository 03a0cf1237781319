// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "trial/datapath.hpp"

#include <cstdint>

/// What DPDK's telemetry socket tells of the running trial, beside DPDK's own commands:
/// /gensink/trial, and /gensink/gen and /gensink/sink, the counts of all cores or, with a number
/// behind a comma, of one lcore. One state a process, as the callbacks get no user pointer.
namespace gensink::dpdk::telemetry {

/// Registers the commands, once EAL runs. Error environment.
[[nodiscard]] Result<void> start();

/// What the commands tell from now on: as old as the last look of who runs the trial. Any thread.
void show(std::uint32_t run_id, counters::Phase phase, const trial::Snapshot& counts);

}  // namespace gensink::dpdk::telemetry
