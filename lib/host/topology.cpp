// SPDX-License-Identifier: BSD-3-Clause
#include "host/topology.hpp"

#include "host/detail/nics.hpp"
#include "host/detail/text.hpp"

#include <algorithm>
#include <bit>
#include <linux/memfd.h>
#include <set>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace gensink::host {

namespace fs = std::filesystem;
using detail::entries;
using detail::field;
using detail::parse_list;
using detail::read_number;
using detail::read_text;

namespace {

/// Number at the end of a name such as "node3".
std::optional<int> number_after(const std::string& name, std::string_view prefix) {
    if (!name.starts_with(prefix)) {
        return std::nullopt;
    }
    const auto number = detail::to_number(std::string_view(name).substr(prefix.size()));
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::set<unsigned> list_file(const fs::path& file) {
    const std::vector<unsigned> numbers = parse_list(read_text(file).value_or(""));
    return {numbers.begin(), numbers.end()};
}

std::vector<plan::Cpu> read_cpus(const fs::path& root, const std::string& status) {
    const fs::path folder = root / "sys/devices/system/cpu";
    const std::set<unsigned> online = list_file(folder / "online");
    const std::set<unsigned> isolated = list_file(folder / "isolated");
    std::vector<plan::Cpu> cpus;
    // Cpus_allowed_list is the affinity mask, and may name CPUs that are off.
    for (const unsigned number : parse_list(field(status, "Cpus_allowed_list").value_or(""))) {
        if (!online.empty() && !online.contains(number)) {
            continue;
        }
        plan::Cpu cpu{CpuId{number}, SocketId{0}, {}, isolated.contains(number)};
        const fs::path topology = folder / ("cpu" + std::to_string(number)) / "topology";
        for (const unsigned sibling : list_file(topology / "thread_siblings_list")) {
            if (sibling != number) {
                cpu.siblings.push_back(CpuId{sibling});
            }
        }
        cpus.push_back(std::move(cpu));
    }
    return cpus;
}

void read_sizes(
    const fs::path& folder, SocketId socket, std::vector<plan::HugepageSize>& hugepages
) {
    for (const fs::path& size : entries(folder)) {
        const auto kib = number_after(size.filename().string(), "hugepages-");
        const auto total = read_number(size / "nr_hugepages");
        const auto free = read_number(size / "free_hugepages");
        if (kib && total && free) {
            hugepages.push_back({static_cast<std::uint64_t>(*kib) * 1024, socket, *total, *free});
        }
    }
}

/// Fills the sockets of the CPUs, and the hugepages of each node.
void read_nodes(const fs::path& root, plan::Topology& topology) {
    for (const fs::path& node : entries(root / "sys/devices/system/node")) {
        const auto number = number_after(node.filename().string(), "node");
        if (!number) {
            continue;
        }
        const std::set<unsigned> members = list_file(node / "cpulist");
        for (plan::Cpu& cpu : topology.cpus) {
            if (members.contains(cpu.id.value)) {
                cpu.socket = SocketId{*number};
            }
        }
        read_sizes(node / "hugepages", SocketId{*number}, topology.hugepages);
    }
    if (topology.hugepages.empty()) {  // a kernel without NUMA
        read_sizes(root / "sys/kernel/mm/hugepages", SocketId{0}, topology.hugepages);
    }
}

/// A line of /proc/meminfo, "MemTotal:       24683716 kB", in bytes.
std::optional<std::uint64_t> memory(const std::string& meminfo, std::string_view key) {
    const std::vector<std::string> words = detail::words(field(meminfo, key).value_or(""));
    const auto kib = words.empty() ? std::nullopt : detail::to_number(words.front());
    return kib ? std::optional(*kib * 1024) : std::nullopt;
}

}  // namespace

Result<plan::Topology> topology(const fs::path& root) {
    const std::string status = read_text(root / "proc/self/status").value_or("");
    const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
    plan::Topology topology;
    topology.cpus = read_cpus(root, status);
    if (topology.cpus.empty()) {
        return fail(
            ErrorKind::environment,
            "no CPU found that this process may use; is /proc mounted?",
            (root / "proc/self/status").string()
        );
    }
    read_nodes(root, topology);
    topology.cpu_model = field(cpuinfo, "model name").value_or("");
    const std::vector<std::string> flags = detail::words(field(cpuinfo, "flags").value_or(""));
    const auto has = [&](const char* flag) {
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    };
    // constant_tsc: one rate at every clock; nonstop_tsc: also in deep idle states. Both are
    // CPUID.80000007H:EDX[8] (Intel SDM volume 3, 18.17.1).
    topology.invariant_tsc = has("constant_tsc") && has("nonstop_tsc");
    topology.virtual_machine = has("hypervisor");  // CPUID.1:ECX[31], 0 on every real processor
    const std::vector<std::string> uids = detail::words(field(status, "Uid").value_or(""));
    topology.root = uids.size() > 1 && uids[1] == "0";  // real, effective, saved, file system
    topology.hugepages_usable =
        std::any_of(topology.hugepages.begin(), topology.hugepages.end(), [](const auto& size) {
            return size.free > 0;
        });
    const std::string mounts = read_text(root / "proc/mounts").value_or("");
    topology.hugetlbfs = mounts.find(" hugetlbfs ") != std::string::npos;
    topology.nics = detail::read_nics(root);
    const std::string meminfo = read_text(root / "proc/meminfo").value_or("");
    topology.memory_bytes = memory(meminfo, "MemTotal");
    topology.available_memory_bytes = memory(meminfo, "MemAvailable");
    return topology;
}

Result<plan::Topology> topology() {
    Result<plan::Topology> found = topology("/");
    if (found && found->hugepages_usable) {
        found->hugepages_usable =
            std::any_of(found->hugepages.begin(), found->hugepages.end(), [](const auto& size) {
                return size.free > 0 && can_map_hugepage(size.page_bytes);
            });
    }
    return found;
}

bool can_map_hugepage(std::uint64_t page_bytes) {
    if (!std::has_single_bit(page_bytes)) {
        return false;
    }
    const auto log2 = static_cast<unsigned>(std::countr_zero(page_bytes));
    const int fd =
        memfd_create("gensink-probe", MFD_CLOEXEC | MFD_HUGETLB | (log2 << MFD_HUGE_SHIFT));
    if (fd < 0) {
        return false;
    }
    // A shared mapping reserves its pages at once, or fails; nothing is touched.
    bool mapped = false;
    if (ftruncate(fd, static_cast<off_t>(page_bytes)) == 0) {
        void* const page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        mapped = page != MAP_FAILED;
        if (mapped) {
            munmap(page, page_bytes);
        }
    }
    close(fd);
    return mapped;
}

}  // namespace gensink::host
