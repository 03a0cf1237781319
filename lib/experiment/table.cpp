// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/table.hpp"

#include <algorithm>
#include <tuple>

namespace gensink::experiment::detail {

namespace {

using trial::ReasonCode;
using trial::Severity;
using trial::TrialResult;

bool has(const TrialResult& trial, ReasonCode code) {
    return std::any_of(trial.reasons.begin(), trial.reasons.end(), [code](const auto& reason) {
        return reason.code == code;
    });
}

bool has(const TrialResult& trial, Severity severity) {
    return std::any_of(trial.reasons.begin(), trial.reasons.end(), [severity](const auto& reason) {
        return reason.severity == severity;
    });
}

auto place(const TrialResult* trial) {
    return std::tuple(trial->round, trial->attempt);
}

bool by_place(const TrialResult* left, const TrialResult* right) {
    return place(left) < place(right);
}

}  // namespace

Standing standing(const TrialResult& trial) {
    if (has(trial, ReasonCode::interrupted)) {
        return Standing::cut;
    }
    if (has(trial, Severity::invalid)) {
        return Standing::invalid;
    }
    if (has(trial, Severity::external)) {
        return Standing::disturbed;
    }
    return trial.complete ? Standing::good : Standing::invalid;
}

bool died(const TrialResult& trial) {
    return has(trial, ReasonCode::datapath_died) || has(trial, ReasonCode::environment);
}

std::string why_invalid(const TrialResult& trial) {
    for (const auto& reason : trial.reasons) {
        if (reason.severity == Severity::invalid) {
            return reason.message;
        }
    }
    return "the measure phase did not run to its end";
}

Table::Table(std::size_t cells, std::span<const TrialResult> trials) : cells_(cells) {
    for (const TrialResult& trial : trials) {
        if (trial.round > 0 && trial.cell < cells && standing(trial) != Standing::cut) {
            cells_[trial.cell][static_cast<std::size_t>(trial.load_kind)].push_back(&trial);
        }
    }
    for (auto& cell : cells_) {
        for (auto& list : cell) {
            if (!std::is_sorted(list.begin(), list.end(), by_place)) {
                std::stable_sort(list.begin(), list.end(), by_place);
            }
        }
    }
}

const TrialList& Table::all(std::size_t cell, trial::LoadKind kind) const {
    return cells_[cell][static_cast<std::size_t>(kind)];
}

TrialList Table::counted(std::size_t cell, trial::LoadKind kind) const {
    TrialList result;
    for (const TrialResult* trial : all(cell, kind)) {
        if (!trial->complete || standing(*trial) == Standing::disturbed) {
            continue;
        }
        if (!result.empty() && result.back()->round == trial->round) {
            result.back() = trial;
        } else {
            result.push_back(trial);
        }
    }
    return result;
}

namespace {

/// Of each round the last undisturbed pair counts.
void enter(const Pair& pair, Pairs& pairs) {
    pairs.all.push_back(pair);
    if (pair.disturbed) {
        return;
    }
    if (!pairs.counted.empty() && pairs.counted.back().arm->round == pair.arm->round) {
        pairs.counted.back() = pair;
    } else {
        pairs.counted.push_back(pair);
    }
}

}  // namespace

Pairs pair_up(const TrialList& baseline, const TrialList& arm) {
    Pairs pairs;
    auto left = baseline.begin();
    auto right = arm.begin();
    while (left != baseline.end() && right != arm.end()) {
        if (place(*left) < place(*right)) {
            ++left;
            continue;
        }
        if (place(*right) < place(*left)) {
            ++right;
            continue;
        }
        const Pair pair{
            .baseline = *left,
            .arm = *right,
            .disturbed =
                standing(**left) == Standing::disturbed || standing(**right) == Standing::disturbed,
        };
        ++left;
        ++right;
        if (pair.baseline->complete && pair.arm->complete) {
            enter(pair, pairs);
        }
    }
    return pairs;
}

}  // namespace gensink::experiment::detail
