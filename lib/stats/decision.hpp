// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/interval.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gensink::stats {

enum class Decision { no_difference, gain, loss, inconclusive };

/// Wholly inside +-margin: no difference; else wholly on one side of 0: gain or loss; else
/// inconclusive. `change` > 0 is better. The width alone never decides, nor does a missing
/// interval.
[[nodiscard]] inline Decision decide(const std::optional<Interval>& change, double margin) {
    if (!change || std::isnan(change->low) || std::isnan(change->high)) {
        return Decision::inconclusive;
    }
    if (change->low >= -margin && change->high <= margin) {
        return Decision::no_difference;
    }
    if (change->low > 0.0) {
        return Decision::gain;
    }
    return change->high < 0.0 ? Decision::loss : Decision::inconclusive;
}

/// The smallest margin at which `decide` would say no difference.
[[nodiscard]] inline double smallest_margin(const Interval& change) {
    return std::max(std::abs(change.low), std::abs(change.high));
}

/// How the interval of a placebo lies to the margin.
enum class PlaceboLie { inside, straddles, outside };

/// A missing interval straddles: nothing was cleared.
[[nodiscard]] inline PlaceboLie placebo_lie(const std::optional<Interval>& change, double margin) {
    if (decide(change, margin) == Decision::no_difference) {
        return PlaceboLie::inside;
    }
    const bool outside = change && (change->low > margin || change->high < -margin);
    return outside ? PlaceboLie::outside : PlaceboLie::straddles;
}

}  // namespace gensink::stats
