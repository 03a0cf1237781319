// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/result.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// Finished trials by cell, load kind, round and attempt.
namespace gensink::experiment::detail {

/// What a trial is worth. cut: it was interrupted, and says nothing about its cell.
enum class Standing { good, disturbed, invalid, cut };

[[nodiscard]] Standing standing(const trial::TrialResult& trial);

/// The datapath or its environment failed: nothing was measured.
[[nodiscard]] bool died(const trial::TrialResult& trial);

/// Message of the first reason that makes the trial invalid.
[[nodiscard]] std::string why_invalid(const trial::TrialResult& trial);

using TrialList = std::vector<const trial::TrialResult*>;

/// Trials of rounds 1 and up. Refers to `trials`, which must stay.
class Table {
  public:
    Table(std::size_t cells, std::span<const trial::TrialResult> trials);

    /// By round, then attempt; without those that were cut.
    [[nodiscard]] const TrialList& all(std::size_t cell, trial::LoadKind kind) const;

    /// One a round: its last undisturbed attempt. Invalid ones too: what was measured is shown.
    [[nodiscard]] TrialList counted(std::size_t cell, trial::LoadKind kind) const;

  private:
    static constexpr std::size_t kinds = 4;
    std::vector<std::array<TrialList, kinds>> cells_;
};

/// Trials of baseline and arm from the same attempt of the same round.
struct Pair {
    const trial::TrialResult* baseline = nullptr;
    const trial::TrialResult* arm = nullptr;
    bool disturbed = false;
};

struct Pairs {
    std::vector<Pair> counted;  ///< one a round: its last undisturbed pair
    std::vector<Pair> all;      ///< every attempt
};

/// Pairs of complete trials; both lists by round, then attempt.
[[nodiscard]] Pairs pair_up(const TrialList& baseline, const TrialList& arm);

}  // namespace gensink::experiment::detail
