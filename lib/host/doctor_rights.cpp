// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/checks.hpp"
#include "host/rights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <linux/capability.h>

namespace gensink::host::detail {

namespace {

struct Right {
    unsigned bit;
    const char* name;
    const char* use;
};

constexpr std::array rights{
    Right{CAP_NET_RAW, "CAP_NET_RAW", "af_packet and pcap ports"},
    Right{CAP_NET_ADMIN, "CAP_NET_ADMIN", "tap ports"},
    Right{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "ports in another network namespace, uio"},
    Right{CAP_IPC_LOCK, "CAP_IPC_LOCK", "locked memory for PCI devices"},
};

/// Whether a device cannot be opened without the capability.
bool wants(const DeviceName& name, unsigned bit) {
    switch (bit) {
    case CAP_NET_RAW:
        return name.driver == "net_af_packet" ||
               (name.driver == "net_pcap" && !name.interface.empty());
    case CAP_NET_ADMIN:
        return name.driver == "net_tap";
    default:
        return false;
    }
}

bool wants(const Need& need, unsigned bit) {
    const bool any = std::any_of(need.devices.begin(), need.devices.end(), [&](const auto& device) {
        return wants(parse_device(device), bit);
    });
    return any || (bit == CAP_SYS_ADMIN && need.netns);
}

bool holds(const Probes& probes, unsigned bit) {
    return (probes.capabilities >> bit & 1) != 0;
}

Check privilege(const Patient& patient, const Right& right) {
    if (holds(patient.probes, right.bit)) {
        return {right.name, CheckStatus::ok, fmt::format("held: {}", right.use), ""};
    }
    const bool wanted = wants(patient.need, right.bit);
    return {
        right.name,
        wanted ? CheckStatus::fail : CheckStatus::ok,
        fmt::format(
            "not held: {} {}", right.use, wanted ? "do not open" : "would not open; not wanted here"
        ),
        wanted ? "run gensink with sudo" : ""};
}

Check memlock(const Patient& patient) {
    const bool locked = holds(patient.probes, CAP_IPC_LOCK);
    if (locked || !patient.probes.memlock_bytes) {
        return {"locked memory", CheckStatus::ok, "no bound", ""};
    }
    std::uint64_t wanted = 0;
    bool pci = false;
    for (const Need::Memory& memory : patient.need.memory) {
        wanted += memory.bytes;
    }
    for (const std::string& device : patient.need.devices) {
        pci = pci || !parse_device(device).pci.empty();
    }
    const std::uint64_t bound = *patient.probes.memlock_bytes;
    std::string found = fmt::format("{} MiB", bound >> 20);
    if (!pci) {
        return {"locked memory", CheckStatus::ok, found + "; only PCI devices need more", ""};
    }
    if (bound >= wanted) {
        return {"locked memory", CheckStatus::ok, std::move(found), ""};
    }
    return {
        "locked memory",
        CheckStatus::fail,
        fmt::format("{}, {} MiB wanted by vfio", found, wanted >> 20),
        "sudo prlimit --pid $$ --memlock=unlimited:unlimited"};
}

Check hugetlbfs(const Patient& patient) {
    const std::string& mount = patient.probes.hugetlbfs;
    if (mount.empty()) {
        return {"hugepage files", CheckStatus::ok, "not mounted; gensink needs no mount", ""};
    }
    return {
        "hugepage files",
        CheckStatus::ok,
        fmt::format(
            "{} is {}; gensink needs no files there",
            mount,
            patient.probes.hugetlbfs_writable ? "writable" : "not writable for this user"
        ),
        ""};
}

Check quota(const Patient& patient) {
    const std::string kind =
        patient.probes.container.empty() ? "none seen" : patient.probes.container;
    const auto threads = static_cast<double>(patient.need.threads + 1);
    if (patient.probes.cpu_quota && *patient.probes.cpu_quota < threads) {
        return {
            "container",
            CheckStatus::warn,
            fmt::format(
                "{}; a control group grants {:.2f} CPUs and stops polling threads above it",
                kind,
                *patient.probes.cpu_quota
            ),
            "start the container without --cpus, and with --cpuset-cpus instead"};
    }
    return {"container", CheckStatus::ok, kind, ""};
}

Check load(const Patient& patient) {
    if (!patient.probes.load) {
        return {"load", CheckStatus::unknown, "the kernel does not tell", ""};
    }
    const double value = *patient.probes.load;
    const auto cpus = static_cast<double>(patient.topology.cpus.size());
    const auto threads = static_cast<double>(patient.need.threads);
    // Room is what is left beside the datapath threads; half a thread is noise of the average.
    const bool quiet = value <= std::max(cpus - threads, 0.0) + 0.5;
    return {
        "load",
        quiet ? CheckStatus::ok : CheckStatus::warn,
        fmt::format(
            "{:.2f} runnable threads over a minute on {} CPUs{}",
            value,
            patient.topology.cpus.size(),
            quiet ? "" : ": they will take turns with datapath threads"
        ),
        quiet ? "" : "top -b -n 1 -o %CPU | head -15"};
}

Check steal(const Patient& patient) {
    if (!patient.probes.steal_ratio) {
        return {"steal", CheckStatus::unknown, "the kernel does not tell", ""};
    }
    const double percent = *patient.probes.steal_ratio * 100;
    const bool quiet = percent < 1;
    return {
        "steal",
        quiet ? CheckStatus::ok : CheckStatus::warn,
        fmt::format(
            "{:.2f} % of CPU time since boot went to other guests{}",
            percent,
            quiet ? "" : ": trials will be disturbed from outside"
        ),
        quiet ? "" : "ask for dedicated CPUs, or use a host of your own"};
}

}  // namespace

void check_privileges(const Patient& patient, std::vector<Check>& checks) {
    for (const Right& right : rights) {
        checks.push_back(privilege(patient, right));
    }
    checks.push_back(memlock(patient));
    checks.push_back(hugetlbfs(patient));
    for (const std::string& device : patient.need.devices) {
        if (parse_device(device).driver == "net_tap" && !patient.probes.tun) {
            checks.push_back(
                {"tap",
                 CheckStatus::fail,
                 "/dev/net/tun cannot be opened: no tap port",
                 "sudo modprobe tun; in a container add --device /dev/net/tun"}
            );
            break;
        }
    }
}

void check_neighbours(const Patient& patient, std::vector<Check>& checks) {
    checks.push_back(load(patient));
    checks.push_back(steal(patient));
    checks.push_back(quota(patient));
    const std::string& hypervisor = patient.probes.hypervisor;
    checks.push_back(
        {"virtual machine",
         CheckStatus::ok,
         hypervisor.empty() ? "no hypervisor seen"
                            : "hypervisor: " + hypervisor + "; its host has a say in every number",
         ""}
    );
}

}  // namespace gensink::host::detail

namespace gensink::host {

std::string missing_right(const std::string& device, const Probes& probes) {
    const detail::DeviceName name = detail::parse_device(device);
    for (const detail::Right& right : detail::rights) {
        if (detail::wants(name, right.bit) && !detail::holds(probes, right.bit)) {
            return fmt::format("{} is not held; run gensink with sudo", right.name);
        }
    }
    // Without root: vfio with the group's device file owned by the user, and memory to lock (DPDK
    // 22.11 doc/guides/linux_gsg/enable_func.rst).
    if (!name.pci.empty() && !detail::holds(probes, CAP_SYS_ADMIN)) {
        return "a PCI device needs root (CAP_SYS_ADMIN, CAP_IPC_LOCK), or its /dev/vfio group and "
               "unlimited locked memory; run gensink with sudo";
    }
    return {};
}

}  // namespace gensink::host
