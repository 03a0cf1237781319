// SPDX-License-Identifier: BSD-3-Clause
#include "host/probes.hpp"

#include "host/detail/text.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace gensink::host {

namespace fs = std::filesystem;
using detail::entries;
using detail::field;
using detail::read_number;
using detail::read_text;
using detail::words;

namespace {

std::optional<double> to_double(std::string_view text) {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
}

/// Calls `visit` with the words of each line.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        visit(words(text.substr(0, end)));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
}

void read_clock(const fs::path& root, Probes& probes) {
    const fs::path cpus = root / "sys/devices/system/cpu";
    for (const fs::path& policy : entries(cpus / "cpufreq")) {
        if (const auto governor = read_text(policy / "scaling_governor")) {
            probes.governors.insert(*governor);
        }
    }
    if (const auto no_turbo = read_number(cpus / "intel_pstate/no_turbo")) {
        probes.turbo = *no_turbo == 0;
    } else if (const auto boost = read_number(cpus / "cpufreq/boost")) {
        probes.turbo = *boost != 0;
    }
    if (const auto smt = read_number(cpus / "smt/active")) {
        probes.smt = *smt != 0;
    }
}

void read_virtualization(const fs::path& root, Probes& probes) {
    const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
    const std::vector<std::string> flags = words(field(cpuinfo, "flags").value_or(""));
    if (std::find(flags.begin(), flags.end(), "hypervisor") != flags.end()) {
        const auto product = read_text(root / "sys/class/dmi/id/product_name");
        const auto kind = read_text(root / "sys/hypervisor/type");
        probes.hypervisor = product.value_or(kind.value_or("unnamed"));
    }
    std::error_code error;
    if (fs::exists(root / ".dockerenv", error)) {
        probes.container = "docker";
    } else if (fs::exists(root / "run/.containerenv", error)) {
        probes.container = "podman";
    }
    // cgroup v2 "max 100000" or "quota period"; v1 has -1 for no bound.
    const fs::path groups = root / "sys/fs/cgroup";
    const std::vector<std::string> limit = words(read_text(groups / "cpu.max").value_or(""));
    if (limit.size() == 2 && limit[0] != "max") {
        probes.cpu_quota = to_double(limit[0]).value_or(0) / to_double(limit[1]).value_or(1);
    }
    const auto quota_us = detail::read_signed(groups / "cpu/cpu.cfs_quota_us");
    const auto period_us = detail::read_signed(groups / "cpu/cpu.cfs_period_us");
    if (quota_us && period_us && *quota_us > 0 && *period_us > 0) {
        probes.cpu_quota = static_cast<double>(*quota_us) / static_cast<double>(*period_us);
    }
}

void read_routes(const fs::path& root, Probes& probes) {
    // Interface, destination, gateway, flags, ...: hexadecimal (Linux net/ipv4/fib_trie.c).
    each_line(read_text(root / "proc/net/route").value_or(""), [&](const auto& columns) {
        if (columns.size() < 8 || columns[0] == "Iface") {
            return;
        }
        probes.routed.insert(columns[0]);
        if (columns[1] == "00000000" && columns[7] == "00000000") {
            probes.default_route.insert(columns[0]);
        }
    });
    // Destination, prefix length, ..., flags, interface (Linux net/ipv6/route.c).
    each_line(read_text(root / "proc/net/ipv6_route").value_or(""), [&](const auto& columns) {
        const bool any = columns.size() >= 10 && columns[1] == "00" &&
                         columns[0].find_first_not_of('0') == std::string::npos;
        if (any && columns[9] != "lo") {
            probes.default_route.insert(columns[9]);
        }
    });
}

void read_privileges(const fs::path& root, Probes& probes) {
    const std::string status = read_text(root / "proc/self/status").value_or("");
    const auto capabilities = field(status, "CapEff");
    probes.capabilities = detail::to_number("0x" + capabilities.value_or("0")).value_or(0);
    each_line(read_text(root / "proc/self/limits").value_or(""), [&](const auto& columns) {
        if (columns.size() >= 4 && columns[1] == "locked" && columns[3] != "unlimited") {
            probes.memlock_bytes = detail::to_number(columns[3]);
        }
    });
    each_line(read_text(root / "proc/mounts").value_or(""), [&](const auto& columns) {
        if (columns.size() > 2 && columns[2] == "hugetlbfs" && probes.hugetlbfs.empty()) {
            probes.hugetlbfs = columns[1];
        }
    });
    const auto writable = [&](const fs::path& path) {
        return access((root / path.relative_path()).c_str(), W_OK) == 0;
    };
    probes.hugetlbfs_writable = !probes.hugetlbfs.empty() && writable(probes.hugetlbfs);
    probes.tun = writable("/dev/net/tun");
}

void read_neighbours(const fs::path& root, Probes& probes) {
    const std::vector<std::string> load = words(read_text(root / "proc/loadavg").value_or(""));
    if (!load.empty()) {
        probes.load = to_double(load[0]);
    }
    each_line(read_text(root / "proc/stat").value_or(""), [&](const auto& columns) {
        constexpr std::size_t steal_column = 8;
        if (columns.size() <= steal_column || columns[0] != "cpu") {
            return;
        }
        double total = 0;  // guest time (columns 9 and 10) is part of user time already
        for (std::size_t column = 1; column <= steal_column; ++column) {
            total += to_double(columns[column]).value_or(0);
        }
        if (total > 0) {
            probes.steal_ratio = to_double(columns[steal_column]).value_or(0) / total;
        }
    });
    const std::string meminfo = read_text(root / "proc/meminfo").value_or("");
    if (const auto available = field(meminfo, "MemAvailable")) {
        const auto kib = detail::to_number(*available);
        probes.memory_bytes = kib ? std::optional(*kib * 1024) : std::nullopt;
    }
}

}  // namespace

Probes probes() {
    return probes("/");
}

Probes probes(const fs::path& root) {
    Probes probes;
    read_clock(root, probes);
    read_virtualization(root, probes);
    read_routes(root, probes);
    read_privileges(root, probes);
    read_neighbours(root, probes);
    probes.iommu = !entries(root / "sys/class/iommu").empty();
    std::error_code error;
    probes.vfio = fs::exists(root / "sys/bus/pci/drivers/vfio-pci", error);
    return probes;
}

}  // namespace gensink::host
