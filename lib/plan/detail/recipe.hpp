// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/settings.hpp"

#include <cstdint>
#include <vector>

namespace gensink::plan::detail {

/// Payload of each frame that carries a block, cut at `mss` bytes; every piece holds gensink's
/// header. `block` and `mss` must be at least 18 and 36 bytes.
[[nodiscard]] std::vector<std::uint16_t> cut_block(std::uint32_t block, std::uint32_t mss);

/// What the frames of a cell look like.
[[nodiscard]] FrameRecipe make_recipe(const profile::Settings& settings, Problems& problems);

/// With FCS.
[[nodiscard]] std::uint32_t largest_frame(const FrameRecipe& recipe);

}  // namespace gensink::plan::detail
