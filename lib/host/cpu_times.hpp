// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"

#include <cstdint>
#include <filesystem>
#include <map>

namespace gensink::host {

/// How the kernel accounts for a CPU's time since boot (proc(5), /proc/stat), in ns; its resolution
/// is USER_HZ, 10 ms. Guests are users.
struct CpuTimes {
    std::uint64_t user_ns = 0;    ///< with that of niced processes
    std::uint64_t system_ns = 0;  ///< without interrupts
    std::uint64_t irq_ns = 0;
    std::uint64_t softirq_ns = 0;
    std::uint64_t steal_ns = 0;  ///< a hypervisor gave it to others while this CPU wanted to run
    std::uint64_t idle_ns = 0;   ///< with that spent waiting for a disk

    /// Whatever was done, for whomever.
    [[nodiscard]] std::uint64_t busy_ns() const {
        return user_ns + system_ns + irq_ns + softirq_ns;
    }

    [[nodiscard]] std::uint64_t all_ns() const { return busy_ns() + steal_ns + idle_ns; }
};

/// Of each CPU that is online; empty where the kernel does not tell.
[[nodiscard]] std::map<CpuId, CpuTimes> cpu_times();
[[nodiscard]] std::map<CpuId, CpuTimes> cpu_times(const std::filesystem::path& root);

/// Difference by cause. No cause runs backwards: the kernel corrects idle time now and then.
[[nodiscard]] CpuTimes between(const CpuTimes& start, const CpuTimes& end);

}  // namespace gensink::host
