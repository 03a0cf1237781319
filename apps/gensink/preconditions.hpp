// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <vector>

#include "planning.hpp"

namespace gensink::app {

/// What a plan names and this host has not: network namespaces, the file of the payload. Each once.
[[nodiscard]] std::vector<Error> missing(const Planned& planned);

}  // namespace gensink::app
