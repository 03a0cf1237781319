// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <cstdint>
#include <string>

/// Results as they could have been measured, with round numbers that a reader can check.
namespace gensink::report::fixture {

struct TrialNumbers {
    std::size_t cell = 0;
    unsigned round = 1;
    trial::LoadKind kind = trial::LoadKind::max;
    std::uint64_t frames = 10'000'000;   ///< accepted in one second
    std::uint64_t sending_ticks = 100;   ///< a frame
    std::uint64_t receiving_ticks = 80;  ///< a frame
    std::uint64_t burst = 32;
    std::uint64_t lost = 0;
};

inline constexpr std::uint64_t tsc_hz = 2'000'000'000;

/// A whole, valid trial of one second with a core at each end; the ledger closes.
[[nodiscard]] trial::TrialResult trial_of(const Saved& saved, const TrialNumbers& numbers);

/// Two arms over the cable, one round at load max: nothing swept.
[[nodiscard]] Saved small();

/// Two arms and a placebo over two block sizes, rates and costs, with fits, expectations, a lost
/// frame in a thousand million, and warnings.
[[nodiscard]] Saved sweep();

/// A search over ports that lose frames.
[[nodiscard]] Saved search();

/// Interrupted before any trial counted: a worker died, another trial was cut.
[[nodiscard]] Saved broken();

/// Objects fetched one by one with two initial windows, one of them after a timeout.
[[nodiscard]] Saved transfer(plan::WireKind wire);

}  // namespace gensink::report::fixture
