// SPDX-License-Identifier: BSD-3-Clause
#include "host/cpu_meter.hpp"

#include "base/units.hpp"

#include <algorithm>
#include <utility>

namespace gensink::host {

namespace {

using namespace std::chrono_literals;

/// The kernel counts in steps of 10 ms: a look costs a reading of /proc, and a slice of 150 ms is
/// good to 7 %, one of 100 ms, which ends an interval, to 10 %.
constexpr auto shortest_slice = 150ms;
constexpr auto shortest_last_slice = 100ms;

std::optional<UseOverTime> over_time(std::vector<double> slices) {
    if (slices.size() < 2) {
        return std::nullopt;
    }
    std::ranges::sort(slices);
    const std::size_t half = slices.size() / 2;
    const double median =
        slices.size() % 2 == 1 ? slices[half] : (slices[half - 1] + slices[half]) / 2;
    return UseOverTime{slices.front(), median, slices.back()};
}

}  // namespace

CpuMeter::CpuMeter(const std::vector<CpuId>& cpus, std::filesystem::path root)
    : cpus_(cpus), root_(std::move(root)) {
    std::ranges::sort(cpus_);
    cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

void CpuMeter::mark(Clock::time_point now) {
    followed_.clear();
    const auto times = cpu_times(root_);
    for (const CpuId cpu : cpus_) {
        if (const auto found = times.find(cpu); found != times.end()) {
            followed_[cpu] = {found->second, found->second, {}};
        }
    }
    start_at_ = last_at_ = now;
    on_ = true;
}

/// What lies between two readings is a slice if it is long enough; the interval grows in any case.
void CpuMeter::take(Clock::time_point now, Clock::duration shortest) {
    const auto times = cpu_times(root_);
    for (auto& [cpu, followed] : followed_) {
        const auto found = times.find(cpu);
        if (found == times.end()) {
            continue;
        }
        const CpuTimes slice = between(followed.last, found->second);
        if (now - last_at_ >= shortest && slice.all_ns() != 0) {
            followed.slices.push_back(
                static_cast<double>(slice.busy_ns()) / static_cast<double>(slice.all_ns())
            );
        }
        followed.last = found->second;
    }
    last_at_ = now;
}

void CpuMeter::look(Clock::time_point now) {
    if (on_ && now - last_at_ >= shortest_slice) {
        take(now, shortest_slice);
    }
}

void CpuMeter::cut(Clock::time_point now) {
    if (on_) {
        take(now, shortest_last_slice);
        on_ = false;
    }
}

std::vector<CpuUse> CpuMeter::uses() const {
    std::vector<CpuUse> all;
    for (const auto& [cpu, followed] : followed_) {
        CpuUse use;
        use.cpu = cpu;
        use.sampled_ns = static_cast<std::uint64_t>(Duration(last_at_ - start_at_).count());
        use.times = between(followed.start, followed.last);
        use.over_time = over_time(followed.slices);
        all.push_back(use);
    }
    return all;
}

}  // namespace gensink::host
