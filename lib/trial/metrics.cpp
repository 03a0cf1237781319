// SPDX-License-Identifier: BSD-3-Clause
#include "trial/metrics.hpp"

#include "trial/detail/cpu_metrics.hpp"
#include "trial/detail/tcp_values.hpp"
#include "trial/detail/transfer_metrics.hpp"
#include "trial/detail/values.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gensink::trial {

namespace {

using namespace detail;

using Text = std::string_view;
using Function = Value (*)(const TrialResult&);

constexpr Metric rate(Function value, Text name, Text unit, Text meaning) {
    return {name, unit, MetricKind::rate, plan::Better::higher, meaning, value};
}

/// Neither cost nor rate; more is better.
constexpr Metric up(Function value, Text name, Text unit, Text meaning) {
    return {name, unit, MetricKind::other, plan::Better::higher, meaning, value};
}

/// Neither cost nor rate; less is better.
constexpr Metric down(Function value, Text name, Text unit, Text meaning) {
    return {name, unit, MetricKind::other, plan::Better::lower, meaning, value};
}

constexpr std::array wire_metrics{
    cost(
        ticks_per_frame<TxBusy>,
        "tx.ticks_per_frame",
        "ticks",
        "generator: TSC ticks of turns that sent, per frame accepted"
    ),
    cost(
        ns_per_frame<TxBusy>,
        "tx.ns_per_frame",
        "ns",
        "generator: time of turns that sent, per frame accepted"
    ),
    cost(
        ticks_per_frame<TxOccupied>,
        "tx.occupied_ticks_per_frame",
        "ticks",
        "generator: TSC ticks of all turns, per frame accepted"
    ),
    cost(
        ns_per_frame<TxOccupied>,
        "tx.occupied_ns_per_frame",
        "ns",
        "generator: time of all turns, per frame accepted"
    ),
    cost(
        us_per_kb<TxBusy>,
        "tx.us_per_kb",
        "us/KB",
        "generator: time of turns that sent, per 1024 B of payload (netperf's service demand)"
    ),
    cost(
        us_per_kb<TxOccupied>,
        "tx.occupied_us_per_kb",
        "us/KB",
        "generator: time of all turns, per 1024 B of payload"
    ),
    rate(fps<TxCounts>, "tx.fps", "fps", "offered: frames that the port accepted, per second"),
    rate(bps_l1<TxCounts>, "tx.bps_l1", "bit/s", "offered: frames with preamble and gap"),
    rate(bps_l2<TxCounts>, "tx.bps_l2", "bit/s", "offered: frames with FCS"),
    rate(
        bps_payload<TxCounts>,
        "tx.bps_payload",
        "bit/s",
        "offered: UDP payload, without traffic.header"
    ),
    up(burst_accepted, "tx.burst_accepted", "frames", "frames accepted per send call that moved any"
    ),
    up(burst_asked, "tx.burst_asked", "frames", "frames asked per send call"),
    down(
        send_calls_per_frame,
        "tx.send_calls_per_frame",
        "calls",
        "send calls, those wholly refused too, per frame accepted"
    ),
    down(
        bytes_copied_per_frame,
        "tx.bytes_copied_per_frame",
        "B",
        "payload that the generator copied, per frame built"
    ),
    down(
        driver_bytes_copied_per_frame,
        "tx.driver_bytes_copied_per_frame",
        "B",
        "bytes that the driver copies, per frame accepted, by drivers-config"
    ),
    down(
        segments_per_frame,
        "tx.segments_per_frame",
        "segments",
        "pieces of memory that a frame is made of, of frames built"
    ),
    down(
        refused_ratio,
        "tx.refused_ratio",
        "ratio",
        "frames refused of frames asked, each refusal counted"
    ),
    down(
        tx_share<TxCause::sending>,
        "tx.sending_ratio",
        "ratio",
        "generator: share of ticks that sent"
    ),
    up(tx_share<TxCause::pacing>,
       "tx.pacing_ratio",
       "ratio",
       "generator: share of ticks that waited for the pacer"),
    down(
        tx_share<TxCause::window>,
        "tx.window_ratio",
        "ratio",
        "generator: share of ticks that waited for the window"
    ),
    down(
        tx_share<TxCause::ring_full>,
        "tx.ring_full_ratio",
        "ratio",
        "generator: share of ticks whose frames were all refused"
    ),
    down(
        tx_share<TxCause::pool_empty>,
        "tx.pool_empty_ratio",
        "ratio",
        "generator: share of ticks without a buffer"
    ),
    rate(fps<SinkCounts>, "rx.fps", "fps", "received: frames that the sink counted"),
    rate(bps_l1<SinkCounts>, "rx.bps_l1", "bit/s", "received: frames with preamble and gap"),
    rate(bps_l2<SinkCounts>, "rx.bps_l2", "bit/s", "received: frames with FCS"),
    rate(
        bps_payload<SinkCounts>,
        "rx.bps_payload",
        "bit/s",
        "received: UDP payload, without traffic.header"
    ),
    cost(
        ticks_per_frame<RxBusy>,
        "rx.ticks_per_frame",
        "ticks",
        "sink: TSC ticks of polls that moved frames, per frame"
    ),
    cost(
        ns_per_frame<RxBusy>,
        "rx.ns_per_frame",
        "ns",
        "sink: time of polls that moved frames, per frame"
    ),
    cost(
        ticks_per_frame<RxOccupied>,
        "rx.occupied_ticks_per_frame",
        "ticks",
        "sink: TSC ticks of all polls, per frame"
    ),
    cost(
        ns_per_frame<RxOccupied>,
        "rx.occupied_ns_per_frame",
        "ns",
        "sink: time of all polls, per frame"
    ),
    cost(
        us_per_kb<RxBusy>,
        "rx.us_per_kb",
        "us/KB",
        "sink: time of polls that moved frames, per 1024 B of payload"
    ),
    cost(
        us_per_kb<RxOccupied>,
        "rx.occupied_us_per_kb",
        "us/KB",
        "sink: time of all polls, per 1024 B of payload"
    ),
    up(burst_received, "rx.burst_received", "frames", "frames per poll that moved any"),
    down(
        rx_share<SinkCause::receiving>,
        "rx.receiving_ratio",
        "ratio",
        "sink: share of ticks that moved frames"
    ),
    down(
        rx_share<SinkCause::acking>,
        "rx.acking_ratio",
        "ratio",
        "sink: share of ticks that sent ACKs"
    ),
    up(rx_share<SinkCause::polling>,
       "rx.polling_ratio",
       "ratio",
       "sink: share of ticks of empty polls"),
    down(
        tcp_retransmit_ratio,
        "tcp.retransmit_ratio",
        "ratio",
        "segments that TCP sent again, of those sent (TCP_INFO)"
    ),
    down(
        tcp_share<&counters::TcpCounts::receive_window_us>,
        "tcp.receive_window_ratio",
        "ratio",
        "share of TCP's busy time that the receiver's window held back (TCP_INFO)"
    ),
    down(
        tcp_share<&counters::TcpCounts::send_buffer_us>,
        "tcp.send_buffer_ratio",
        "ratio",
        "share of TCP's busy time that the size of the send buffer held back (TCP_INFO)"
    ),
    down(
        loss_ratio,
        "loss_ratio",
        "ratio",
        "frames accepted in the measure phase and never seen, of those accepted"
    ),
};

constexpr auto all_metrics = [] {
    std::array<Metric, wire_metrics.size() + cpu_metrics.size() + transfer_metrics.size()> all{};
    const auto after_wire = std::ranges::copy(wire_metrics, all.begin()).out;
    std::ranges::copy(transfer_metrics, std::ranges::copy(cpu_metrics, after_wire).out);
    return all;
}();

}  // namespace

std::span<const Metric> metrics() {
    return all_metrics;
}

const Metric* find_metric(std::string_view name) {
    const auto found = std::ranges::find(all_metrics, name, &Metric::name);
    return found == all_metrics.end() ? nullptr : &*found;
}

}  // namespace gensink::trial
