// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/types.h>

namespace gensink::host {

/// What the scheduler says of one thread since it started. Absent: the kernel does not tell.
struct ThreadSample {
    std::optional<std::uint64_t> run_delay_ns;  ///< runnable, but not running
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
};

/// Samples a thread of this process. Error: environment, when there is no such thread.
[[nodiscard]] Result<ThreadSample> sample_thread(pid_t tid);
[[nodiscard]] Result<ThreadSample> sample_thread(pid_t tid, const std::filesystem::path& root);

/// CPU time of one thread since it started.
struct ThreadTimes {
    std::uint64_t run_ns = 0;  ///< exact, up to now
    /// Found running in user mode, or at all, by the kernel's timer: good for their ratio.
    std::uint64_t user_seen_ns = 0;
    std::uint64_t seen_ns = 0;
};

/// Of a thread of this process; absent once it has ended.
[[nodiscard]] std::optional<ThreadTimes> thread_times(pid_t tid);

}  // namespace gensink::host
