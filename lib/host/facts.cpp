// SPDX-License-Identifier: BSD-3-Clause
#include "host/facts.hpp"

#include "host/detail/text.hpp"
#include "host/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace gensink::host {

namespace fs = std::filesystem;
using detail::field;
using detail::read_text;

namespace {

/// Boot options that change what a polling thread gets, or what a system call costs.
bool bears_on_measurement(std::string_view option) {
    constexpr std::array names{
        "isolcpus",
        "nohz_full",
        "rcu_nocbs",
        "mitigations",
        "intel_iommu",
        "amd_iommu",
        "iommu",
        "idle",
        "hugepages",
        "hugepagesz",
        "nosmt",
        "intel_pstate",
        "processor.max_cstate",
        "intel_idle.max_cstate",
        "tsc",
        "irqaffinity",
        "default_hugepagesz",
        "preempt",
        "skew_tick",
        "nowatchdog",
        "clocksource",
    };
    const std::string_view name = option.substr(0, option.find('='));
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string kernel_options(const fs::path& root) {
    std::vector<std::string> kept;
    for (std::string& option : detail::words(read_text(root / "proc/cmdline").value_or(""))) {
        if (bears_on_measurement(option)) {
            kept.push_back(std::move(option));
        }
    }
    return detail::join(kept, " ");
}

std::string mitigations(const fs::path& root) {
    std::vector<std::string> kept;
    for (const fs::path& file : detail::entries(root / "sys/devices/system/cpu/vulnerabilities")) {
        const std::string state = read_text(file).value_or("");
        if (!state.empty() && state != "Not affected") {
            kept.push_back(file.filename().string() + ": " + state);
        }
    }
    return detail::join(kept, "; ");
}

std::string describe_topology(const plan::Topology& topology, std::size_t sockets) {
    std::vector<unsigned> isolated;
    for (const plan::Cpu& cpu : topology.cpus) {
        if (cpu.isolated) {
            isolated.push_back(cpu.id.value);
        }
    }
    const auto plural = [](std::size_t n) {
        return n == 1 ? "" : "s";
    };
    const std::size_t cpus = topology.cpus.size();
    return fmt::format(
        "{} socket{}, {} CPU{}; isolated: {}",
        sockets,
        plural(sockets),
        cpus,
        plural(cpus),
        isolated.empty() ? "none" : detail::join(isolated, ",")
    );
}

std::string describe_nic(const plan::Nic& nic) {
    std::string text = nic.pci.empty() ? nic.interface : nic.pci;
    if (!nic.pci.empty() && !nic.interface.empty()) {
        text += ' ' + nic.interface;
    }
    text += nic.driver.empty() ? ", no driver" : ", driver " + nic.driver;
    if (nic.speed_bps) {
        text += fmt::format(", {} Mbit/s", *nic.speed_bps / 1'000'000);
    }
    return text;
}

}  // namespace

std::string describe_bytes(std::uint64_t bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", bytes, units[unit]);
}

std::string describe_hugepages(const plan::Topology& topology) {
    std::vector<std::string> parts;
    for (const plan::HugepageSize& size : topology.hugepages) {
        if (size.total != 0) {
            parts.push_back(fmt::format(
                "node {}: {} of {} x {} free",
                size.socket.value,
                size.free,
                size.total,
                describe_bytes(size.page_bytes)
            ));
        }
    }
    return detail::join(parts, "; ");
}

Facts facts(const plan::Topology& topology) {
    return facts(topology, "/");
}

Facts facts(const plan::Topology& topology, const fs::path& root) {
    const Probes probed = probes(root);
    const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
    std::set<SocketId> sockets;
    for (const plan::Cpu& cpu : topology.cpus) {
        sockets.insert(cpu.socket);
    }
    Facts facts;
    facts.hostname = read_text(root / "proc/sys/kernel/hostname").value_or("");
    facts.cpu_model = topology.cpu_model;
    facts.microcode = field(cpuinfo, "microcode").value_or("");
    facts.cpus = static_cast<unsigned>(topology.cpus.size());
    facts.sockets = static_cast<unsigned>(sockets.size());
    facts.smt = probed.smt;
    facts.invariant_tsc = topology.invariant_tsc;
    facts.turbo = probed.turbo;
    facts.governor = detail::join(probed.governors, ",");
    facts.kernel = read_text(root / "proc/sys/kernel/osrelease").value_or("");
    facts.kernel_options = kernel_options(root);
    facts.mitigations = mitigations(root);
    facts.hugepages = describe_hugepages(topology);
    facts.topology = describe_topology(topology, sockets.size());
    facts.virtualization = probed.hypervisor;
    if (!probed.container.empty()) {
        facts.virtualization += facts.virtualization.empty() ? "" : ", ";
        facts.virtualization += probed.container + " container";
    }
    for (const plan::Nic& nic : topology.nics) {
        if (nic.interface != "lo") {
            facts.nics.push_back(describe_nic(nic));
        }
    }
    return facts;
}

}  // namespace gensink::host
