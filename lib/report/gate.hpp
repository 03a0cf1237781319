// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "report/compare.hpp"

#include <string>
#include <string_view>

/// What a comparison must not show, for scripts that stop on it.
namespace gensink::report {

/// A loss of a metric beyond a bound.
struct Gate {
    std::string metric;     ///< empty: the comparison's first
    double loss_ratio = 0;  ///< 0.02: a gain of less than -2 %
};

/// closed: a loss beyond the bound is proven. open: it is excluded. undecided: neither.
enum class GateState { open, undecided, closed, invalid };

struct GateResult {
    GateState state = GateState::undecided;
    std::string text;  ///< what was found, by cell, in lines
};

/// Reads "loss:2%" or "METRIC:loss:2%". Error: usage.
[[nodiscard]] Result<Gate> parse_gate(std::string_view text);

/// Holds a comparison's intervals against a gate; the worst cell decides, placebos apart. Error:
/// usage where the metric is not compared.
[[nodiscard]] Result<GateResult> judge(const SavedComparison& comparison, const Gate& gate);

}  // namespace gensink::report
