// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/selection.hpp"

#include "trial/metrics.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace gensink::report::detail {

namespace {

/// Last attempt of each round.
[[nodiscard]] std::map<unsigned, unsigned> last_attempts(const Saved& saved) {
    std::map<unsigned, unsigned> last;
    for (const trial::TrialResult& trial : saved.result.trials) {
        unsigned& attempt = last[trial.round];
        attempt = std::max(attempt, trial.attempt);
    }
    return last;
}

}  // namespace

std::vector<Sample> samples(const Saved& saved) {
    using trial::LoadKind;
    const std::map<unsigned, unsigned> last = last_attempts(saved);
    const bool has_rounds = last.upper_bound(0) != last.end();
    std::vector<Sample> all;
    for (const LoadKind kind :
         {LoadKind::as_planned, LoadKind::max, LoadKind::cost, LoadKind::probe}) {
        for (std::size_t cell = 0; cell < saved.plan.cells.size(); ++cell) {
            Sample sample{.cell = cell, .kind = kind, .trials = {}};
            std::vector<const trial::TrialResult*> invalid;
            for (const trial::TrialResult& trial : saved.result.trials) {
                const bool belongs = trial.cell == cell && trial.load_kind == kind &&
                                     (trial.round > 0 || !has_rounds) &&
                                     trial.attempt == last.at(trial.round);
                if (belongs) {
                    ++sample.made;
                    (trial.valid() ? sample.trials : invalid).push_back(&trial);
                }
            }
            sample.counted = !sample.trials.empty();
            if (!sample.counted) {
                sample.trials = invalid;
            }
            if (sample.made > 0) {
                all.push_back(std::move(sample));
            }
        }
    }
    return all;
}

std::vector<const trial::TrialResult*> counted_trials(const Saved& saved) {
    const std::map<unsigned, unsigned> last = last_attempts(saved);
    std::vector<const trial::TrialResult*> counted;
    for (const trial::TrialResult& trial : saved.result.trials) {
        if (trial.round > 0 && trial.attempt == last.at(trial.round) && trial.valid()) {
            counted.push_back(&trial);
        }
    }
    return counted;
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
