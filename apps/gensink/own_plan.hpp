// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include "planning.hpp"

namespace gensink::app {

/// A plan whose generator is here, and which names no network namespace and no file that this host
/// has not; or every error there is.
[[nodiscard]] Results<Planned> make_own_plan(const ProfileOptions& options);

}  // namespace gensink::app
