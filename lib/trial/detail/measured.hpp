// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/datapath.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Sums over the cores of one end, over the measure interval.
namespace gensink::trial::detail {

template <class Counts>
using Cores = std::vector<CoreReport<Counts>>;

/// Sum of one field of the measured counts.
template <class Counts>
[[nodiscard]] std::uint64_t measured_sum(const Cores<Counts>& cores, std::uint64_t Counts::*field) {
    std::uint64_t sum = 0;
    for (const auto& core : cores) {
        sum += core.measured.*field;
    }
    return sum;
}

/// Sum of one field of the counts since the threads started.
template <class Counts>
[[nodiscard]] std::uint64_t total_sum(const Cores<Counts>& cores, std::uint64_t Counts::*field) {
    std::uint64_t sum = 0;
    for (const auto& core : cores) {
        sum += core.total.*field;
    }
    return sum;
}

/// Ticks charged to one cause.
template <class Counts>
[[nodiscard]] std::uint64_t measured_ticks(const Cores<Counts>& cores, auto cause) {
    std::uint64_t sum = 0;
    for (const auto& core : cores) {
        sum += core.measured.cause_ticks[static_cast<std::size_t>(cause)];
    }
    return sum;
}

/// Ticks of all causes.
template <class Counts>
[[nodiscard]] std::uint64_t measured_ticks(const Cores<Counts>& cores) {
    std::uint64_t sum = 0;
    for (const auto& core : cores) {
        for (const std::uint64_t ticks : core.measured.cause_ticks) {
            sum += ticks;
        }
    }
    return sum;
}

/// A core's own measure interval in seconds; absent while it was not reached or closed.
template <class Counts>
[[nodiscard]] std::optional<double>
interval_seconds(const CoreReport<Counts>& core, std::uint64_t tsc_hz) {
    if (tsc_hz == 0 || core.measure_end_ticks <= core.measure_start_ticks) {
        return std::nullopt;
    }
    return static_cast<double>(core.measure_end_ticks - core.measure_start_ticks) /
           static_cast<double>(tsc_hz);
}

/// True where a core's thread missed the measure phase because it waited for its CPU, and did not
/// hang.
template <class Counts>
[[nodiscard]] bool starved(const CoreReport<Counts>& core) {
    const bool reached = core.measure_end_ticks > core.measure_start_ticks;
    return !reached && core.thread.sampled_ns > 0 &&
           2 * core.thread.run_delay_to_end_ns >= core.thread.sampled_ns;
}

/// Send or receive calls that moved at least one frame.
[[nodiscard]] inline std::uint64_t calls_that_moved(const Cores<counters::TxCounts>& cores) {
    std::uint64_t sum = 0;
    for (const auto& core : cores) {
        sum += core.measured.send_calls - core.measured.burst_accepted[0];
    }
    return sum;
}

[[nodiscard]] inline std::uint64_t calls_that_moved(const Cores<counters::SinkCounts>& cores) {
    std::uint64_t sum = 0;
    for (const auto& core : cores) {
        sum += core.measured.receive_calls - core.measured.burst_received[0];
    }
    return sum;
}

[[nodiscard]] inline std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) {
        return std::nullopt;
    }
    return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace gensink::trial::detail
