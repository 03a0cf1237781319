// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "host/cpu_times.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace gensink::host {

/// Of the shares of time in which a CPU did anything, slice by slice.
struct UseOverTime {
    double min_ratio = 0;
    double median_ratio = 0;
    double max_ratio = 0;
};

/// A CPU over an interval.
struct CpuUse {
    CpuId cpu;
    std::uint64_t sampled_ns = 0;  ///< the interval
    CpuTimes times;
    std::optional<UseOverTime> over_time;  ///< absent for fewer than two slices
};

/// Follows some CPUs over an interval, by the kernel's account.
class CpuMeter {
  public:
    using Clock = std::chrono::steady_clock;

    /// A CPU named twice is followed once. `root` holds a copy of /proc, or is "/".
    explicit CpuMeter(const std::vector<CpuId>& cpus, std::filesystem::path root = "/");

    /// Starts the interval.
    void mark(Clock::time_point now = Clock::now());
    /// Takes a slice of the interval, where the last look is long enough ago for one.
    void look(Clock::time_point now = Clock::now());
    /// Ends it.
    void cut(Clock::time_point now = Clock::now());

    /// By CPU; those that the kernel does not tell of are left out. Empty before mark().
    [[nodiscard]] std::vector<CpuUse> uses() const;

  private:
    struct Followed {
        CpuTimes start;
        CpuTimes last;
        std::vector<double> slices;  ///< busy of all time
    };

    void take(Clock::time_point now, Clock::duration shortest);

    std::vector<CpuId> cpus_;
    std::filesystem::path root_;
    std::map<CpuId, Followed> followed_;
    Clock::time_point start_at_;
    Clock::time_point last_at_;
    bool on_ = false;  ///< between mark and cut
};

}  // namespace gensink::host
