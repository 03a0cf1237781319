// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/detail/values.hpp"

#include <algorithm>
#include <vector>

/// What frames cost by the kernel's account and by the cores' own counters.
///
/// The control thread samples them over a span that begins and ends a little apart from the
/// interval in which a datapath thread counted its frames. So a cost is a rate by a rate: so much a
/// second of the span, by so many frames a second of the interval. Neither span need be known to be
/// the other, as long as the load is steady.
namespace gensink::trial::detail {

/// Sum over an end's threads of what each used a second of its span; absent if one's is unknown.
template <class Counts, class Amount>
Value used_per_second(const TrialResult& trial, Amount amount) {
    double sum = 0;
    for (const auto& core : End<Counts>::cores(trial)) {
        const ThreadFacts& thread = core.thread;
        const std::optional<std::uint64_t> used = amount(thread);
        if (!used || thread.sampled_ns == 0) {
            return std::nullopt;
        }
        sum += static_cast<double>(*used) * 1e9 / static_cast<double>(thread.sampled_ns);
    }
    return sum;
}

inline Value divided(Value what, Value by) {
    return what && by && *by > 0 ? Value(*what / *by) : std::nullopt;
}

/// Frames that an end handled a second. Strangers cost the sink as much as its own.
template <class Counts>
Value handled_per_second(const TrialResult& trial) {
    return per_second<Counts>(trial, [](const Counts& counts) {
        return static_cast<double>(counts.*End<Counts>::frames);
    });
}

template <class Counts>
Value cpu_ns_per_frame(const TrialResult& trial) {
    return divided(
        used_per_second<Counts>(trial, [](const ThreadFacts& thread) { return thread.run_ns; }),
        handled_per_second<Counts>(trial)
    );
}

template <class Counts, std::optional<std::uint64_t> HardwareReport::*Event>
Value events_per_frame(const TrialResult& trial) {
    return divided(
        used_per_second<Counts>(
            trial, [](const ThreadFacts& thread) { return thread.hardware.*Event; }
        ),
        handled_per_second<Counts>(trial)
    );
}

/// CPUs of both ends, each once: where threads share one, it did the work of both.
inline std::vector<CpuReport> involved_cpus(const Snapshot& counts) {
    std::vector<CpuReport> all = counts.gen_cpus;
    for (const CpuReport& cpu : counts.sink_cpus) {
        const bool same = !counts.sink_elsewhere &&
                          std::ranges::any_of(counts.gen_cpus, [&](const CpuReport& other) {
                              return other.cpu == cpu.cpu;
                          });
        if (!same) {
            all.push_back(cpu);
        }
    }
    return all;
}

/// Steps in which /proc/stat accounts for time, and how many of them are too few to go by.
constexpr std::uint64_t account_step_ns = 10'000'000;
constexpr std::uint64_t few_steps = 10;

/// Share of a CPU's span that gensink's own threads were on it, by their exact clocks.
inline double own_share(const Snapshot& counts, CpuId cpu) {
    double share = 0;
    const auto add = [&](const auto& cores) {
        for (const auto& core : cores) {
            const ThreadFacts& thread = core.thread;
            if (thread.cpu == cpu && thread.sampled_ns != 0) {
                share += ratio(thread.run_ns.value_or(0), thread.sampled_ns).value_or(0);
            }
        }
    };
    add(counts.gen);
    if (!counts.sink_elsewhere) {
        add(counts.sink);
    }
    return std::min(share, 1.0);
}

/// CPUs' worth of work: of each the share of its time in which it did anything, whoever for.
/// Shares are of the time that the kernel accounted for, not of the clock's: both are counted in
/// the same coarse steps, and a CPU that never idles has a share of exactly 1. The kernel charges a
/// whole step to what it meets at its end, and may never meet a thread that works in short bursts:
/// where it met few, no share is below what gensink's own threads used.
inline Value cpus_used(const TrialResult& trial) {
    const std::vector<CpuReport> cpus = involved_cpus(trial.counts);
    if (trial.counts.gen_cpus.empty() || trial.counts.sink_cpus.empty()) {
        return std::nullopt;
    }
    double sum = 0;
    for (const CpuReport& cpu : cpus) {
        const Value share = ratio(cpu.busy_ns(), cpu.all_ns());
        if (!share) {
            return std::nullopt;
        }
        const bool few = cpu.busy_ns() < few_steps * account_step_ns;
        sum += few ? std::max(*share, own_share(trial.counts, cpu.cpu)) : *share;
    }
    return sum;
}

inline Value cpu_ns_per_frame_received(const TrialResult& trial) {
    const Value per_frame = divided(cpus_used(trial), fps<SinkCounts>(trial));
    return per_frame ? Value(*per_frame * 1e9) : per_frame;
}

inline Value cpu_us_per_kb(const TrialResult& trial) {
    const Value per_bit = divided(cpus_used(trial), bps_payload<SinkCounts>(trial));
    return per_bit ? Value(*per_bit * 1e6 * 8 * bytes_per_kb) : per_bit;
}

}  // namespace gensink::trial::detail
