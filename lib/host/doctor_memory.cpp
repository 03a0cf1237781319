// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/checks.hpp"
#include "host/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::host::detail {

namespace {

/// Debian x86-64's default size, and the one that can be set aside without a reboot.
constexpr std::uint64_t usual_page_bytes = std::uint64_t{2} << 20;

std::uint64_t free_bytes(const plan::Topology& topology, SocketId socket) {
    std::uint64_t bytes = 0;
    for (const plan::HugepageSize& size : topology.hugepages) {
        bytes += size.socket == socket ? size.free * size.page_bytes : 0;
    }
    return bytes;
}

/// Pages to write to nr_hugepages so that `bytes` become free.
std::uint64_t pages_wanted(const plan::Topology& topology, SocketId socket, std::uint64_t bytes) {
    std::uint64_t taken = 0;
    for (const plan::HugepageSize& size : topology.hugepages) {
        if (size.socket == socket && size.page_bytes == usual_page_bytes) {
            taken += size.total - std::min(size.free, size.total);
        }
    }
    return taken + (bytes + usual_page_bytes - 1) / usual_page_bytes;
}

bool drives_pci(const Need& need) {
    return std::any_of(need.devices.begin(), need.devices.end(), [](const std::string& device) {
        return !parse_device(device).pci.empty();
    });
}

Check hugepages(const Patient& patient, const Need::Memory& memory) {
    const std::string label = fmt::format("hugepages node {}", memory.socket.value);
    const std::uint64_t free = free_bytes(patient.topology, memory.socket);
    std::string found =
        fmt::format("{} free, {} wanted", describe_bytes(free), describe_bytes(memory.bytes));
    if (free >= memory.bytes && patient.topology.hugepages_usable) {
        return {label, CheckStatus::ok, std::move(found), ""};
    }
    // A device that moves data itself needs memory that stays where it is.
    const bool needed = drives_pci(patient.need);
    found += needed ? "; a PCI device needs them" : "; the run uses 4 KiB pages, and is slower";
    if (free >= memory.bytes) {
        return {
            label,
            needed ? CheckStatus::fail : CheckStatus::warn,
            found + "; this user, or this container, may not map them",
            "run as root, or raise the container's hugetlb limit"};
    }
    return {
        label,
        needed ? CheckStatus::fail : CheckStatus::warn,
        std::move(found),
        fmt::format(
            "echo {} | sudo tee /sys/devices/system/node/node{}/hugepages/hugepages-2048kB/"
            "nr_hugepages",
            pages_wanted(patient.topology, memory.socket, memory.bytes),
            memory.socket.value
        )};
}

Check plain_memory(const Patient& patient) {
    std::uint64_t wanted = 0;
    for (const Need::Memory& memory : patient.need.memory) {
        wanted += memory.bytes;
    }
    if (!patient.probes.memory_bytes) {
        return {"memory", CheckStatus::unknown, "the kernel does not tell", ""};
    }
    constexpr std::uint64_t mib = std::uint64_t{1} << 20;
    const std::uint64_t available = *patient.probes.memory_bytes;
    const bool enough = available >= wanted || patient.topology.hugepages_usable;
    return {
        "memory",
        enough ? CheckStatus::ok : CheckStatus::fail,
        fmt::format("{} MiB available, {} MiB wanted", available / mib, wanted / mib),
        enough ? "" : "end what uses memory, or lower tx.ring, rx.ring and the number of queues"};
}

}  // namespace

void check_memory(const Patient& patient, std::vector<Check>& checks) {
    for (const Need::Memory& memory : patient.need.memory) {
        checks.push_back(hugepages(patient, memory));
    }
    checks.push_back(plain_memory(patient));
}

}  // namespace gensink::host::detail
