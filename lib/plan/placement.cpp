// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

namespace gensink::plan::detail {

namespace {

bool has(const Topology& topology, CpuId id) {
    return std::ranges::any_of(topology.cpus, [&](const Cpu& cpu) { return cpu.id == id; });
}

std::string cpu_list(const Topology& topology) {
    std::string text;
    for (const Cpu& cpu : topology.cpus) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", cpu.id.value);
    }
    return text;
}

/// CPUs as they are handed out.
class Chooser {
  public:
    Chooser(const Topology& topology, CpuId control) : topology_(topology), control_(control) {}

    void take(CpuId id) { taken_.push_back(id); }

    /// Of CPUs that are equally good the last is taken from now on.
    void take_from_the_end() { from_the_end_ = true; }

    /// The best CPU that no thread has; the control CPU last. Absent when all are taken.
    [[nodiscard]] std::optional<CpuId> best(std::optional<SocketId> socket) const {
        const Cpu* found = nullptr;
        for (const Cpu& cpu : topology_.cpus) {
            if (is_taken(cpu.id)) {
                continue;
            }
            const bool better = found == nullptr || rank(cpu, socket) < rank(*found, socket);
            if (better || (from_the_end_ && rank(cpu, socket) == rank(*found, socket))) {
                found = &cpu;
            }
        }
        return found == nullptr ? std::nullopt : std::optional(found->id);
    }

  private:
    [[nodiscard]] bool is_taken(CpuId id) const {
        return std::ranges::find(taken_, id) != taken_.end();
    }

    /// Lower is better.
    [[nodiscard]] std::tuple<bool, bool, bool, bool>
    rank(const Cpu& cpu, std::optional<SocketId> socket) const {
        const bool sibling_busy = std::ranges::any_of(cpu.siblings, [&](CpuId id) {
            return id != cpu.id && (is_taken(id) || id == control_);
        });
        return {cpu.id == control_, socket && cpu.socket != *socket, sibling_busy, !cpu.isolated};
    }

    const Topology& topology_;
    CpuId control_;
    std::vector<CpuId> taken_;
    bool from_the_end_ = false;
};

CpuId control_cpu(const profile::Settings& settings, const Topology& topology, Problems& problems) {
    const CpuId lowest = topology.cpus.empty() ? CpuId{0} : topology.cpus.front().id;
    const auto wanted = settings.find<std::uint64_t>("host.control_cpu");
    if (!wanted) {
        return lowest;
    }
    const CpuId id{static_cast<unsigned>(*wanted)};
    if (!has(topology, id)) {
        problems.add(
            settings.where("host.control_cpu"),
            fmt::format("CPU {} cannot be used here; CPUs are {}", id.value, cpu_list(topology))
        );
    }
    return id;
}

/// CPUs that the profile names for an end, checked; empty for auto.
std::vector<CpuId> wished(
    std::string_view path,
    const std::optional<profile::Cpus>& cpus,
    unsigned cores,
    const profile::Settings& settings,
    const Topology& topology,
    Problems& problems
) {
    std::vector<CpuId> ids;
    for (const unsigned cpu : cpus.value_or(profile::Cpus{})) {
        ids.push_back(CpuId{cpu});
        if (!has(topology, ids.back())) {
            problems.add(
                settings.where(path),
                fmt::format("CPU {} cannot be used here; CPUs are {}", cpu, cpu_list(topology))
            );
        }
    }
    if (cpus && ids.size() != cores) {
        problems.add(
            settings.where(path), fmt::format("names {} CPUs for {} cores", ids.size(), cores)
        );
        ids.resize(cores, ids.front());
    }
    return ids;
}

/// Queues of the n-th of `cores` cores.
std::vector<QueueId> queues_of(unsigned core, const CoreWish& wish) {
    std::vector<QueueId> queues;
    for (unsigned queue = core; queue < wish.queues; queue += wish.cores) {
        queues.push_back(QueueId{static_cast<std::uint16_t>(queue)});
    }
    return queues;
}

std::vector<CorePlan> place_end(
    const CoreWish& wish,
    const std::vector<CpuId>& fixed,
    unsigned first_lcore,
    const Topology& topology,
    Chooser& chooser
) {
    std::vector<CorePlan> cores;
    for (unsigned i = 0; i < wish.cores; ++i) {
        CorePlan core;
        core.lcore = LcoreId{first_lcore + i};
        if (!fixed.empty()) {
            core.cpu = fixed[i];
        } else if (const auto best = chooser.best(wish.socket)) {
            core.cpu = *best;
        } else {
            // More threads than CPUs: they take turns.
            const std::size_t count = std::max<std::size_t>(topology.cpus.size(), 1);
            core.cpu =
                topology.cpus.empty() ? CpuId{0} : topology.cpus[(first_lcore + i - 1) % count].id;
        }
        chooser.take(core.cpu);
        core.queues = queues_of(i, wish);
        cores.push_back(std::move(core));
    }
    return cores;
}

bool any_shared(const Placement& placement) {
    std::vector<CpuId> cpus{placement.control};
    for (const auto* end : {&placement.gen, &placement.sink}) {
        for (const CorePlan& core : *end) {
            cpus.push_back(core.cpu);
        }
    }
    std::ranges::sort(cpus);
    return std::ranges::adjacent_find(cpus) != cpus.end();
}

}  // namespace

Placement place(
    const profile::Settings& settings,
    const Topology& topology,
    const CoreWish& gen,
    const std::optional<CoreWish>& sink,
    Problems& problems
) {
    Placement placement;
    placement.control = control_cpu(settings, topology, problems);
    const std::vector<CpuId> gen_cpus = wished(
        "host.gen_cpus",
        settings.find<profile::Cpus>("host.gen_cpus"),
        gen.cores,
        settings,
        topology,
        problems
    );
    const std::vector<CpuId> sink_cpus = wished(
        "host.sink_cpus",
        settings.find<profile::Cpus>("host.sink_cpus"),
        sink ? sink->cores : 0,
        settings,
        topology,
        problems
    );
    Chooser chooser(topology, placement.control);
    for (const auto* fixed : {&gen_cpus, &sink_cpus}) {
        for (const CpuId id : *fixed) {
            chooser.take(id);
        }
    }
    placement.gen = place_end(gen, gen_cpus, 1, topology, chooser);
    if (sink && gen.cores == 0) {
        chooser.take_from_the_end();  // the generator may be another process of this host
    }
    if (sink) {
        placement.sink = place_end(*sink, sink_cpus, 1 + gen.cores, topology, chooser);
    }
    placement.shared = any_shared(placement);
    return placement;
}

}  // namespace gensink::plan::detail
