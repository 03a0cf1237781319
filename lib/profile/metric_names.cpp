// SPDX-License-Identifier: BSD-3-Clause
#include "profile/metric_names.hpp"

namespace gensink::profile {

namespace {

using Kind = MetricName::Kind;

constexpr MetricName table[] = {
    {"tx.ticks_per_frame", "ticks", Kind::cost, false},
    {"tx.ns_per_frame", "ns", Kind::cost, false},
    {"tx.occupied_ticks_per_frame", "ticks", Kind::cost, false},
    {"tx.occupied_ns_per_frame", "ns", Kind::cost, false},
    {"tx.us_per_kb", "us/KB", Kind::cost, false},
    {"tx.occupied_us_per_kb", "us/KB", Kind::cost, false},
    {"tx.fps", "fps", Kind::rate, false},
    {"tx.bps_l1", "bit/s", Kind::rate, false},
    {"tx.bps_l2", "bit/s", Kind::rate, false},
    {"tx.bps_payload", "bit/s", Kind::rate, false},
    {"tx.burst_accepted", "frames", Kind::other, false},
    {"tx.burst_asked", "frames", Kind::other, false},
    {"tx.send_calls_per_frame", "calls", Kind::other, false},
    {"tx.refused_ratio", "ratio", Kind::other, false},
    {"tx.sending_ratio", "ratio", Kind::other, false},
    {"tx.pacing_ratio", "ratio", Kind::other, false},
    {"tx.window_ratio", "ratio", Kind::other, false},
    {"tx.ring_full_ratio", "ratio", Kind::other, false},
    {"tx.pool_empty_ratio", "ratio", Kind::other, false},
    {"rx.fps", "fps", Kind::rate, true},
    {"rx.bps_l1", "bit/s", Kind::rate, true},
    {"rx.bps_l2", "bit/s", Kind::rate, true},
    {"rx.bps_payload", "bit/s", Kind::rate, true},
    {"rx.ticks_per_frame", "ticks", Kind::cost, true},
    {"rx.ns_per_frame", "ns", Kind::cost, true},
    {"rx.occupied_ticks_per_frame", "ticks", Kind::cost, true},
    {"rx.occupied_ns_per_frame", "ns", Kind::cost, true},
    {"rx.us_per_kb", "us/KB", Kind::cost, true},
    {"rx.occupied_us_per_kb", "us/KB", Kind::cost, true},
    {"rx.burst_received", "frames", Kind::other, true},
    {"rx.receiving_ratio", "ratio", Kind::other, true},
    {"rx.acking_ratio", "ratio", Kind::other, true},
    {"rx.polling_ratio", "ratio", Kind::other, true},
    {"loss_ratio", "ratio", Kind::other, true},
    {"transfer.bps_payload", "bit/s", Kind::other, true},
    {"transfer.kib_per_s", "KiB/s", Kind::other, true},
    {"transfer.blocks_per_s", "blocks/s", Kind::other, true},
    {"transfer.seconds", "s", Kind::other, true},
    {"transfer.object_ms", "ms", Kind::other, true},
    {"transfer.object_raw_ms", "ms", Kind::other, true},
    {"transfer.object_median_ms", "ms", Kind::other, true},
    {"transfer.object_p99_ms", "ms", Kind::other, true},
    {"transfer.object_max_ms", "ms", Kind::other, true},
    {"transfer.timeouts", "timeouts", Kind::other, true},
    {"transfer.retransmit_ratio", "ratio", Kind::other, true},
    {"transfer.outstanding_max", "frames", Kind::other, true},
    {"transfer.acks_per_frame", "ACKs", Kind::other, true},
    {"transfer.window_ratio", "ratio", Kind::other, true},
    {"transfer.ack_timer_ratio", "ratio", Kind::other, true},
    {"transfer.ring_ratio", "ratio", Kind::other, true},
    {"transfer.pacing_ratio", "ratio", Kind::other, true},
    {"transfer.pool_ratio", "ratio", Kind::other, true},
    {"transfer.cpu_ratio", "ratio", Kind::other, true},
    {"latency.frame_p50_us", "us", Kind::other, true},
    {"latency.frame_p90_us", "us", Kind::other, true},
    {"latency.frame_p99_us", "us", Kind::other, true},
    {"latency.frame_p999_us", "us", Kind::other, true},
    {"latency.frame_max_us", "us", Kind::other, true},
    {"latency.frame_intended_p50_us", "us", Kind::other, true},
    {"latency.frame_intended_p90_us", "us", Kind::other, true},
    {"latency.frame_intended_p99_us", "us", Kind::other, true},
    {"latency.frame_intended_p999_us", "us", Kind::other, true},
    {"latency.frame_intended_max_us", "us", Kind::other, true},
    {"latency.block_p50_us", "us", Kind::other, true},
    {"latency.block_p90_us", "us", Kind::other, true},
    {"latency.block_p99_us", "us", Kind::other, true},
    {"latency.block_p999_us", "us", Kind::other, true},
    {"latency.block_max_us", "us", Kind::other, true},
    {"latency.block_intended_p50_us", "us", Kind::other, true},
    {"latency.block_intended_p90_us", "us", Kind::other, true},
    {"latency.block_intended_p99_us", "us", Kind::other, true},
    {"latency.block_intended_p999_us", "us", Kind::other, true},
    {"latency.block_intended_max_us", "us", Kind::other, true},
    {"hold.p50_us", "us", Kind::other, true},
    {"hold.p99_us", "us", Kind::other, true},
    {"predicted_ratio", "ratio", Kind::other, true},
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
