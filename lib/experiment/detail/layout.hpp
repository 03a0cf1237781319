// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/metrics.hpp"
#include "trial/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Which trials a plan asks for, and how its cells lie to each other.
namespace gensink::experiment::detail {

using Point = std::vector<std::pair<std::string, std::string>>;

/// " at traffic.block_size 128 B, tx.burst 32", or nothing where nothing is swept.
[[nodiscard]] std::string at_text(const Point& point);

/// "placebo" or the arm's name.
[[nodiscard]] std::string label(const plan::Cell& cell);

/// The baseline's cell at the same point; absent without a comparison, and for the baseline itself.
[[nodiscard]] std::optional<std::size_t> baseline_of(const plan::Plan& plan, std::size_t cell);

/// Arms other than the baseline times points: the intervals that must hold together.
[[nodiscard]] unsigned simultaneous_comparisons(const plan::Plan& plan);

/// The load at which a metric of a kind is measured in a cell. Under a comparison or a knee at load
/// max, cost is measured at equal intended load and all else at max; otherwise one trial serves all
/// metrics.
[[nodiscard]] trial::LoadKind
load_kind(const plan::Plan& plan, const plan::Cell& cell, trial::MetricKind metric);

/// One trial of a round.
struct Slot {
    std::size_t cell = 0;
    trial::LoadKind kind = trial::LoadKind::as_planned;
    friend bool operator==(const Slot&, const Slot&) = default;
};

/// Every trial of one round, in the plan's order.
[[nodiscard]] std::vector<Slot> round_slots(const plan::Plan& plan);

}  // namespace gensink::experiment::detail
