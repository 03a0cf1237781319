// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/detail/transfer_values.hpp"
#include "trial/metrics.hpp"

#include <array>
#include <string_view>

/// The closed loop's metrics. All are absent where the loop is open, and belong to no load kind: a
/// window that limits the rate is what they are there to show.
namespace gensink::trial::detail {

using counters::FlowCause;
using counters::Latencies;

constexpr Metric transfer_metric(
    std::string_view name,
    std::string_view unit,
    plan::Better better,
    std::string_view meaning,
    Value (*value)(const TrialResult&)
) {
    return {name, unit, MetricKind::other, better, meaning, value};
}

inline constexpr plan::Better more = plan::Better::higher;
inline constexpr plan::Better less = plan::Better::lower;

inline constexpr std::
    array
        transfer_metrics{
            transfer_metric(
                "transfer.bps_payload",
                "bit/s",
                more,
                "acknowledged bytes of the application, per second of the generator's interval",
                acked_bps
            ),
            transfer_metric(
                "transfer.kib_per_s",
                "KiB/s",
                more,
                "acknowledged bytes of the application in KiB, per second",
                acked_kib_per_s
            ),
            transfer_metric(
                "transfer.blocks_per_s",
                "blocks/s",
                more,
                "acknowledged blocks per second and flow",
                blocks_per_s
            ),
            transfer_metric(
                "transfer.seconds",
                "s",
                less,
                "a finite transfer: from the first frame's phase to the last ACK seen",
                transfer_seconds
            ),
            transfer_metric(
                "transfer.object_ms",
                "ms",
                less,
                "fetched one by one: mean time of a block, after the outlier rule",
                object_ms
            ),
            transfer_metric(
                "transfer.object_raw_ms",
                "ms",
                less,
                "fetched one by one: mean time of all blocks",
                object_raw_ms
            ),
            transfer_metric("transfer.object_median_ms", "ms", less, "fetched one by one: median time of a block", object_at<50>),
            transfer_metric("transfer.object_p99_ms", "ms", less, "fetched one by one: 99 % of blocks took no longer", object_at<99>),
            transfer_metric("transfer.object_max_ms", "ms", less, "fetched one by one: the slowest block", object_at<100>),
            transfer_metric(
                "transfer.timeouts",
                "timeouts",
                less,
                "times that a flow's oldest frame was not acknowledged in time",
                timeouts
            ),
            transfer_metric(
                "transfer.retransmit_ratio",
                "ratio",
                less,
                "frames sent again, of frames accepted",
                retransmit_ratio
            ),
            transfer_metric(
                "transfer.outstanding_max",
                "frames",
                less,
                "most frames of one flow that were outstanding at once",
                outstanding_max
            ),
            transfer_metric(
                "transfer.acks_per_frame",
                "ACKs",
                less,
                "sink: ACKs sent per frame received",
                acks_per_frame
            ),
            transfer_metric("transfer.window_ratio", "ratio", less, "share of the flows' time that waited for room in the window", flow_share<FlowCause::window>),
            transfer_metric("transfer.ack_timer_ratio", "ratio", less, "share of the flows' time that waited for an ACK that the sink's timer held back", flow_share<FlowCause::ack_timer>),
            transfer_metric("transfer.ring_ratio", "ratio", less, "share of the flows' time that waited for the transmit ring", flow_share<FlowCause::ring>),
            transfer_metric("transfer.pacing_ratio", "ratio", less, "share of the flows' time that waited for the pacer", flow_share<FlowCause::pacing>),
            transfer_metric("transfer.pool_ratio", "ratio", less, "share of the flows' time that waited for a buffer", flow_share<FlowCause::pool>),
            transfer_metric("transfer.cpu_ratio", "ratio", less, "share of the flows' time in which they were served, or waited for their core", flow_share<FlowCause::cpu>),
            transfer_metric("latency.frame_p50_us", "us", less, "frame latency, accepted by the port to its ACK: half take no longer", latency_us<&Latencies::frame, 500>),
            transfer_metric("latency.frame_p90_us", "us", less, "frame latency, accepted by the port to its ACK: 90 % take no longer", latency_us<&Latencies::frame, 900>),
            transfer_metric("latency.frame_p99_us", "us", less, "frame latency, accepted by the port to its ACK: 99 % take no longer", latency_us<&Latencies::frame, 990>),
            transfer_metric("latency.frame_p999_us", "us", less, "frame latency, accepted by the port to its ACK: 99.9 % take no longer", latency_us<&Latencies::frame, 999>),
            transfer_metric("latency.frame_max_us", "us", less, "frame latency, accepted by the port to its ACK: the longest", latency_us<&Latencies::frame, 1000>),
            transfer_metric("latency.frame_intended_p50_us", "us", less, "frame latency from when it should have left: half take no longer", latency_us<&Latencies::frame_intended, 500>),
            transfer_metric("latency.frame_intended_p90_us", "us", less, "frame latency from when it should have left: 90 % take no longer", latency_us<&Latencies::frame_intended, 900>),
            transfer_metric("latency.frame_intended_p99_us", "us", less, "frame latency from when it should have left: 99 % take no longer", latency_us<&Latencies::frame_intended, 990>),
            transfer_metric("latency.frame_intended_p999_us", "us", less, "frame latency from when it should have left: 99.9 % take no longer", latency_us<&Latencies::frame_intended, 999>),
            transfer_metric("latency.frame_intended_max_us", "us", less, "frame latency from when it should have left: the longest", latency_us<&Latencies::frame_intended, 1000>),
            transfer_metric("latency.block_p50_us", "us", less, "block latency, first frame accepted to the last frame's ACK: half take no longer", latency_us<&Latencies::block, 500>),
            transfer_metric("latency.block_p90_us", "us", less, "block latency, first frame accepted to the last frame's ACK: 90 % take no longer", latency_us<&Latencies::block, 900>),
            transfer_metric("latency.block_p99_us", "us", less, "block latency, first frame accepted to the last frame's ACK: 99 % take no longer", latency_us<&Latencies::block, 990>),
            transfer_metric("latency.block_p999_us", "us", less, "block latency, first frame accepted to the last frame's ACK: 99.9 % take no longer", latency_us<&Latencies::block, 999>),
            transfer_metric("latency.block_max_us", "us", less, "block latency, first frame accepted to the last frame's ACK: the longest", latency_us<&Latencies::block, 1000>),
            transfer_metric("latency.block_intended_p50_us", "us", less, "block latency from when it should have left: half take no longer", latency_us<&Latencies::block_intended, 500>),
            transfer_metric("latency.block_intended_p90_us", "us", less, "block latency from when it should have left: 90 % take no longer", latency_us<&Latencies::block_intended, 900>),
            transfer_metric("latency.block_intended_p99_us", "us", less, "block latency from when it should have left: 99 % take no longer", latency_us<&Latencies::block_intended, 990>),
            transfer_metric("latency.block_intended_p999_us", "us", less, "block latency from when it should have left: 99.9 % take no longer", latency_us<&Latencies::block_intended, 999>),
            transfer_metric("latency.block_intended_max_us", "us", less, "block latency from when it should have left: the longest", latency_us<&Latencies::block_intended, 1000>),
            transfer_metric("hold.p50_us", "us", less, "first frame of a burst ready to its send call: half take no longer", latency_us<&Latencies::hold, 500>),
            transfer_metric("hold.p99_us", "us", less, "first frame of a burst ready to its send call: 99 % take no longer", latency_us<&Latencies::hold, 990>),
            transfer_metric(
                "predicted_ratio",
                "ratio",
                more,
                "measured, of what the law of the limit predicts; 1 is as predicted",
                predicted_ratio
            ),
        };

}  // namespace gensink::trial::detail
