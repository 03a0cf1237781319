// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/detail/errors.hpp"
#include "profile/detail/reader.hpp"
#include "profile/profile.hpp"

namespace gensink::profile::detail {

/// Most cells of one profile: a sweep of a hundred thousand points is a slip.
inline constexpr std::size_t max_cells = 1000;

/// Multiplies arms and sweep out into cells and checks what needs the whole: arms that do not
/// differ, the baseline, keys set twice over. `profile.common` and `.quick` must be set.
void expand(const Parts& parts, Profile& profile, Errors& errors);

}  // namespace gensink::profile::detail
