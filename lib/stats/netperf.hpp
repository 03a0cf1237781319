// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// netperf 2.4's own statistics (-i max,min -I level,width), for users who compare with it. Its
/// rule stops as soon as the interval is narrow, which under-covers: at a deviation of 3 % and at
/// most 10 iterations, the nominal 99 % interval of the runs that converge covers 93 %.
namespace gensink::stats::netperf {

inline constexpr unsigned min_iterations = 3;
inline constexpr unsigned max_iterations = 30;

/// The only two levels that netperf has.
enum class Level { percent_95, percent_99 };

/// Absent unless `confidence` is 0.95 or 0.99.
[[nodiscard]] std::optional<Level> level(double confidence);

/// FULL width of the interval over the mean: 2 t(level, n - 1) s / (sqrt(n) mean). "-I 99,5" asks
/// for 0.05, i.e. +-2.5 %. Absent below two values or for a mean that is not above 0.
[[nodiscard]] std::optional<double> width_ratio(std::span<const double> values, Level level);

/// Whether every series (netperf's are throughput, local CPU and remote CPU) is narrow enough after
/// between 3 and 30 iterations. False for no series.
[[nodiscard]] bool
converged(std::span<const std::vector<double>> series, Level level, double max_width_ratio);

/// Service demand in us of CPU per KiB: CPU% * 10^4 / (KiB/s) * CPUs. Absent for no throughput.
[[nodiscard]] std::optional<double>
service_demand_us_per_kib(double cpu_percent, double kib_per_second, unsigned cpus);

}  // namespace gensink::stats::netperf
