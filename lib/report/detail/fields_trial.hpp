// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/archive.hpp"
#include "report/detail/names.hpp"
#include "trial/metrics.hpp"
#include "trial/result.hpp"

/// JSON fields of `trials[]`.
namespace gensink::report::detail {

template <class Archive>
void fields(Archive& archive, Of<counters::TransportCounts> auto& counts) {
    archive("frames_acked", counts.frames_acked);
    archive("payload_acked", counts.payload_acked);
    archive("blocks_acked", counts.blocks_acked);
    archive("acks_received", counts.acks_received);
    archive("acks_useless", counts.acks_useless);
    archive("retransmitted", counts.retransmitted);
    archive("timeouts", counts.timeouts);
    archive("given_up", counts.given_up);
    archive("most_outstanding", counts.most_outstanding);
    archive.by_name("flow_ticks", counts.flow_ticks, flow_cause_names);
}

/// An open loop counts nothing of it, and its result shows nothing.
[[nodiscard]] inline bool used(const counters::TransportCounts& counts) {
    std::uint64_t any = counts.frames_acked | counts.acks_received | counts.acks_useless |
                        counts.timeouts | counts.given_up | counts.most_outstanding;
    for (const std::uint64_t ticks : counts.flow_ticks) {
        any |= ticks;
    }
    return any != 0;
}

template <class Archive>
void fields(Archive& archive, Of<counters::TcpCounts> auto& counts) {
    archive("retransmitted", counts.retransmitted);
    archive("busy_us", counts.busy_us);
    archive("receive_window_us", counts.receive_window_us);
    archive("send_buffer_us", counts.send_buffer_us);
}

template <class Archive>
void fields(Archive& archive, Of<counters::TxCounts> auto& counts) {
    archive("frames_built", counts.frames_built);
    archive("frames_accepted", counts.frames_accepted);
    archive("frame_bytes", counts.frame_bytes);
    archive("payload_bytes", counts.payload_bytes);
    archive("send_calls", counts.send_calls);
    archive("frames_asked", counts.frames_asked);
    archive("pool_failures", counts.pool_failures);
    archive("frames_skipped", counts.frames_skipped);
    archive.added("bytes_copied", counts.bytes_copied);
    archive.added("kernel_bytes_copied", counts.kernel_bytes_copied);
    archive.added("frames_chained", counts.frames_chained);
    archive.by_name("cause_ticks", counts.cause_ticks, tx_cause_names);
    archive.by_name("cause_turns", counts.cause_turns, tx_cause_names);
    archive("longest_turn_ticks", counts.longest_turn_ticks);
    archive("long_turns", counts.long_turns);
    archive("stalled_ticks", counts.stalled_ticks);
    archive("burst_asked", counts.burst_asked);
    archive("burst_accepted", counts.burst_accepted);
    archive.added_if(used(counts.transport), "transport", counts.transport);
    archive.added_if(counts.tcp.busy_us != 0, "tcp", counts.tcp);
}

template <class Archive>
void fields(Archive& archive, Of<counters::SinkCounts> auto& counts) {
    archive("frames", counts.frames);
    archive("frame_bytes", counts.frame_bytes);
    archive("payload_bytes", counts.payload_bytes);
    archive("foreign", counts.foreign);
    archive("background", counts.background);
    archive("receive_calls", counts.receive_calls);
    archive.by_name("cause_ticks", counts.cause_ticks, sink_cause_names);
    archive.by_name("cause_turns", counts.cause_turns, sink_cause_names);
    archive("longest_turn_ticks", counts.longest_turn_ticks);
    archive("long_turns", counts.long_turns);
    archive("stalled_ticks", counts.stalled_ticks);
    archive("burst_received", counts.burst_received);
    archive.added("acks_sent", counts.acks_sent);
    archive.added("acks_by_timer", counts.acks_by_timer);
    archive.added("acks_dropped", counts.acks_dropped);
    archive.added("stray_bytes", counts.stray_bytes);
}

template <class Archive>
void fields(Archive& archive, Of<counters::TxStreamCounts> auto& counts) {
    archive("frames_accepted", counts.frames_accepted);
    archive("first_sequence", counts.first_sequence);
}

template <class Archive>
void fields(Archive& archive, Of<counters::StreamCounts> auto& counts) {
    archive("in_order", counts.in_order);
    archive("late", counts.late);
    archive("duplicate", counts.duplicate);
    archive("corrupt", counts.corrupt);
    archive("stale", counts.stale);
    archive("frame_bytes", counts.frame_bytes);
    archive("payload_bytes", counts.payload_bytes);
}

template <class Archive>
void fields(Archive& archive, Of<trial::HardwareReport> auto& hardware) {
    archive.added_named_maybe("scope", hardware.scope, hardware_scope_names);
    archive("cycles", hardware.cycles);
    archive("instructions", hardware.instructions);
    archive("cache_misses", hardware.cache_misses);
    archive("branch_misses", hardware.branch_misses);
}

template <class Archive>
void fields(Archive& archive, Of<trial::ThreadFacts> auto& thread) {
    archive("cpu", thread.cpu);
    archive("run_delay_ns", thread.run_delay_ns);
    archive.added("run_delay_span_ns", thread.sampled_ns);
    archive("involuntary_switches", thread.involuntary_switches);
    archive.added("run_ns", thread.run_ns);
    archive.added("user_ns", thread.user_ns);
    archive.added("system_ns", thread.system_ns);
    archive.added("hardware", thread.hardware);
    archive.known_if(thread.core_hz_before != 0, "core_hz_before", thread.core_hz_before);
    archive.known_if(thread.core_hz_after != 0, "core_hz_after", thread.core_hz_after);
}

template <class Archive>
void fields(Archive& archive, Of<trial::CpuSlices> auto& use) {
    archive("min_ratio", use.min_ratio);
    archive("median_ratio", use.median_ratio);
    archive("max_ratio", use.max_ratio);
}

template <class Archive>
void fields(Archive& archive, Of<trial::CpuReport> auto& cpu) {
    archive("cpu", cpu.cpu);
    archive("sampled_ns", cpu.sampled_ns);
    archive("user_ns", cpu.user_ns);
    archive("system_ns", cpu.system_ns);
    archive("irq_ns", cpu.irq_ns);
    archive("softirq_ns", cpu.softirq_ns);
    archive("steal_ns", cpu.steal_ns);
    archive("idle_ns", cpu.idle_ns);
    archive("use", cpu.use);
}

template <class Archive, class Counts>
void core_fields(Archive& archive, Counts& core) {
    archive("lcore", core.lcore);
    const bool measured = core.measure_end_ticks != core.measure_start_ticks;
    archive.known_if(measured, "measure_start_ticks", core.measure_start_ticks);
    archive.known_if(measured, "measure_end_ticks", core.measure_end_ticks);
    archive.known_if(measured, "measured", core.measured);
    archive("total", core.total);
    archive("thread", core.thread);
}

template <class Archive>
void fields(Archive& archive, Of<trial::CoreReport<counters::TxCounts>> auto& core) {
    core_fields(archive, core);
}

template <class Archive>
void fields(Archive& archive, Of<trial::CoreReport<counters::SinkCounts>> auto& core) {
    core_fields(archive, core);
}

template <class Archive>
void fields(Archive& archive, Of<trial::DeviceReport> auto& device) {
    archive("tx_frames", device.tx_frames);
    archive("tx_errors", device.tx_errors);
    archive("rx_frames", device.rx_frames);
    archive("rx_missed", device.rx_missed);
    archive("rx_errors", device.rx_errors);
    archive("rx_no_buffer", device.rx_no_buffer);
}

template <class Archive>
void fields(Archive& archive, Of<trial::KernelReport> auto& kernel) {
    archive("rx_dropped", kernel.rx_dropped);
    archive("rx_missed", kernel.rx_missed);
    archive("tx_dropped", kernel.tx_dropped);
    archive("socket_dropped", kernel.socket_dropped);
}

template <class Archive>
void fields(Archive& archive, Of<trial::LinkReport> auto& link) {
    archive("bps_l1", link.bps);
    archive("full_duplex", link.full_duplex);
    archive.added_named_maybe("flow_control", link.flow_control, flow_control_names);
}

template <class Archive>
void fields(Archive& archive, Of<trial::FlowReport> auto& flow) {
    archive("stream", flow.stream);
    archive("flow", flow.flow);
    archive("frames_acked", flow.frames_acked);
    archive("payload_acked", flow.payload_acked);
    archive("retransmitted", flow.retransmitted);
    archive("timeouts", flow.timeouts);
    archive.by_name("ticks", flow.times, flow_cause_names);
}

template <class Archive>
void fields(Archive& archive, Of<trial::TransportReport> auto& report) {
    archive("flows", report.flows);
    archive.object("latency_ticks", [&](auto& inner) {
        inner("frame", report.latencies.frame);
        inner("frame_intended", report.latencies.frame_intended);
        inner("block", report.latencies.block);
        inner("block_intended", report.latencies.block_intended);
        inner("hold", report.latencies.hold);
    });
    archive("block_ticks", report.block_ticks);
}

template <class Archive>
void fields(Archive& archive, Of<plan::DeviceLimits> auto& limits) {
    archive("max_frame_bytes", limits.max_frame_bytes);
    archive("max_queues", limits.max_queues);
    archive("min_descriptors", limits.min_descriptors);
    archive("max_descriptors", limits.max_descriptors);
    archive("probed", limits.probed);
}

template <class Archive>
void fields(Archive& archive, Of<trial::Opened> auto& opened) {
    archive("gen_driver", opened.gen_driver);
    archive("sink_driver", opened.sink_driver);
    archive("memory", opened.memory);
    archive.known_if(opened.tsc_hz != 0, "tsc_hz", opened.tsc_hz);
    archive("gen_link_bps_l1", opened.gen_link_bps);
    archive("sink_link_bps_l1", opened.sink_link_bps);
    archive("gen_limits", opened.gen_limits);
    archive("sink_limits", opened.sink_limits);
    archive("warnings", opened.warnings);
}

template <class Archive>
void fields(Archive& archive, Of<trial::Reason> auto& reason) {
    archive.named("code", reason.code, reason_names());
    archive.named("severity", reason.severity, severity_names);
    archive("message", reason.message);
    archive("advice", reason.advice);
}

template <class Archive>
void fields(Archive& archive, Of<trial::Ledger::Attribution> auto& part) {
    archive("place", part.place);
    archive("frames", part.frames);
    archive.named("trust", part.trust, trust_names);
}

template <class Archive>
void fields(Archive& archive, Of<trial::Ledger> auto& ledger) {
    archive("has_sink", ledger.has_sink);
    archive.added("in_bytes", ledger.in_bytes);
    archive("built", ledger.built);
    archive("accepted", ledger.accepted);
    archive("refused", ledger.refused);
    archive.known_if(ledger.has_sink, "in_order", ledger.in_order);
    archive.known_if(ledger.has_sink, "late", ledger.late);
    archive.known_if(ledger.has_sink, "corrupt", ledger.corrupt);
    archive.known_if(ledger.has_sink, "stale", ledger.stale);
    archive.known_if(ledger.has_sink, "lost", ledger.lost);
    archive.known_if(ledger.has_sink, "duplicate", ledger.duplicate);
    archive.known_if(ledger.has_sink, "foreign", ledger.foreign);
    archive.known_if(ledger.has_sink, "background", ledger.background);
    archive("attributed", ledger.attributed);
    archive.known_if(ledger.has_sink, "unknown_place", ledger.unknown_place);
    archive("residue", ledger.residue);
}

/// An end that ran elsewhere, or died before it counted, is unknown: null.
template <class Archive>
void count_fields(Archive& archive, Of<trial::Snapshot> auto& counts) {
    const bool has_gen = !counts.gen.empty();
    const bool has_sink = !counts.sink.empty();
    archive.known_if(counts.tsc_hz != 0, "tsc_hz", counts.tsc_hz);
    archive("gen", counts.gen);
    archive("sink", counts.sink);
    archive.list("streams", counts.streams, [&](auto& inner, auto& stream) {
        inner("stream", stream.stream);
        inner.known_if(has_gen, "sent_measured", stream.sent_measured);
        inner.known_if(has_sink, "seen_measured", stream.seen_measured);
        inner.known_if(has_sink, "seen_other", stream.seen_other);
    });
    archive.object("device", [&](auto& inner) {
        inner("gen", counts.gen_device);
        inner("sink", counts.sink_device);
    });
    archive.added("gen_cpus", counts.gen_cpus);
    archive.added("sink_cpus", counts.sink_cpus);
    archive.added("sink_elsewhere", counts.sink_elsewhere);
    archive.added("gen_kernel", counts.gen_kernel);
    archive.added("sink_kernel", counts.sink_kernel);
    archive.added("gen_link", counts.gen_link);
    archive.added("sink_link", counts.sink_link);
    archive("gen_link_up", counts.gen_link_up);
    archive("sink_link_up", counts.sink_link_up);
    archive.known_if(has_gen, "frames_left_in_pool", counts.frames_left_in_pool);
    archive.added_if(counts.transport.has_value(), "transfer_done", counts.transfer_done);
    archive.added("transport", counts.transport);
}

[[nodiscard]] inline NamedValues metric_values(const trial::TrialResult& trial) {
    NamedValues values;
    for (const trial::Metric& metric : trial::metrics()) {
        values.emplace_back(std::string(metric.name), metric.value(trial));
    }
    return values;
}

template <class Archive>
void fields(Archive& archive, Of<stats::OutlierRule> auto& rule) {
    archive.named("rule", rule.kind, outlier_names);
    archive("trim", rule.trim);
}

template <class Archive>
void fields(Archive& archive, Of<trial::TrialResult> auto& trial) {
    archive("arm", trial.arm);
    archive("cell", trial.cell);
    archive("round", trial.round);
    archive("attempt", trial.attempt);
    archive.named("load_kind", trial.load_kind, load_kind_names);
    archive("intended_fps", trial.intended_fps);
    archive("complete", trial.complete);
    archive.derived("valid", [&] { return trial.valid(); });
    archive("reasons", trial.reasons);
    archive.derived("metrics", [&] { return metric_values(trial); });
    archive.known_if(trial.measure_seconds > 0, "measure_seconds", trial.measure_seconds);
    archive.known_if(
        trial.sink_measure_seconds > 0, "sink_measure_seconds", trial.sink_measure_seconds
    );
    archive.known_if(trial.complete, "drain_seconds", trial.drain_seconds);
    archive.added("driver_copies", trial.driver_copies);
    archive.added("header_bytes", trial.header_bytes);
    archive.added("stream_block_bytes", trial.stream_block_bytes);
    archive.added("object_outliers", trial.outliers);
    archive.added("predicted_bps_payload", trial.predicted_bps_payload);
    archive.added("predicted_object_ms", trial.predicted_object_ms);
    const bool counted = !trial.counts.gen.empty() || !trial.counts.sink.empty();
    archive.known_if(counted, "ledger", trial.ledger);
    archive("opened", trial.opened);
    count_fields(archive, trial.counts);
}

}  // namespace gensink::report::detail
