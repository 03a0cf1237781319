// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gensink::report::detail {

/// The same cell in two results, by index into plan.cells of each.
struct CellMatch {
    std::size_t a = 0;
    std::size_t b = 0;
    std::string arm;
};

/// Cells of the same arm and point, in A's order. Where no arm's name is common and each result has
/// a single arm, cells of the same point: then the arm is what is compared.
[[nodiscard]] std::vector<CellMatch> match_cells(const Saved& a, const Saved& b);

}  // namespace gensink::report::detail
