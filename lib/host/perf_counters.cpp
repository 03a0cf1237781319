// SPDX-License-Identifier: BSD-3-Clause
#include "host/perf_counters.hpp"

#include <cmath>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace gensink::host {

namespace {

/// In the order of HardwareCounts.
constexpr std::array<PerfEvent, PerfCounters::size> hardware_events{
    {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
     {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
     {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
     {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES}}};

}  // namespace

std::optional<std::uint64_t> counted_between(const PerfReading& start, const PerfReading& end) {
    const std::uint64_t value = end.value - start.value;
    const std::uint64_t enabled = end.enabled_ns - start.enabled_ns;
    const std::uint64_t running = end.running_ns - start.running_ns;
    if (running == 0) {
        return std::nullopt;
    }
    if (running >= enabled) {
        return value;  // to the last one, as it was counted
    }
    return static_cast<std::uint64_t>(std::llround(
        static_cast<double>(value) * static_cast<double>(enabled) / static_cast<double>(running)
    ));
}

std::optional<PerfCounter> PerfCounter::open(const PerfEvent& event, pid_t tid, PerfScope scope) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.exclude_kernel = scope == PerfScope::user ? 1 : 0;
    attributes.exclude_hv = 1;
    constexpr int any_cpu = -1;
    constexpr int no_group = -1;
    const long file =
        syscall(SYS_perf_event_open, &attributes, tid, any_cpu, no_group, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    return PerfCounter(static_cast<int>(file));
}

PerfCounter::PerfCounter(PerfCounter&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

PerfCounter& PerfCounter::operator=(PerfCounter&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
}

PerfCounter::~PerfCounter() {
    if (file_ >= 0) {
        close(file_);
    }
}

std::optional<PerfReading> PerfCounter::read() const {
    // perf_event_open(2), PERF_FORMAT_TOTAL_TIME_*: value, time enabled, time running.
    std::array<std::uint64_t, 3> words{};
    if (::read(file_, words.data(), sizeof words) != static_cast<ssize_t>(sizeof words)) {
        return std::nullopt;
    }
    return PerfReading{words[0], words[1], words[2]};
}

PerfCounters::PerfCounters(pid_t tid) {
    const auto try_all = [&](PerfScope scope) {
        bool any = false;
        scope_ = scope;
        for (std::size_t i = 0; i < size; ++i) {
            counters_.at(i) = PerfCounter::open(hardware_events.at(i), tid, scope);
            any = any || counters_.at(i).has_value();
        }
        return any;
    };
    // One scope for all: a ratio of instructions to cycles must not mix two.
    if (!try_all(PerfScope::user_and_kernel)) {
        try_all(PerfScope::user);
    }
}

PerfCounters::Readings PerfCounters::read() const {
    Readings readings;
    for (std::size_t i = 0; i < size; ++i) {
        const auto& counter = counters_.at(i);
        readings.at(i) = counter ? counter->read() : std::nullopt;
    }
    return readings;
}

HardwareCounts PerfCounters::between(const Readings& start, const Readings& end) const {
    const auto count = [&](std::size_t i) {
        return start.at(i) && end.at(i) ? counted_between(*start.at(i), *end.at(i)) : std::nullopt;
    };
    HardwareCounts counts;
    counts.scope = scope_;
    const auto cycles = count(0);
    const auto instructions = count(1);
    // Some hypervisors offer counters that stand still. No thread runs on no instruction.
    if (cycles.value_or(1) != 0 && instructions.value_or(1) != 0) {
        counts.cycles = cycles;
        counts.instructions = instructions;
        counts.cache_misses = count(2);
        counts.branch_misses = count(3);
    }
    return counts;
}

}  // namespace gensink::host
