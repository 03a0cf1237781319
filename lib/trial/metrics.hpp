// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/result.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace gensink::trial {

/// cost: ticks or time per frame or byte, compared at equal load. rate: compared at load max.
enum class MetricKind { cost, rate, other };

struct Metric {
    std::string_view name;  ///< "tx.ticks_per_frame"
    std::string_view unit;
    MetricKind kind;
    plan::Better better;
    std::string_view meaning;
    std::optional<double> (*value)(const TrialResult&);  ///< absent where undefined
};

/// All metrics: tx.ticks_per_frame, tx.ns_per_frame, tx.occupied_ticks_per_frame, tx.us_per_kb,
/// tx.fps (offered), tx.burst_accepted, tx.send_calls_per_frame, rx.fps, rx.bps_l1, rx.bps_l2,
/// rx.bps_payload, rx.ticks_per_frame, rx.ns_per_frame, rx.occupied_ticks_per_frame, rx.us_per_kb,
/// rx.burst_received, loss_ratio, ..., those of CPUs: tx.cpu_ns_per_frame, cpu.ns_per_frame,
/// tx.cycles_per_frame, ..., and those of the closed loop: transfer.*, latency.*, hold.*.
[[nodiscard]] std::span<const Metric> metrics();
[[nodiscard]] const Metric* find_metric(std::string_view name);

}  // namespace gensink::trial
