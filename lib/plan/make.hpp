// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "flow/load.hpp"
#include "plan/plan.hpp"
#include "plan/topology.hpp"
#include "profile/driver_config.hpp"
#include "profile/profile.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace gensink::plan {

/// Makes the complete plan of a profile on a host, or says everything that is in the way, with the
/// profile's places. Pure: no device is touched. `unique` goes into names that two runs on one host
/// must not share (a process id). Errors: plan, profile.
[[nodiscard]] Results<Plan> make(
    const profile::Profile& profile,
    const Topology& topology,
    std::span<const profile::DriverConfig> drivers,
    std::string_view unique = {}
);

/// Frames per second, over all queues, that a load asks for; absent for max. Sizes are means over
/// the frames sent. Error: plan, where a share of the line is asked for and no line rate is known.
[[nodiscard]] Result<std::optional<double>> intended_fps(
    const flow::Load& load,
    double mean_frame_bytes,
    double mean_payload_bytes,
    std::optional<double> line_bps
);

}  // namespace gensink::plan
