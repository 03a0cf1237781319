// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/profile.hpp"

namespace gensink::plan::detail {

[[nodiscard]] bool is_reverse(const profile::Settings& settings);

/// The profile with the ends of each reverse cell exchanged: what the generator's device, address,
/// namespace and CPUs are written to be is the sink's, and the other way round.
[[nodiscard]] profile::Profile facing(profile::Profile profile);

}  // namespace gensink::plan::detail
