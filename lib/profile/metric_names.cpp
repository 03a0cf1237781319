// SPDX-License-Identifier: BSD-3-Clause
#include "profile/metric_names.hpp"

namespace gensink::profile {

namespace {

using Kind = MetricName::Kind;

constexpr MetricName table[] = {
    {"tx.ticks_per_frame", Kind::cost, "ticks", false},
    {"tx.ns_per_frame", Kind::cost, "ns", false},
    {"tx.occupied_ticks_per_frame", Kind::cost, "ticks", false},
    {"tx.occupied_ns_per_frame", Kind::cost, "ns", false},
    {"tx.us_per_kb", Kind::cost, "us/KB", false},
    {"tx.occupied_us_per_kb", Kind::cost, "us/KB", false},
    {"tx.fps", Kind::rate, "fps", false},
    {"tx.bps_l1", Kind::rate, "bit/s", false},
    {"tx.bps_l2", Kind::rate, "bit/s", false},
    {"tx.bps_payload", Kind::rate, "bit/s", false},
    {"tx.burst_accepted", Kind::other, "frames", false},
    {"tx.burst_asked", Kind::other, "frames", false},
    {"tx.send_calls_per_frame", Kind::other, "calls", false},
    {"tx.refused_ratio", Kind::other, "ratio", false},
    {"tx.sending_ratio", Kind::other, "ratio", false},
    {"tx.pacing_ratio", Kind::other, "ratio", false},
    {"tx.window_ratio", Kind::other, "ratio", false},
    {"tx.ring_full_ratio", Kind::other, "ratio", false},
    {"tx.pool_empty_ratio", Kind::other, "ratio", false},
    {"rx.fps", Kind::rate, "fps", true},
    {"rx.bps_l1", Kind::rate, "bit/s", true},
    {"rx.bps_l2", Kind::rate, "bit/s", true},
    {"rx.bps_payload", Kind::rate, "bit/s", true},
    {"rx.ticks_per_frame", Kind::cost, "ticks", true},
    {"rx.ns_per_frame", Kind::cost, "ns", true},
    {"rx.occupied_ticks_per_frame", Kind::cost, "ticks", true},
    {"rx.occupied_ns_per_frame", Kind::cost, "ns", true},
    {"rx.us_per_kb", Kind::cost, "us/KB", true},
    {"rx.occupied_us_per_kb", Kind::cost, "us/KB", true},
    {"rx.burst_received", Kind::other, "frames", true},
    {"rx.receiving_ratio", Kind::other, "ratio", true},
    {"rx.acking_ratio", Kind::other, "ratio", true},
    {"rx.polling_ratio", Kind::other, "ratio", true},
    {"loss_ratio", Kind::other, "ratio", true},
};

}  // namespace

std::span<const MetricName> metric_names() {
    return table;
}

const MetricName* find_metric_name(std::string_view name) {
    for (const MetricName& metric : table) {
        if (metric.name == name) {
            return &metric;
        }
    }
    return nullptr;
}

}  // namespace gensink::profile
