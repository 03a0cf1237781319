// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/cost_load.hpp"

#include "trial/metrics.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gensink::experiment::detail {

namespace {

/// Preamble 7, start delimiter 1, inter-frame gap 12 (IEEE 802.3 clause 4.4.2).
constexpr double gap_bytes = 20.0;
constexpr double bits = 8.0;
constexpr unsigned around_payload_bytes = 46;  ///< Ethernet, IPv4, UDP headers and FCS
constexpr unsigned min_frame_bytes = 64;

double mean(const std::vector<std::uint16_t>& payloads, unsigned around, unsigned least) {
    double sum = 0.0;
    for (const std::uint16_t payload : payloads) {
        sum += std::max(payload + around, least);
    }
    return sum / static_cast<double>(payloads.size());
}

double mean_frame_bytes(const plan::TrialPlan& plan) {
    return mean(plan.frames.payload_bytes, around_payload_bytes, min_frame_bytes);
}

}  // namespace

std::optional<double> intended_fps(const flow::Load& load, const plan::TrialPlan& plan) {
    switch (load.unit) {
    case flow::LoadUnit::fps:
        return load.value;
    case flow::LoadUnit::bps_l1:
        return load.value / (bits * (mean_frame_bytes(plan) + gap_bytes));
    case flow::LoadUnit::bps_l2:
        return load.value / (bits * mean_frame_bytes(plan));
    case flow::LoadUnit::bps_payload:
        return load.value / (bits * mean(plan.frames.payload_bytes, 0, 0));
    case flow::LoadUnit::line_ratio:
        if (plan.line_bps) {
            return load.value * *plan.line_bps / (bits * (mean_frame_bytes(plan) + gap_bytes));
        }
        return std::nullopt;
    case flow::LoadUnit::max:
        break;
    }
    return std::nullopt;
}

std::optional<double> carried_fps(const trial::TrialResult& trial) {
    const trial::Metric* offered = trial::find_metric("tx.fps");
    const trial::Metric* received = trial::find_metric("rx.fps");
    if (!trial.complete || offered == nullptr || received == nullptr) {
        return std::nullopt;
    }
    const auto offered_fps = offered->value(trial);
    const auto received_fps = received->value(trial);
    if (!offered_fps) {
        return std::nullopt;
    }
    const double carried = received_fps ? std::min(*offered_fps, *received_fps) : *offered_fps;
    return carried > 0.0 ? std::optional(carried) : std::nullopt;
}

}  // namespace gensink::experiment::detail
