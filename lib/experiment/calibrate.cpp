// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/analysis.hpp"
#include "experiment/detail/cost_load.hpp"
#include "experiment/detail/layout.hpp"
#include "experiment/detail/runner.hpp"
#include "plan/make.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::experiment::detail {

namespace {

using trial::LoadKind;

/// A sixth of the slowest arm's maximum: every arm reaches it, and none is saturated by it.
/// A full ring batches by itself what a paced generator hands over alone: on the cable one frame at
/// a time costs so much more when paced that a third of the maximum takes nine tenths of its core,
/// and all of it on a noisy host.
constexpr double cost_load_ratio = 1.0 / 6.0;

/// Cells of one point have one cost load. Where the knee of a key is looked for, so have all its
/// values: hold times are compared over them.
Point shared_point(const plan::Plan& plan, const plan::Cell& cell) {
    Point point = cell.point;
    if (plan.knee) {
        std::erase_if(point, [](const auto& swept) { return swept.first == plan::knee_key; });
    }
    return point;
}

std::vector<Point> points_of(const plan::Plan& plan) {
    std::vector<Point> points;
    for (const plan::Cell& cell : plan.cells) {
        const Point point = shared_point(plan, cell);
        if (std::find(points.begin(), points.end(), point) == points.end()) {
            points.push_back(point);
        }
    }
    return points;
}

}  // namespace

std::optional<double> Runner::calibrate_cell(std::size_t cell) {
    const std::size_t first = result_.trials.size();
    if (!run_retried(request({cell, LoadKind::max}, 0, 0))) {
        return std::nullopt;
    }
    // A disturbed trial carries less, never more: the best attempt is the nearest to the maximum.
    std::optional<double> best;
    for (std::size_t i = first; i < result_.trials.size(); ++i) {
        if (const auto carried = carried_fps(result_.trials[i])) {
            best = std::max(*carried, best.value_or(0.0));
        }
    }
    return best;
}

void Runner::set_cost_load(const Point& point, std::optional<double> fps) {
    if (!fps) {
        warn(
            result_,
            fmt::format(
                "no cost load{}: no arm could be calibrated at load max, so no cost was measured "
                "there; set compare.cost_load, or see the calibration trials' reasons",
                at_text(point)
            )
        );
        return;
    }
    for (std::size_t i = 0; i < plan_.cells.size(); ++i) {
        if (shared_point(plan_, plan_.cells[i]) == point) {
            cost_loads_[i] = {.known = true, .fps = fps};
        }
    }
}

void Runner::use_written_cost_load(const flow::Load& load) {
    for (std::size_t i = 0; i < plan_.cells.size(); ++i) {
        const plan::TrialPlan& cell = plan_.cells[i].trial;
        const auto fps = plan::intended_fps(
            load, cell.mean_frame_bytes(), cell.mean_payload_bytes(), cell.line_bps
        );
        if (fps) {
            cost_loads_[i] = {.known = true, .fps = *fps};
        } else {
            warn(
                result_,
                fmt::format(
                    "no cost load{}: {}", at_text(plan_.cells[i].point), fps.error().message
                )
            );
        }
    }
}

void Runner::calibrate_point(const Point& point, const std::vector<std::size_t>& cells) {
    std::optional<double> slowest;
    bool asked = false;
    for (const std::size_t cell : cells) {
        if (shared_point(plan_, plan_.cells[cell]) != point) {
            continue;
        }
        asked = true;
        const auto carried = calibrate_cell(cell);
        if (stopped()) {
            return;
        }
        if (carried) {
            slowest = std::min(*carried, slowest.value_or(*carried));
        }
    }
    if (asked) {
        set_cost_load(point, slowest ? std::optional(cost_load_ratio * *slowest) : std::nullopt);
    }
}

void Runner::calibrate() {
    std::vector<std::size_t> cells;
    for (const Slot& slot : slots_) {
        if (slot.kind == LoadKind::cost && !plan_.cells[slot.cell].placebo) {
            cells.push_back(slot.cell);
        }
    }
    if (cells.empty()) {
        return;
    }
    if (const auto written = plan_.cost_load()) {
        use_written_cost_load(*written);
        return;
    }
    total_ += static_cast<unsigned>(cells.size());
    begin_round(0);
    for (const Point& point : points_of(plan_)) {
        if (!stopped()) {
            calibrate_point(point, cells);
        }
    }
}

}  // namespace gensink::experiment::detail
