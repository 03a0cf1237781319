// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// What is left out of a mean, and on which side.
namespace gensink::stats {

/// trim_high: the `trim` largest. trim_both: the `trim` smallest and the `trim` largest. mad: what
/// lies further from the median than 3 * 1.4826 MAD (of a normal sample, 3 deviations: Leys et al.,
/// J. Exp. Soc. Psychology 49(4), 2013).
enum class OutlierKind { none, trim_high, trim_both, mad };

struct OutlierRule {
    OutlierKind kind = OutlierKind::none;
    std::size_t trim = 2;
};

/// What a rule keeps of a sample.
struct Kept {
    std::vector<bool> keeps;  ///< by index into the sample
    std::size_t cut_low = 0;
    std::size_t cut_high = 0;

    /// Only one tail was cut: what the mean says of the other may not be what it seems.
    [[nodiscard]] bool one_sided() const { return (cut_low == 0) != (cut_high == 0); }
};

/// Of equal values the later ones are cut. A rule that would keep nothing cuts nothing.
[[nodiscard]] Kept keep(std::span<const double> values, const OutlierRule& rule);

/// The values that are kept, in their order.
[[nodiscard]] std::vector<double> kept_values(std::span<const double> values, const Kept& kept);

/// Mean of what the rule keeps; absent for no value.
[[nodiscard]] std::optional<double>
kept_mean(std::span<const double> values, const OutlierRule& rule);

}  // namespace gensink::stats
