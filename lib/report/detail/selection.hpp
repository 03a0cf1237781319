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
    std::size_t made = 0;
    bool counted = false;  ///< false: none is valid, and `trials` are shown for diagnosis only
};

/// Samples of all cells, by kind, then in the plan's order. Rounds count, and of a repeated round
/// the last attempt; calibration and probes appear only when there is nothing else.
[[nodiscard]] std::vector<Sample> samples(const Saved& saved);

/// Trials that count: valid, of a round, of the round's last attempt.
[[nodiscard]] std::vector<const trial::TrialResult*> counted_trials(const Saved& saved);

/// Mean of a metric over the sample's trials that define it.
[[nodiscard]] std::optional<double> mean(const Sample& sample, std::string_view metric);

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
