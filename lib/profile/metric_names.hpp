// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace gensink::profile {

/// What a profile may ask to be reported. How each is computed is trial's business; a test keeps
/// both lists the same. kind: compared at equal load (cost), at load max (rate), or either (other).
struct MetricName {
    enum class Kind { cost, rate, other };
    std::string_view name;
    std::string_view unit;  ///< "fps", "bit/s", "ticks", "ns", "us/KB", "ratio", "frames", "calls"
    Kind kind = Kind::other;
    bool needs_sink = false;
};

[[nodiscard]] std::span<const MetricName> metric_names();

/// What an expectation may name besides: b of an arm's fit, over b of the first arm's.
inline constexpr MetricName fit_ratio{"fit.b_ratio", "ratio", MetricName::Kind::other, false};

/// Null where there is none of that name.
[[nodiscard]] const MetricName* find_metric_name(std::string_view name);

}  // namespace gensink::profile
