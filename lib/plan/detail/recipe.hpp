// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/blocks.hpp"
#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "profile/settings.hpp"

#include <cstdint>
#include <vector>

namespace gensink::plan::detail {

/// The application's bytes that a frame has room for: the MTU's share without traffic.header; 0
/// where that leaves too little.
[[nodiscard]] std::uint32_t payload_room(const profile::Settings& settings);

/// How a flow of the closed loop cuts what the application writes or fetches at once.
[[nodiscard]] flow::BlockCut make_block(const profile::Settings& settings, Problems& problems);

/// What the frames of a cell look like.
[[nodiscard]] FrameRecipe make_recipe(const profile::Settings& settings, Problems& problems);

/// With FCS.
[[nodiscard]] std::uint32_t largest_frame(const FrameRecipe& recipe);

}  // namespace gensink::plan::detail
