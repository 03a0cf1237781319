// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/detail/cpu_values.hpp"
#include "trial/metrics.hpp"

#include <array>
#include <string_view>

/// Costs by the kernel's account and by hardware counters. Absent where there are none: in virtual
/// time, on machines without counters.
namespace gensink::trial::detail {

constexpr Metric cost(
    Value (*value)(const TrialResult&),
    std::string_view name,
    std::string_view unit,
    std::string_view meaning
) {
    return {name, unit, MetricKind::cost, plan::Better::lower, meaning, value};
}

inline constexpr std::array cpu_metrics{
    cost(
        cpu_ns_per_frame<TxCounts>,
        "tx.cpu_ns_per_frame",
        "ns",
        "generator: time that its threads were on a CPU, per frame accepted"
    ),
    cost(
        cpu_ns_per_frame<SinkCounts>,
        "rx.cpu_ns_per_frame",
        "ns",
        "sink: time that its threads were on a CPU, per frame"
    ),
    cost(
        cpu_ns_per_frame_received,
        "cpu.ns_per_frame",
        "ns",
        "all CPUs of both ends, with interrupts and whatever else ran: time neither idle nor "
        "stolen, per frame received"
    ),
    cost(
        cpu_us_per_kb,
        "cpu.us_per_kb",
        "us/KB",
        "the same per 1024 B of payload received (netperf's service demand of both ends)"
    ),
    cost(
        events_per_frame<TxCounts, &HardwareReport::cycles>,
        "tx.cycles_per_frame",
        "cycles",
        "generator: core cycles of its threads by hardware counter, per frame accepted"
    ),
    cost(
        events_per_frame<TxCounts, &HardwareReport::instructions>,
        "tx.instructions_per_frame",
        "instructions",
        "generator: instructions by hardware counter, per frame accepted"
    ),
    cost(
        events_per_frame<TxCounts, &HardwareReport::cache_misses>,
        "tx.cache_misses_per_frame",
        "misses",
        "generator: misses of the last-level cache by hardware counter, per frame accepted"
    ),
    cost(
        events_per_frame<TxCounts, &HardwareReport::branch_misses>,
        "tx.branch_misses_per_frame",
        "misses",
        "generator: mispredicted branches by hardware counter, per frame accepted"
    ),
    cost(
        events_per_frame<SinkCounts, &HardwareReport::cycles>,
        "rx.cycles_per_frame",
        "cycles",
        "sink: core cycles of its threads by hardware counter, per frame"
    ),
    cost(
        events_per_frame<SinkCounts, &HardwareReport::instructions>,
        "rx.instructions_per_frame",
        "instructions",
        "sink: instructions by hardware counter, per frame"
    ),
    cost(
        events_per_frame<SinkCounts, &HardwareReport::cache_misses>,
        "rx.cache_misses_per_frame",
        "misses",
        "sink: misses of the last-level cache by hardware counter, per frame"
    ),
    cost(
        events_per_frame<SinkCounts, &HardwareReport::branch_misses>,
        "rx.branch_misses_per_frame",
        "misses",
        "sink: mispredicted branches by hardware counter, per frame"
    ),
};

}  // namespace gensink::trial::detail
