// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/layout.hpp"

#include <algorithm>

namespace gensink::experiment::detail {

namespace {

std::vector<trial::MetricKind> kinds_asked(const plan::Plan& plan) {
    std::vector<trial::MetricKind> kinds;
    const auto add = [&kinds](const std::string& name) {
        if (const trial::Metric* metric = trial::find_metric(name)) {
            kinds.push_back(metric->kind);
        }
    };
    std::for_each(plan.metrics.begin(), plan.metrics.end(), add);
    if (plan.fit) {
        add(plan.fit->metric);
    }
    if (plan.knee) {
        add(plan.knee->metric);
        kinds.push_back(trial::MetricKind::cost);  // only a paced frame can be held
    }
    if (kinds.empty()) {
        kinds.push_back(trial::MetricKind::other);
    }
    return kinds;
}

}  // namespace

std::string at_text(const Point& point) {
    std::string text;
    for (const auto& [key, value] : point) {
        text += text.empty() ? " at " : ", ";
        text.append(key).append(" ").append(value);
    }
    return text;
}

std::string label(const plan::Cell& cell) {
    return cell.placebo ? "placebo" : cell.arm;
}

std::optional<std::size_t> baseline_of(const plan::Plan& plan, std::size_t cell) {
    if (!plan.compare) {
        return std::nullopt;
    }
    const plan::Cell& wanted = plan.cells[cell];
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        const plan::Cell& other = plan.cells[i];
        if (i != cell && !other.placebo && other.arm == plan.compare->baseline &&
            other.point == wanted.point) {
            return i;
        }
    }
    return std::nullopt;
}

unsigned simultaneous_comparisons(const plan::Plan& plan) {
    unsigned count = 0;
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        count += !plan.cells[i].placebo && baseline_of(plan, i) ? 1U : 0U;
    }
    return count;
}

trial::LoadKind
load_kind(const plan::Plan& plan, const plan::Cell& cell, trial::MetricKind metric) {
    if (!plan.has_cost_load() || cell.trial.load.unit != flow::LoadUnit::max) {
        return trial::LoadKind::as_planned;
    }
    return metric == trial::MetricKind::cost ? trial::LoadKind::cost : trial::LoadKind::max;
}

std::vector<Slot> round_slots(const plan::Plan& plan) {
    const auto kinds = kinds_asked(plan);
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        for (const trial::MetricKind kind : kinds) {
            const Slot slot{i, load_kind(plan, plan.cells[i], kind)};
            if (std::find(slots.begin(), slots.end(), slot) == slots.end()) {
                slots.push_back(slot);
            }
        }
    }
    return slots;
}

}  // namespace gensink::experiment::detail
