// SPDX-License-Identifier: BSD-3-Clause
#include "profile/metric_names.hpp"

namespace gensink::profile {

namespace {

using MetricKind = MetricName::Kind;

constexpr MetricName metric_table[] = {
    {"tx.ticks_per_frame", "ticks", MetricKind::cost, false},
    {"tx.ns_per_frame", "ns", MetricKind::cost, false},
    {"tx.occupied_ticks_per_frame", "ticks", MetricKind::cost, false},
    {"tx.occupied_ns_per_frame", "ns", MetricKind::cost, false},
    {"tx.us_per_kb", "us/KB", MetricKind::cost, false},
    {"tx.occupied_us_per_kb", "us/KB", MetricKind::cost, false},
    {"tx.fps", "fps", MetricKind::rate, false},
    {"tx.bps_l1", "bit/s", MetricKind::rate, false},
    {"tx.bps_l2", "bit/s", MetricKind::rate, false},
    {"tx.bps_payload", "bit/s", MetricKind::rate, false},
    {"tx.burst_accepted", "frames", MetricKind::other, false},
    {"tx.burst_asked", "frames", MetricKind::other, false},
    {"tx.send_calls_per_frame", "calls", MetricKind::other, false},
    {"tx.bytes_copied_per_frame", "B", MetricKind::other, false},
    {"tx.driver_bytes_copied_per_frame", "B", MetricKind::other, false},
    {"tx.segments_per_frame", "segments", MetricKind::other, false},
    {"tx.refused_ratio", "ratio", MetricKind::other, false},
    {"tx.sending_ratio", "ratio", MetricKind::other, false},
    {"tx.pacing_ratio", "ratio", MetricKind::other, false},
    {"tx.window_ratio", "ratio", MetricKind::other, false},
    {"tx.ring_full_ratio", "ratio", MetricKind::other, false},
    {"tx.pool_empty_ratio", "ratio", MetricKind::other, false},
    {"rx.fps", "fps", MetricKind::rate, true},
    {"rx.bps_l1", "bit/s", MetricKind::rate, true},
    {"rx.bps_l2", "bit/s", MetricKind::rate, true},
    {"rx.bps_payload", "bit/s", MetricKind::rate, true},
    {"rx.ticks_per_frame", "ticks", MetricKind::cost, true},
    {"rx.ns_per_frame", "ns", MetricKind::cost, true},
    {"rx.occupied_ticks_per_frame", "ticks", MetricKind::cost, true},
    {"rx.occupied_ns_per_frame", "ns", MetricKind::cost, true},
    {"rx.us_per_kb", "us/KB", MetricKind::cost, true},
    {"rx.occupied_us_per_kb", "us/KB", MetricKind::cost, true},
    {"rx.burst_received", "frames", MetricKind::other, true},
    {"rx.receiving_ratio", "ratio", MetricKind::other, true},
    {"rx.acking_ratio", "ratio", MetricKind::other, true},
    {"rx.polling_ratio", "ratio", MetricKind::other, true},
    {"tcp.retransmit_ratio", "ratio", MetricKind::other, true},
    {"tcp.receive_window_ratio", "ratio", MetricKind::other, true},
    {"tcp.send_buffer_ratio", "ratio", MetricKind::other, true},
    {"loss_ratio", "ratio", MetricKind::other, true},
    {"tx.cpu_ns_per_frame", "ns", MetricKind::cost, false},
    {"rx.cpu_ns_per_frame", "ns", MetricKind::cost, true},
    {"cpu.ns_per_frame", "ns", MetricKind::cost, true},
    {"cpu.us_per_kb", "us/KB", MetricKind::cost, true},
    {"tx.cycles_per_frame", "cycles", MetricKind::cost, false},
    {"tx.instructions_per_frame", "instructions", MetricKind::cost, false},
    {"tx.cache_misses_per_frame", "misses", MetricKind::cost, false},
    {"tx.branch_misses_per_frame", "misses", MetricKind::cost, false},
    {"rx.cycles_per_frame", "cycles", MetricKind::cost, true},
    {"rx.instructions_per_frame", "instructions", MetricKind::cost, true},
    {"rx.cache_misses_per_frame", "misses", MetricKind::cost, true},
    {"rx.branch_misses_per_frame", "misses", MetricKind::cost, true},
    {"transfer.bps_payload", "bit/s", MetricKind::other, true},
    {"transfer.kib_per_s", "KiB/s", MetricKind::other, true},
    {"transfer.blocks_per_s", "blocks/s", MetricKind::other, true},
    {"transfer.seconds", "s", MetricKind::other, true},
    {"transfer.object_ms", "ms", MetricKind::other, true},
    {"transfer.object_raw_ms", "ms", MetricKind::other, true},
    {"transfer.object_median_ms", "ms", MetricKind::other, true},
    {"transfer.object_p99_ms", "ms", MetricKind::other, true},
    {"transfer.object_max_ms", "ms", MetricKind::other, true},
    {"transfer.timeouts", "timeouts", MetricKind::other, true},
    {"transfer.retransmit_ratio", "ratio", MetricKind::other, true},
    {"transfer.outstanding_max", "frames", MetricKind::other, true},
    {"transfer.acks_per_frame", "ACKs", MetricKind::other, true},
    {"transfer.window_ratio", "ratio", MetricKind::other, true},
    {"transfer.ack_timer_ratio", "ratio", MetricKind::other, true},
    {"transfer.ring_ratio", "ratio", MetricKind::other, true},
    {"transfer.pacing_ratio", "ratio", MetricKind::other, true},
    {"transfer.pool_ratio", "ratio", MetricKind::other, true},
    {"transfer.cpu_ratio", "ratio", MetricKind::other, true},
    {"latency.frame_p50_us", "us", MetricKind::other, true},
    {"latency.frame_p90_us", "us", MetricKind::other, true},
    {"latency.frame_p99_us", "us", MetricKind::other, true},
    {"latency.frame_p999_us", "us", MetricKind::other, true},
    {"latency.frame_max_us", "us", MetricKind::other, true},
    {"latency.frame_intended_p50_us", "us", MetricKind::other, true},
    {"latency.frame_intended_p90_us", "us", MetricKind::other, true},
    {"latency.frame_intended_p99_us", "us", MetricKind::other, true},
    {"latency.frame_intended_p999_us", "us", MetricKind::other, true},
    {"latency.frame_intended_max_us", "us", MetricKind::other, true},
    {"latency.block_p50_us", "us", MetricKind::other, true},
    {"latency.block_p90_us", "us", MetricKind::other, true},
    {"latency.block_p99_us", "us", MetricKind::other, true},
    {"latency.block_p999_us", "us", MetricKind::other, true},
    {"latency.block_max_us", "us", MetricKind::other, true},
    {"latency.block_intended_p50_us", "us", MetricKind::other, true},
    {"latency.block_intended_p90_us", "us", MetricKind::other, true},
    {"latency.block_intended_p99_us", "us", MetricKind::other, true},
    {"latency.block_intended_p999_us", "us", MetricKind::other, true},
    {"latency.block_intended_max_us", "us", MetricKind::other, true},
    {"hold.p50_us", "us", MetricKind::other, true},
    {"hold.p99_us", "us", MetricKind::other, true},
    {"predicted_ratio", "ratio", MetricKind::other, true},
};

}  // namespace

std::span<const MetricName> metric_names() {
    return metric_table;
}

const MetricName* find_metric_name(std::string_view name) {
    for (const MetricName& metric : metric_table) {
        if (metric.name == name) {
            return &metric;
        }
    }
    return nullptr;
}

}  // namespace gensink::profile
