// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/cell.hpp"
#include "plan/detail/placement.hpp"
#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/settings.hpp"

namespace gensink::plan::detail {

[[nodiscard]] bool is_kernel(const profile::Settings& settings);
/// Sockets that carry a stream of bytes.
[[nodiscard]] bool is_kernel_tcp(const profile::Settings& settings);

/// Sockets, buffers and source of a cell of the kernel. Names the keys that only other wires have.
void plan_kernel(TrialPlan& trial, const profile::Settings& settings, Problems& problems);

/// Both ends of such a cell, and their cores.
[[nodiscard]] Placement plan_kernel_ends(
    TrialPlan& trial,
    const profile::Settings& settings,
    const Surroundings& surroundings,
    Problems& problems
);

/// The namespace of an end: as written, or of the veth pair that is made for the run.
[[nodiscard]] std::string netns_of(
    bool gen,
    const profile::Settings& settings,
    const Surroundings& surroundings,
    Problems& problems
);

/// The pair that the cells ask for; they must agree on its addresses.
void plan_veth(
    const profile::Profile& profile,
    const Surroundings& surroundings,
    Plan& plan,
    Problems& problems
);

}  // namespace gensink::plan::detail
