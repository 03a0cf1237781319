// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace gensink::host {

/// What bears on a measurement and is no part of a topology. Absent is unknown.
struct Probes {
    std::set<std::string> governors;      ///< of all CPUs; empty: no frequency driver
    std::optional<bool> turbo;            ///< the core clock may rise above its nominal one
    std::optional<bool> smt;              ///< hardware threads share cores now
    std::string hypervisor;               ///< empty: none seen
    std::string container;                ///< kind of container, empty: none seen
    std::optional<double> cpu_quota;      ///< CPUs that a control group grants; absent: no bound
    bool iommu = false;                   ///< the kernel drives one
    bool vfio = false;                    ///< module vfio-pci is loaded or built in
    std::set<std::string> default_route;  ///< interfaces that carry it
    std::set<std::string> routed;         ///< interfaces that carry any route
    std::uint64_t capabilities = 0;       ///< effective set, bits as in linux/capability.h
    std::optional<std::uint64_t> memlock_bytes;  ///< soft limit; absent: none
    std::string hugetlbfs;                       ///< first mount point, empty: not mounted
    bool hugetlbfs_writable = false;
    bool tun = false;                           ///< /dev/net/tun can be opened for writing
    std::optional<double> load;                 ///< runnable threads, mean over one minute
    std::optional<double> steal_ratio;          ///< of all CPU time since boot
    std::optional<std::uint64_t> memory_bytes;  ///< available without swapping
};

[[nodiscard]] Probes probes();

/// The same from a copy of /proc, /sys and /dev under `root`.
[[nodiscard]] Probes probes(const std::filesystem::path& root);

}  // namespace gensink::host
