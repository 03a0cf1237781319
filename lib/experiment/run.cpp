// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/cost_load.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/limit.hpp"
#include "experiment/detail/runner.hpp"
#include "experiment/detail/table.hpp"
#include "experiment/search.hpp"

#include <fmt/format.h>

#include <utility>

namespace gensink::experiment {

namespace detail {

namespace {

using trial::LoadKind;

Probe as_probe(const trial::TrialResult& trial) {
    const trial::Metric* offered = trial::find_metric("tx.fps");
    const trial::Metric* received = trial::find_metric("rx.fps");
    Probe probe;
    probe.offered_fps = offered->value(trial).value_or(0.0);
    probe.received_fps = received->value(trial);
    // Integers decide on loss 0; a corrupt frame did not arrive either.
    const auto undelivered = trial.ledger.lost + static_cast<std::int64_t>(trial.ledger.corrupt);
    if (trial.ledger.has_sink && trial.ledger.accepted > 0 && undelivered > 0) {
        probe.loss_ratio =
            static_cast<double>(undelivered) / static_cast<double>(trial.ledger.accepted);
    }
    return probe;
}

}  // namespace

void Runner::search_cell(std::size_t cell) {
    std::optional<std::size_t> at_max;
    std::string failure = "the search was stopped";
    const Measure measure = [&](std::optional<double> fps) -> std::optional<Probe> {
        auto asked = request({cell, fps ? LoadKind::probe : LoadKind::max}, 0, 0);
        asked.intended_fps = fps;
        const auto made = run_retried(asked);
        if (!made || stopped()) {
            return std::nullopt;
        }
        if (!result_.trials[*made].complete) {
            failure = "a trial failed: " + why_invalid(result_.trials[*made]);
            return std::nullopt;
        }
        if (!fps) {
            at_max = made;
        }
        return as_probe(result_.trials[*made]);
    };
    const SearchBounds bounds{
        .loss_ratio = plan_.search->loss_ratio,
        .resolution_ratio = plan_.search->resolution_ratio,
        .repeats = plan_.search->repeats,
    };
    const Found found = ndr_search(bounds, measure);
    SearchResult result;
    result.cell = cell;
    result.max_offered_fps = found.max_offered_fps;
    result.max_received_fps = found.max_received_fps;
    result.found_fps = found.found_fps;
    result.low_fps = found.low_fps;
    result.high_fps = found.high_fps;
    result.probes = found.probes;
    result.limit = "unknown";
    if (at_max) {
        Limit limit = find_limit(plan_.cells[cell].trial, result_.trials[*at_max]);
        result.limit = std::move(limit.name);
        result.evidence = std::move(limit.evidence);
        result.line_ratio = limit.line_ratio;
    }
    if (!found.complete) {
        result.evidence += (result.evidence.empty() ? "" : "; ") + failure;
    }
    result_.searches.push_back(std::move(result));
}

void Runner::search() {
    if (!plan_.search || stopped()) {
        return;
    }
    begin_round(0);
    for (std::size_t cell = 0; cell < plan_.cells.size() && !stopped(); ++cell) {
        if (!plan_.cells[cell].placebo) {
            search_cell(cell);
        }
    }
}

}  // namespace detail

ExperimentResult run(const plan::Plan& plan, const Hooks& hooks) {
    ExperimentResult result;
    detail::Runner(plan, hooks, result).run();
    analyse(plan, result);
    return result;
}

}  // namespace gensink::experiment
