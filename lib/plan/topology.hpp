// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gensink::plan {

struct Cpu {
    CpuId id;
    SocketId socket;
    std::vector<CpuId> siblings;  ///< other hardware threads of the same core
    bool isolated = false;
};

struct HugepageSize {
    std::uint64_t page_bytes = 0;
    SocketId socket;
    std::uint64_t total = 0;
    std::uint64_t free = 0;
};

/// A network device that the kernel shows: a PCI function, a kernel interface, or both.
struct Nic {
    std::string pci;        ///< "0000:01:00.0", empty for a virtual interface
    std::string interface;  ///< kernel name, empty when a user-space driver has it
    std::string driver;     ///< kernel driver that holds it now, empty when none
    std::uint16_t vendor = 0;
    std::uint16_t device = 0;
    std::optional<SocketId> socket;
    std::optional<std::uint64_t> speed_bps;
    std::optional<bool> link_up;
};

/// What the host offers, as far as the kernel tells without root. Absent is unknown.
struct Topology {
    std::string cpu_model;
    std::vector<Cpu> cpus;  ///< those this process may use, ascending
    std::vector<HugepageSize> hugepages;
    std::vector<Nic> nics;
    std::optional<std::uint64_t> memory_bytes;            ///< of the machine
    std::optional<std::uint64_t> available_memory_bytes;  ///< without swapping
    bool invariant_tsc = false;
    bool virtual_machine = false;  ///< the CPU says that a hypervisor is below
    bool root = false;
    bool hugepages_usable = false;  ///< free pages, and this user may map them
    bool hugetlbfs = false;         ///< a folder of hugepage files is mounted
};

}  // namespace gensink::plan
