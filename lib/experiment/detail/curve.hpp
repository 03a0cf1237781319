// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/detail/layout.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gensink::experiment::detail {

/// Cells of one arm that differ in one swept key alone.
struct Curve {
    std::string arm;
    Point others;
    std::vector<std::size_t> cells;
    std::vector<double> keys;        ///< values of the key
    std::vector<std::string> texts;  ///< the same as written
};

/// Every curve over `key`, without the placebo's; cells whose value is no number are left out.
[[nodiscard]] std::vector<Curve> curves(const plan::Plan& plan, const std::string& key);

}  // namespace gensink::experiment::detail
