// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "plan/topology.hpp"
#include "profile/settings.hpp"

#include <optional>
#include <vector>

namespace gensink::plan::detail {

/// What an end asks of the host.
struct CoreWish {
    unsigned cores = 1;
    std::uint16_t queues = 1;
    std::optional<SocketId> socket;  ///< of the device, where known
};

/// A CPU for every thread.
struct Placement {
    CpuId control;
    std::vector<CorePlan> gen;   ///< lcores from 1, control being lcore 0
    std::vector<CorePlan> sink;  ///< lcores after the generator's
    bool shared = false;         ///< some CPU has two of the threads
};

/// Gives each datapath thread a CPU of its own where the host has enough: near the device, away
/// from the control CPU and from the other threads' hyperthread siblings, isolated CPUs first.
[[nodiscard]] Placement place(
    const profile::Settings& settings,
    const Topology& topology,
    const CoreWish& gen,
    const std::optional<CoreWish>& sink,
    Problems& problems
);

}  // namespace gensink::plan::detail
