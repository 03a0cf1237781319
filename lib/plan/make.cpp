// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make.hpp"

#include "plan/detail/cell.hpp"
#include "plan/detail/direction.hpp"
#include "plan/detail/experiment.hpp"
#include "plan/detail/kernel.hpp"
#include "plan/detail/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace gensink::plan {

namespace {

using detail::Problems;

/// Over all cells, so that those that share a device agree on its buffers.
std::uint32_t largest_frame_bytes(const profile::Profile& profile) {
    std::uint32_t largest = 0;
    Problems ignored;  // the same are reported when the cells are planned
    for (const profile::Cell& cell : profile.cells) {
        largest =
            std::max(largest, detail::largest_frame(detail::make_recipe(cell.settings, ignored)));
    }
    return largest;
}

/// What the threads of the cell that is worst off share.
struct Sharing {
    std::size_t threads = 0;   ///< datapath threads in all
    std::size_t together = 0;  ///< the most of them on one CPU
    CpuId cpu;
};

Sharing sharing_of(const Cell& cell) {
    std::vector<CpuId> cpus;
    for (const CorePlan& core : cell.trial.gen.cores) {
        cpus.push_back(core.cpu);
    }
    if (cell.trial.sink) {
        for (const CorePlan& core : cell.trial.sink->cores) {
            cpus.push_back(core.cpu);
        }
    }
    Sharing sharing{cpus.size(), 0, {}};
    for (const CpuId cpu : cpus) {
        const auto together = static_cast<std::size_t>(std::ranges::count(cpus, cpu));
        if (together > sharing.together) {
            sharing.together = together;
            sharing.cpu = cpu;
        }
    }
    return sharing;
}

void warn_of_shared_cores(Plan& plan, const Topology& topology) {
    Sharing worst;
    for (const Cell& cell : plan.cells) {
        const Sharing one = sharing_of(cell);
        const bool worse =
            std::pair(one.together, one.threads) > std::pair(worst.together, worst.threads);
        worst = worse ? one : worst;
    }
    const std::size_t cpus = topology.cpus.size();
    if (worst.threads > cpus) {
        detail::warn(
            plan.warnings,
            fmt::format(
                "SHARED CORES: {} datapath threads take turns on {} CPUs; rates say little",
                worst.threads,
                cpus
            )
        );
    } else if (worst.together > 1) {
        detail::warn(
            plan.warnings,
            fmt::format(
                "SHARED CORES: {} datapath threads are pinned to CPU {} and take turns: rates and "
                "bursts say little; name other CPUs in host.gen_cpus and host.sink_cpus, or leave "
                "them out",
                worst.together,
                worst.cpu.value
            )
        );
    } else {
        detail::warn(
            plan.warnings,
            fmt::format(
                "SHARED CORES: {} datapath threads and the control thread on {} CPUs; the control "
                "thread disturbs one of them a little",
                worst.threads,
                cpus
            )
        );
    }
}

/// Virtual and real time have nothing in common to compare.
void check_one_time(const profile::Profile& profile, const Plan& plan, Problems& problems) {
    const auto modelled = [](const Cell& cell) {
        return cell.trial.wire == WireKind::model;
    };
    if (std::ranges::any_of(plan.cells, modelled) && !std::ranges::all_of(plan.cells, modelled)) {
        const auto at = std::ranges::find_if(plan.cells, modelled);
        problems.add(
            profile.cells[static_cast<std::size_t>(at - plan.cells.begin())].settings.where(
                "wire.kind"
            ),
            "arms of the model, in virtual time, cannot stand beside arms of a real wire: make "
            "them two profiles"
        );
    }
}

}  // namespace

Results<Plan> make(
    const profile::Profile& written,
    const Topology& topology,
    std::span<const profile::DriverConfig> drivers,
    std::string_view unique
) {
    const profile::Profile profile = detail::facing(written);
    Problems problems;
    detail::refuse_unavailable(profile, problems);
    Plan plan;
    plan.name = profile.common.get<std::string>("name");
    plan.summary = profile.common.find<std::string>("summary").value_or("");
    plan.profile_text = profile.text;
    plan.profile_digest = profile.digest;
    plan.overrides = profile.overrides;
    plan.arms = profile.arms;
    plan.quick = profile.quick;

    detail::Surroundings surroundings{
        topology,
        drivers,
        largest_frame_bytes(profile),
        fmt::format("gensink-{}{}{}", profile.digest, unique.empty() ? "" : "-", unique),
        fmt::format("gensink-{}{}", unique, unique.empty() ? "" : "-")};
    for (const profile::Cell& cell : profile.cells) {
        plan.cells.push_back(detail::make_cell(cell, surroundings, problems));
    }
    plan.shared_cores = surroundings.shared_cores;
    if (plan.shared_cores) {
        warn_of_shared_cores(plan, topology);
    }
    check_one_time(profile, plan, problems);
    detail::plan_veth(profile, surroundings, plan, problems);
    detail::settle_memory(plan.cells, profile, topology, problems);
    detail::name_prefixes(plan.cells, unique);
    detail::warn_of_unused(profile, plan.warnings);
    detail::plan_experiment(profile, plan, problems);
    if (!problems.empty()) {
        return tl::unexpected(problems.take());
    }
    for (const Cell& cell : plan.cells) {
        for (const std::string& warning : cell.warnings) {
            detail::warn(plan.warnings, warning);
        }
    }
    return plan;
}

}  // namespace gensink::plan
