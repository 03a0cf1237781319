// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/units.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/types.h>

namespace gensink::host {

/// What the scheduler says of one thread since it started. Absent: the kernel does not tell.
struct ThreadSample {
    std::optional<std::uint64_t> run_ns;        ///< on a CPU
    std::optional<std::uint64_t> run_delay_ns;  ///< runnable, but not running
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
};

/// Samples a thread of this process. Error: environment, when there is no such thread.
[[nodiscard]] Result<ThreadSample> sample_thread(pid_t tid);
[[nodiscard]] Result<ThreadSample> sample_thread(pid_t tid, const std::filesystem::path& root);

/// Time that the hypervisor gave to others while this CPU wanted to run, since boot; resolution is
/// the kernel's USER_HZ (10 ms). Absent where the kernel does not tell.
[[nodiscard]] std::optional<Duration> steal(CpuId cpu);
[[nodiscard]] std::optional<Duration> steal(CpuId cpu, const std::filesystem::path& root);

}  // namespace gensink::host
