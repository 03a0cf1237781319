// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/checks.hpp"
#include "host/detail/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::host::detail {

namespace {

const plan::Cpu* find_cpu(const plan::Topology& topology, CpuId id) {
    const auto it = std::find_if(topology.cpus.begin(), topology.cpus.end(), [&](const auto& cpu) {
        return cpu.id == id;
    });
    return it == topology.cpus.end() ? nullptr : &*it;
}

std::string list(const std::vector<CpuId>& cpus) {
    std::vector<unsigned> numbers;
    std::transform(cpus.begin(), cpus.end(), std::back_inserter(numbers), [](CpuId id) {
        return id.value;
    });
    return join(numbers, ",");
}

Check cores(const Patient& patient) {
    const std::size_t cpus = patient.topology.cpus.size();
    const std::size_t wanted = patient.need.threads + 1;  // and one for control
    std::string found =
        fmt::format("{} usable, {} wanted (a datapath thread each, and control)", cpus, wanted);
    if (cpus >= wanted) {
        return {"cores", CheckStatus::ok, std::move(found), ""};
    }
    if (cpus >= patient.need.threads) {
        found += "; control shares a core with a datapath thread, which disturbs it a little";
    } else {
        found += "; datapath threads share cores: such a run is marked SHARED CORES";
    }
    return {
        "cores",
        CheckStatus::warn,
        std::move(found),
        "give the machine more CPUs, or widen a mask set by taskset, cpuset or container options"};
}

Check isolation(const Patient& patient) {
    std::vector<CpuId> open;
    for (const CpuId id : patient.need.cpus) {
        const plan::Cpu* const cpu = find_cpu(patient.topology, id);
        if (cpu != nullptr && !cpu->isolated) {
            open.push_back(id);
        }
    }
    if (open.empty()) {
        return {"isolation", CheckStatus::ok, "datapath CPUs are isolated", ""};
    }
    const std::string cpus = list(open);
    std::string found = fmt::format("the scheduler may put other work on datapath CPUs {}", cpus);
    if (patient.topology.cpus.size() <= open.size()) {
        return {
            "isolation",
            CheckStatus::warn,
            std::move(found) + "; with so few CPUs none can be isolated",
            "stop other work during a run; trials that it disturbs are found and repeated"};
    }
    return {
        "isolation",
        CheckStatus::warn,
        std::move(found),
        fmt::format(
            "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&isolcpus={0} nohz_full={0} rcu_nocbs={0} /' "
            "/etc/default/grub && sudo update-grub && sudo reboot",
            cpus
        )};
}

Check siblings(const Patient& patient) {
    std::vector<CpuId> shared;
    for (const CpuId id : patient.need.cpus) {
        const plan::Cpu* const cpu = find_cpu(patient.topology, id);
        if (cpu != nullptr && !cpu->siblings.empty()) {
            shared.push_back(id);
        }
    }
    if (shared.empty()) {
        return {"SMT siblings", CheckStatus::ok, "no datapath CPU shares its core", ""};
    }
    return {
        "SMT siblings",
        CheckStatus::warn,
        fmt::format("datapath CPUs {} share a core with another hardware thread", list(shared)),
        "echo off | sudo tee /sys/devices/system/cpu/smt/control"};
}

Check governor(const Patient& patient) {
    const auto& governors = patient.probes.governors;
    if (governors.empty()) {
        const bool guest = !patient.probes.hypervisor.empty();
        return {
            "governor",
            CheckStatus::unknown,
            guest ? "no frequency driver: the hypervisor's host decides the core clock"
                  : "no frequency driver: the firmware decides the core clock",
            ""};
    }
    std::string found = join(governors, ", ");
    if (governors.size() == 1 && governors.contains("performance")) {
        return {"governor", CheckStatus::ok, std::move(found), ""};
    }
    return {
        "governor",
        CheckStatus::warn,
        std::move(found) + ": the core clock moves with load, and ticks per frame with it",
        "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"};
}

Check turbo(const Patient& patient) {
    if (!patient.probes.turbo) {
        return {"turbo", CheckStatus::unknown, "the kernel does not tell", ""};
    }
    if (!*patient.probes.turbo) {
        return {"turbo", CheckStatus::ok, "off: the core clock has a fixed ceiling", ""};
    }
    return {
        "turbo",
        CheckStatus::warn,
        "on: the core clock depends on temperature and on what other cores do",
        "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo || "
        "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"};
}

Check tsc(const Patient& patient) {
    if (patient.topology.invariant_tsc) {
        return {"time-stamp counter", CheckStatus::ok, "invariant", ""};
    }
    return {
        "time-stamp counter",
        CheckStatus::warn,
        "not known as invariant: where it follows the core clock, times and rates are wrong",
        "use a CPU with constant_tsc and nonstop_tsc in /proc/cpuinfo; in a guest, pass them on "
        "(QEMU: -cpu host,+invtsc)"};
}

}  // namespace

void check_processors(const Patient& patient, std::vector<Check>& checks) {
    checks.push_back(cores(patient));
    checks.push_back(isolation(patient));
    checks.push_back(siblings(patient));
    checks.push_back(governor(patient));
    checks.push_back(turbo(patient));
    checks.push_back(tsc(patient));
}

}  // namespace gensink::host::detail
