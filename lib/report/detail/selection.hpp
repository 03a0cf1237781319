// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which trials stand behind a printed number.
namespace gensink::report::detail {

/// The trials of one cell at one kind of load.
struct Sample {
    std::size_t cell = 0;
    trial::LoadKind kind{};
    std::vector<const trial::TrialResult*> trials;  ///< what the numbers are made of
    std::size_t made = 0;                           ///< all that were run, repeats too
    std::size_t invalid = 0;                        ///< of `trials`
    bool counted = false;  ///< false: none counts, and `trials` are shown for diagnosis only
};

/// Samples of all cells, by kind, then in the plan's order. A trial counts when it ran to its end
/// undisturbed; of a repeated round the last one. Invalid ones stay, as they are never repeated
/// away. Calibration and probes appear only when there is no round.
[[nodiscard]] std::vector<Sample> samples(const Saved& saved);

/// Mean of a metric over the sample's trials that define it.
[[nodiscard]] std::optional<double> mean(const Sample& sample, std::string_view metric);

/// Mean intended load; absent where a trial ran at max.
[[nodiscard]] std::optional<double> mean_intended(const Sample& sample);

/// Swept keys in the order in which they first appear.
[[nodiscard]] std::vector<std::string> swept_keys(const Saved& saved);
/// "block_size 128 B, burst 32", empty without a sweep.
[[nodiscard]] std::string point_text(const std::vector<std::pair<std::string, std::string>>& point);
/// "traffic.block_size" is "block_size".
[[nodiscard]] std::string short_key(const std::string& key);
/// The value at `key`, or empty.
[[nodiscard]] std::string
value_at(const std::vector<std::pair<std::string, std::string>>& point, const std::string& key);

}  // namespace gensink::report::detail
