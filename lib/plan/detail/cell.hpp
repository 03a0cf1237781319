// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "plan/topology.hpp"
#include "profile/driver_config.hpp"
#include "profile/profile.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gensink::plan::detail {

/// What is the same for all cells.
struct Surroundings {
    const Topology& topology;
    std::span<const profile::DriverConfig> drivers;
    std::uint32_t largest_frame_bytes = 64;  ///< over all cells: they may share a device
    std::string socket;                      ///< a name that no other run on this host uses
    std::string netns;          ///< likewise: what the namespaces of wire.veth begin with
    bool shared_cores = false;  ///< out: a cell had too few CPUs
};

/// Plans one arm at one point.
[[nodiscard]] Cell
make_cell(const profile::Cell& written, Surroundings& surroundings, Problems& problems);

/// The worker, or the generator's and the sink's.
[[nodiscard]] std::vector<Environment> make_environments(
    const Cell& cell,
    const profile::Settings& settings,
    const Surroundings& surroundings,
    CpuId control,
    bool separate
);

/// Decides on hugepages and memory, once the needs of all cells are known.
void settle_memory(
    std::vector<Cell>& cells,
    const profile::Profile& profile,
    const Topology& topology,
    Problems& problems
);

/// Who attaches to a worker from outside finds it by EAL's file prefix: one for each kind of
/// worker, "gensink-UNIQUE", then "gensink-UNIQUE-2", as a new round's take the place of the old.
void name_prefixes(std::vector<Cell>& cells, std::string_view unique);

/// Mentions keys that are written and that no cell has a use for.
void warn_of_unused(const profile::Profile& profile, std::vector<std::string>& warnings);

}  // namespace gensink::plan::detail
