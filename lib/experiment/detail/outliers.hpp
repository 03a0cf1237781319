// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/detail/analysis.hpp"
#include "stats/outliers.hpp"

#include <vector>

/// What outlier rules leave out of comparisons, and what that changes.
namespace gensink::experiment::detail {

/// "trim_high 2", "mad".
[[nodiscard]] std::string rule_text(const stats::OutlierRule& rule);

/// Pairs of which the rule, over the trials of either cell, keeps both, and what it cut.
struct KeptPairs {
    std::vector<Pair> pairs;
    std::size_t cut_low = 0;
    std::size_t cut_high = 0;

    [[nodiscard]] bool one_sided() const { return (cut_low == 0) != (cut_high == 0); }
};

[[nodiscard]] KeptPairs kept_pairs(
    const trial::Metric& metric, const std::vector<Pair>& pairs, const stats::OutlierRule& rule
);

/// The metric without the rule that it applies within a trial; null where it applies none.
[[nodiscard]] const trial::Metric* raw_metric(const trial::Metric& metric);

/// The rule within these trials cut blocks on one side alone.
[[nodiscard]] bool cuts_blocks_on_one_side(const std::vector<Pair>& pairs);

/// Cells where a rule that cut the slowest blocks alone moved the mean. Needs cells.
void warn_of_one_sided_blocks(Analysis& analysis);

}  // namespace gensink::experiment::detail
