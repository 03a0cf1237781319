// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/interval.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace gensink::stats {

/// Where a series in time moves to another level.
struct ChangePoint {
    std::size_t at = 0;  ///< index of the first value at the new level
    Change change;       ///< of that level over the one before
};

/// Levels of a series by seeded binary segmentation (Kovacs et al., Biometrika 110, 2023) on the
/// logs: of the whole, and of windows of half, a quarter, ... of its length, the clearest split in
/// two, by pooled t. Where its interval excludes 0 at `confidence`, simultaneously over all splits
/// that were tried (Bonferroni), and reaches beyond +-`margin_ratio`, the series is cut there, and
/// each part is looked at again. At least three values make a split. In rising order; empty where a
/// value is not above 0. The change is that within the window.
[[nodiscard]] std::vector<ChangePoint>
change_points(std::span<const double> values, double confidence, double margin_ratio);

}  // namespace gensink::stats
