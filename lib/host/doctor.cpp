// SPDX-License-Identifier: BSD-3-Clause
#include "host/doctor.hpp"

#include "host/detail/checks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gensink::host {

namespace {

SocketId socket_of(const plan::Topology& topology, const plan::Environment& environment) {
    if (!environment.cores.empty()) {
        for (const plan::Cpu& cpu : topology.cpus) {
            if (cpu.id == environment.cores.front().cpu) {
                return cpu.socket;
            }
        }
    }
    return SocketId{0};
}

}  // namespace

const char* name(CheckStatus status) {
    switch (status) {
    case CheckStatus::ok:
        return "ok";
    case CheckStatus::warn:
        return "warn";
    case CheckStatus::fail:
        return "fail";
    case CheckStatus::unknown:
        break;
    }
    return "unknown";
}

Need need(const plan::Plan& plan, const plan::Topology& topology) {
    Need need;
    need.profile = plan.name;
    std::set<CpuId> cpus;
    std::set<std::string> devices;
    std::map<SocketId, std::uint64_t> most;
    for (const plan::Cell& cell : plan.cells) {
        std::size_t threads = 0;
        std::map<SocketId, std::uint64_t> memory;
        for (const plan::Environment& environment : cell.environments) {
            threads += environment.cores.size();
            memory[socket_of(topology, environment)] +=
                std::uint64_t{environment.memory_mib} * 1024 * 1024;
            for (const plan::CorePlan& core : environment.cores) {
                cpus.insert(core.cpu);
            }
            devices.insert(environment.devices.begin(), environment.devices.end());
            need.netns = need.netns || !environment.netns.empty();
        }
        need.threads = std::max(need.threads, threads);
        for (const auto& [socket, bytes] : memory) {
            most[socket] = std::max(most[socket], bytes);
        }
    }
    need.cpus.assign(cpus.begin(), cpus.end());
    need.devices.assign(devices.begin(), devices.end());
    for (const auto& [socket, bytes] : most) {
        need.memory.push_back({socket, bytes});
    }
    return need;
}

std::vector<Check> checks(const plan::Topology& topology, const Probes& probes, const Need& need) {
    const detail::Patient patient{topology, probes, need};
    std::vector<Check> found;
    detail::check_processors(patient, found);
    detail::check_memory(patient, found);
    detail::check_nics(patient, found);
    detail::check_privileges(patient, found);
    detail::check_neighbours(patient, found);
    return found;
}

bool can_run(const std::vector<Check>& checks) {
    return std::none_of(checks.begin(), checks.end(), [](const Check& check) {
        return check.status == CheckStatus::fail;
    });
}

}  // namespace gensink::host
