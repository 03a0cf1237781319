// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/compare.hpp"
#include "report/saved.hpp"

#include "planning.hpp"

namespace gensink::app {

/// The profile of a saved result with all that changed it then.
[[nodiscard]] ProfileOptions profile_of(const report::Saved& saved);

/// Which keys differ between cells of two results, read from their profiles.
[[nodiscard]] report::KeyDifferences
key_differences(const report::Saved& a, const report::Saved& b);

}  // namespace gensink::app
