// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/experiment.hpp"
#include "trial/result.hpp"

#include <array>
#include <string>
#include <utility>

/// Enumerators as they are written in JSON and CSV, in the order of their values.
namespace gensink::report::detail {

inline constexpr std::array tx_cause_names{
    "sending", "pacing", "window", "ring_full", "pool_empty"};
static_assert(tx_cause_names.size() == counters::tx_causes);

inline constexpr std::array sink_cause_names{"receiving", "acking", "polling"};
static_assert(sink_cause_names.size() == counters::sink_causes);

inline constexpr std::array verdict_names{
    "gain", "loss", "no_difference", "inconclusive", "invalid"};
static_assert(verdict_names.size() == static_cast<std::size_t>(experiment::Verdict::invalid) + 1);

inline constexpr std::array load_kind_names{"as_planned", "max", "cost", "probe"};
static_assert(load_kind_names.size() == static_cast<std::size_t>(trial::LoadKind::probe) + 1);

inline constexpr std::array severity_names{"note", "external", "invalid"};
static_assert(severity_names.size() == static_cast<std::size_t>(trial::Severity::invalid) + 1);

inline constexpr std::array trust_names{"exact", "approximate", "absent"};
static_assert(trust_names.size() == static_cast<std::size_t>(plan::Trust::absent) + 1);

inline constexpr std::array flow_cause_names{
    "window", "ack_timer", "ring", "pacing", "pool", "cpu"};
static_assert(flow_cause_names.size() == counters::flow_causes);

inline constexpr std::array wire_names{"cable", "ports", "model", "kernel"};
static_assert(wire_names.size() == static_cast<std::size_t>(plan::WireKind::kernel) + 1);

inline constexpr std::array rule_names{"paired", "netperf"};
static_assert(rule_names.size() == static_cast<std::size_t>(plan::Rule::netperf) + 1);

inline constexpr std::array knee_standing_names{"within", "below", "undecided"};
static_assert(
    knee_standing_names.size() == static_cast<std::size_t>(experiment::KneeStanding::undecided) + 1
);

inline constexpr std::array law_names{"inverse", "linear", "affine"};
static_assert(law_names.size() == static_cast<std::size_t>(plan::LawKind::affine) + 1);

inline constexpr std::array outlier_names{"none", "trim_high", "trim_both", "mad"};
static_assert(outlier_names.size() == static_cast<std::size_t>(stats::OutlierKind::mad) + 1);

inline constexpr std::array flow_control_names{"off", "rx", "tx", "both"};
static_assert(flow_control_names.size() == static_cast<std::size_t>(trial::FlowControl::both) + 1);

inline constexpr std::array hardware_scope_names{"user", "user_and_kernel"};
static_assert(
    hardware_scope_names.size() ==
    static_cast<std::size_t>(trial::HardwareScope::user_and_kernel) + 1
);

inline constexpr std::array fill_names{"full", "due"};
static_assert(fill_names.size() == static_cast<std::size_t>(flow::Fill::due) + 1);

inline constexpr std::array load_unit_names{
    "max", "fps", "bps_l1", "bps_l2", "bps_payload", "line_ratio"};
static_assert(load_unit_names.size() == static_cast<std::size_t>(flow::LoadUnit::line_ratio) + 1);

/// Percentiles that are written beside a histogram's buckets.
inline constexpr std::array<std::pair<const char*, double>, 4> quantile_keys{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}}};

inline constexpr std::size_t reason_codes =
    static_cast<std::size_t>(trial::ReasonCode::queue_stuck) + 1;

/// trial::name has the names of reasons; here they are as a table.
[[nodiscard]] inline std::array<const char*, reason_codes> reason_names() {
    std::array<const char*, reason_codes> names{};
    for (std::size_t i = 0; i < reason_codes; ++i) {
        names.at(i) = trial::name(static_cast<trial::ReasonCode>(i));
    }
    return names;
}

}  // namespace gensink::report::detail
