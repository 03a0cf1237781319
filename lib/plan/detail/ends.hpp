// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/cell.hpp"
#include "plan/detail/device.hpp"
#include "plan/detail/placement.hpp"
#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/settings.hpp"

#include <optional>
#include <string_view>

namespace gensink::plan::detail {

/// One end while it is planned.
struct End {
    Side side = Side::gen;
    std::string_view section;  ///< "tx" or "sink": where its keys are
    Device device;
    EndPlan plan;

    /// A gensink elsewhere.
    [[nodiscard]] bool is_peer() const { return device.name == "peer"; }
};

/// Both ends of a cell; the sink is absent for `sink: none`.
struct Ends {
    End gen;
    std::optional<End> sink;

    /// False where drivers-config knows nothing of one: then there is nothing more to plan.
    [[nodiscard]] bool known() const;
    /// True where each end needs a worker of its own, or is elsewhere.
    [[nodiscard]] bool apart() const;
    [[nodiscard]] bool needs_root() const;
    /// True where no frame can be lost between them.
    [[nodiscard]] bool lossless() const;
};

/// Finds both devices.
[[nodiscard]] Ends
find_ends(const profile::Settings& settings, const Surroundings& surroundings, Problems& problems);

/// Decides on queues, bursts, rings and device arguments, within the drivers' limits.
void plan_ends(
    Ends& ends,
    const FrameRecipe& frames,
    const profile::Settings& settings,
    const Surroundings& surroundings,
    Problems& problems
);

/// Gives each end its cores.
[[nodiscard]] Placement place_ends(
    Ends& ends, const profile::Settings& settings, const Topology& topology, Problems& problems
);

}  // namespace gensink::plan::detail
