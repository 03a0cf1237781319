// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/interval.hpp"

#include <optional>
#include <string>

/// Numbers as sentences carry them.
namespace gensink::experiment::detail {

/// A change with its sign and three digits or two decimals: "+321 %", "-1.07 %".
[[nodiscard]] std::string signed_percent(double ratio);

/// Without a sign: "2 %", "0.5 %".
[[nodiscard]] std::string percent(double ratio);

/// "+321 % [+310, +333] at 99 %", decimals by the interval's width; or "+321 %, no interval".
[[nodiscard]] std::string
change_text(double ratio, const std::optional<stats::Interval>& interval, double confidence);

}  // namespace gensink::experiment::detail
