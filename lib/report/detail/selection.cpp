// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/selection.hpp"

#include "trial/metrics.hpp"

#include <algorithm>
#include <iterator>

namespace gensink::report::detail {

namespace {

using trial::TrialResult;

[[nodiscard]] bool interrupted(const TrialResult& trial) {
    return std::ranges::any_of(trial.reasons, [](const trial::Reason& reason) {
        return reason.code == trial::ReasonCode::interrupted;
    });
}

[[nodiscard]] bool counts(const TrialResult& trial) {
    return trial.complete && !interrupted(trial) && (trial.valid() || !trial.external());
}

/// Of each round the last that counts; every trial outside rounds.
[[nodiscard]] std::vector<const TrialResult*> counted(const std::vector<const TrialResult*>& all) {
    std::vector<const TrialResult*> chosen;
    for (const TrialResult* one : all) {
        if (!counts(*one)) {
            continue;
        }
        const auto same = std::ranges::find_if(chosen, [&](const TrialResult* other) {
            return one->round > 0 && other->round == one->round;
        });
        if (same == chosen.end()) {
            chosen.push_back(one);
        } else if ((*same)->attempt <= one->attempt) {
            *same = one;
        }
    }
    return chosen;
}

/// Trials of rounds, or all of them where there is no round.
[[nodiscard]] std::vector<const TrialResult*> candidates(const Saved& saved) {
    std::vector<const TrialResult*> rounds;
    std::vector<const TrialResult*> all;
    for (const TrialResult& one : saved.result.trials) {
        all.push_back(&one);
        if (one.round > 0) {
            rounds.push_back(&one);
        }
    }
    return rounds.empty() ? all : rounds;
}

[[nodiscard]] Sample sample_of(
    std::size_t cell, trial::LoadKind kind, const std::vector<const TrialResult*>& candidates
) {
    std::vector<const TrialResult*> made;
    std::ranges::copy_if(candidates, std::back_inserter(made), [&](const TrialResult* one) {
        return one->cell == cell && one->load_kind == kind;
    });
    Sample sample{.cell = cell, .kind = kind, .trials = counted(made), .made = made.size()};
    sample.counted = !sample.trials.empty();
    sample.invalid = static_cast<std::size_t>(
        std::ranges::count_if(sample.trials, [](const auto* one) { return !one->valid(); })
    );
    if (!sample.counted) {
        std::ranges::copy_if(made, std::back_inserter(sample.trials), [](const auto* one) {
            return one->complete;
        });
    }
    return sample;
}

}  // namespace

std::vector<Sample> samples(const Saved& saved) {
    using trial::LoadKind;
    const std::vector<const TrialResult*> trials = candidates(saved);
    std::vector<Sample> all;
    for (const LoadKind kind :
         {LoadKind::as_planned, LoadKind::max, LoadKind::cost, LoadKind::probe}) {
        for (std::size_t cell = 0; cell < saved.plan.cells.size(); ++cell) {
            Sample sample = sample_of(cell, kind, trials);
            if (sample.made > 0) {
                all.push_back(std::move(sample));
            }
        }
    }
    return all;
}

std::optional<double> mean(const Sample& sample, std::string_view metric) {
    const trial::Metric* found = trial::find_metric(metric);
    if (found == nullptr) {
        return std::nullopt;
    }
    double sum = 0;
    std::size_t n = 0;
    for (const trial::TrialResult* trial : sample.trials) {
        if (const std::optional<double> value = found->value(*trial)) {
            sum += *value;
            ++n;
        }
    }
    return n == 0 ? std::nullopt : std::optional(sum / static_cast<double>(n));
}

std::optional<double> mean_intended(const Sample& sample) {
    if (sample.trials.empty()) {
        return std::nullopt;
    }
    double sum = 0;
    for (const TrialResult* one : sample.trials) {
        if (!one->intended_fps) {
            return std::nullopt;
        }
        sum += *one->intended_fps;
    }
    return sum / static_cast<double>(sample.trials.size());
}

std::vector<std::string> swept_keys(const Saved& saved) {
    std::vector<std::string> keys;
    for (const CellSummary& cell : saved.plan.cells) {
        for (const auto& [key, value] : cell.point) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                keys.push_back(key);
            }
        }
    }
    return keys;
}

std::string short_key(const std::string& key) {
    const std::size_t dot = key.rfind('.');
    return dot == std::string::npos ? key : key.substr(dot + 1);
}

std::string point_text(const std::vector<std::pair<std::string, std::string>>& point) {
    std::string text;
    for (const auto& [key, value] : point) {
        text.append(text.empty() ? "" : ", ").append(short_key(key)).append(" ").append(value);
    }
    return text;
}

std::string
value_at(const std::vector<std::pair<std::string, std::string>>& point, const std::string& key) {
    for (const auto& [name, value] : point) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

}  // namespace gensink::report::detail
