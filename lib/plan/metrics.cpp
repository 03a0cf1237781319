// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/experiment.hpp"
#include "profile/metric_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

/// What a profile that names no metrics is about.
profile::Names default_metrics(const Plan& plan) {
    const bool closed = std::ranges::all_of(plan.cells, [](const Cell& cell) {
        return cell.trial.transport.has_value();
    });
    const bool objects = closed && std::ranges::all_of(plan.cells, [](const Cell& cell) {
                             return cell.trial.transport->sender.sequential;
                         });
    if (objects) {
        return {"transfer.object_ms"};
    }
    if (closed) {
        return {"transfer.bps_payload"};
    }
    return {"tx.ticks_per_frame", cell_without_sink(plan) == nullptr ? "rx.fps" : "tx.fps"};
}

/// ACKs are what a transfer is measured by.
void check_loops(const Settings& common, const Plan& plan, Problems& problems) {
    const auto open = std::ranges::find_if(plan.cells, [](const Cell& cell) {
        return !cell.trial.transport.has_value();
    });
    for (const std::string& name : plan.metrics) {
        if (name.starts_with("transfer.") && open != plan.cells.end()) {
            problems.add(
                common.where("metrics"),
                fmt::format(
                    "`{}` is measured by ACKs, and arm `{}` asks for none: set window.limit, or "
                    "ack.policy: immediate",
                    name,
                    open->arm
                )
            );
        }
    }
}

}  // namespace

const Cell* cell_without_sink(const Plan& plan) {
    const auto at =
        std::ranges::find_if(plan.cells, [](const Cell& cell) { return !cell.trial.sink; });
    return at == plan.cells.end() ? nullptr : &*at;
}

void plan_metrics(const Settings& common, Plan& plan, Problems& problems) {
    const Cell* blind = cell_without_sink(plan);
    plan.metrics = common.find<profile::Names>("metrics").value_or(default_metrics(plan));
    check_loops(common, plan, problems);
    const auto needs_sink = [](const std::string& name) {
        const profile::MetricName* metric = profile::find_metric_name(name);
        return metric != nullptr && metric->needs_sink;
    };
    const bool no_sink_at_all = std::ranges::none_of(plan.cells, [](const Cell& cell) {
        return cell.trial.sink.has_value();
    });
    if (no_sink_at_all && !std::ranges::all_of(plan.metrics, needs_sink)) {
        // A bundled profile on one port: what can be measured there is measured.
        for (const std::string& name : plan.metrics) {
            if (needs_sink(name)) {
                warn(plan.warnings, fmt::format("`{}` is left out: there is no sink", name));
            }
        }
        std::erase_if(plan.metrics, needs_sink);
    }
    for (const std::string& name : plan.metrics) {
        if (needs_sink(name) && blind != nullptr) {
            problems.add(
                common.where("metrics"),
                fmt::format("`{}` needs a sink, and arm `{}` has none", name, blind->arm)
            );
        }
    }
}

}  // namespace gensink::plan::detail
