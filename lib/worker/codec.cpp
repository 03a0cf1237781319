// SPDX-License-Identifier: BSD-3-Clause
#include "worker/codec.hpp"

#include "worker/detail/bytes.hpp"

#include <utility>

namespace gensink::worker {

namespace {

using detail::Reader;
using detail::Writer;

void put(Writer& writer, const trial::DeviceReport& report) {
    writer.put_maybe(report.tx_frames);
    writer.put_maybe(report.tx_errors);
    writer.put_maybe(report.rx_frames);
    writer.put_maybe(report.rx_missed);
    writer.put_maybe(report.rx_errors);
    writer.put_maybe(report.rx_no_buffer);
}

trial::DeviceReport get_device(Reader& reader) {
    trial::DeviceReport report;
    report.tx_frames = reader.get_maybe<std::uint64_t>();
    report.tx_errors = reader.get_maybe<std::uint64_t>();
    report.rx_frames = reader.get_maybe<std::uint64_t>();
    report.rx_missed = reader.get_maybe<std::uint64_t>();
    report.rx_errors = reader.get_maybe<std::uint64_t>();
    report.rx_no_buffer = reader.get_maybe<std::uint64_t>();
    return report;
}

void put(Writer& writer, const trial::KernelReport& report) {
    writer.put_maybe(report.rx_dropped);
    writer.put_maybe(report.rx_missed);
    writer.put_maybe(report.tx_dropped);
    writer.put_maybe(report.socket_dropped);
}

trial::KernelReport get_kernel(Reader& reader) {
    trial::KernelReport report;
    report.rx_dropped = reader.get_maybe<std::uint64_t>();
    report.rx_missed = reader.get_maybe<std::uint64_t>();
    report.tx_dropped = reader.get_maybe<std::uint64_t>();
    report.socket_dropped = reader.get_maybe<std::uint64_t>();
    return report;
}

void put(Writer& writer, const trial::LinkReport& link) {
    writer.put_maybe(link.bps);
    writer.put_maybe_bool(link.full_duplex);
    writer.put_bool(link.flow_control.has_value());
    writer.put_enum(link.flow_control.value_or(trial::FlowControl::off));
}

trial::LinkReport get_link(Reader& reader) {
    trial::LinkReport link;
    link.bps = reader.get_maybe<std::uint64_t>();
    link.full_duplex = reader.get_maybe_bool();
    const bool known = reader.get_bool();
    const auto control = reader.get_enum(trial::FlowControl::both);
    if (known) {
        link.flow_control = control;
    }
    return link;
}

void put(Writer& writer, const plan::DeviceLimits& limits) {
    writer.put(limits.max_frame_bytes);
    writer.put(limits.max_queues);
    writer.put(limits.min_descriptors);
    writer.put(limits.max_descriptors);
    writer.put_bool(limits.probed);
}

plan::DeviceLimits get_limits(Reader& reader) {
    plan::DeviceLimits limits;
    limits.max_frame_bytes = reader.get<std::uint32_t>();
    limits.max_queues = reader.get<std::uint16_t>();
    limits.min_descriptors = reader.get<std::uint16_t>();
    limits.max_descriptors = reader.get<std::uint16_t>();
    limits.probed = reader.get_bool();
    return limits;
}

void put(Writer& writer, const std::optional<trial::TransportReport>& report) {
    writer.put_bool(report.has_value());
    if (report) {
        writer.put_all(report->flows);
        writer.put(report->latencies);
        writer.put_all(report->block_ticks);
    }
}

std::optional<trial::TransportReport> get_transport(Reader& reader) {
    if (!reader.get_bool()) {
        return std::nullopt;
    }
    trial::TransportReport report;
    report.flows = reader.get_all<trial::FlowReport>();
    report.latencies = reader.get<counters::Latencies>();
    report.block_ticks = reader.get_all<std::uint64_t>();
    return report;
}

template <class T>
std::optional<T> whole(const Reader& reader, T value) {
    return reader.finished() ? std::optional<T>(std::move(value)) : std::nullopt;
}

}  // namespace

const char* name(Call call) {
    switch (call) {
    case Call::ready:
        return "ready";
    case Call::open:
        return "open";
    case Call::start:
        return "start";
    case Call::enter:
        return "enter";
    case Call::snapshot:
        return "snapshot";
    case Call::stop:
        return "stop";
    case Call::close:
        return "close";
    case Call::quit:
        return "quit";
    }
    return "unknown";
}

Bytes encode(const OpenCall& call) {
    Writer writer;
    writer.put(call.cell);
    writer.put(call.run_id);
    writer.put_enum(call.load.unit);
    writer.put(call.load.value);
    writer.put_maybe(call.intended_fps);
    writer.put_maybe(call.destination_mac);
    return writer.take();
}

std::optional<OpenCall> decode_open_call(ByteView bytes) {
    Reader reader(bytes);
    OpenCall call;
    call.cell = reader.get<std::uint64_t>();
    call.run_id = reader.get<std::uint32_t>();
    call.load.unit = reader.get_enum(flow::LoadUnit::line_ratio);
    call.load.value = reader.get<double>();
    call.intended_fps = reader.get_maybe<double>();
    call.destination_mac = reader.get_maybe<plan::MacAddress>();
    return whole(reader, call);
}

Bytes encode(counters::Phase phase) {
    Writer writer;
    writer.put_enum(phase);
    return writer.take();
}

std::optional<counters::Phase> decode_phase(ByteView bytes) {
    Reader reader(bytes);
    const auto phase = reader.get_enum(counters::Phase::drain);
    return whole(reader, phase);
}

Bytes encode(const trial::Opened& opened) {
    Writer writer;
    put(writer, opened.gen_limits);
    put(writer, opened.sink_limits);
    writer.put(opened.tsc_hz);
    writer.put_maybe(opened.gen_link_bps);
    writer.put_maybe(opened.sink_link_bps);
    writer.put_maybe(opened.gen_mac);
    writer.put_maybe(opened.sink_mac);
    writer.put_text(opened.gen_driver);
    writer.put_text(opened.sink_driver);
    writer.put_text(opened.memory);
    writer.put_texts(opened.warnings);
    return writer.take();
}

std::optional<trial::Opened> decode_opened(ByteView bytes) {
    Reader reader(bytes);
    trial::Opened opened;
    opened.gen_limits = get_limits(reader);
    opened.sink_limits = get_limits(reader);
    opened.tsc_hz = reader.get<std::uint64_t>();
    opened.gen_link_bps = reader.get_maybe<std::uint64_t>();
    opened.sink_link_bps = reader.get_maybe<std::uint64_t>();
    opened.gen_mac = reader.get_maybe<plan::MacAddress>();
    opened.sink_mac = reader.get_maybe<plan::MacAddress>();
    opened.gen_driver = reader.get_text();
    opened.sink_driver = reader.get_text();
    opened.memory = reader.get_text();
    opened.warnings = reader.get_texts();
    return whole(reader, std::move(opened));
}

Bytes encode(const trial::Snapshot& snapshot) {
    Writer writer;
    writer.put(snapshot.tsc_hz);
    writer.put_all(snapshot.gen);
    writer.put_all(snapshot.sink);
    writer.put_all(snapshot.streams);
    put(writer, snapshot.gen_device);
    put(writer, snapshot.sink_device);
    put(writer, snapshot.gen_kernel);
    put(writer, snapshot.sink_kernel);
    put(writer, snapshot.gen_link);
    put(writer, snapshot.sink_link);
    writer.put_maybe_bool(snapshot.gen_link_up);
    writer.put_maybe_bool(snapshot.sink_link_up);
    writer.put(snapshot.frames_left_in_pool);
    writer.put_bool(snapshot.transfer_done);
    put(writer, snapshot.transport);
    return writer.take();
}

std::optional<trial::Snapshot> decode_snapshot(ByteView bytes) {
    Reader reader(bytes);
    trial::Snapshot snapshot;
    snapshot.tsc_hz = reader.get<std::uint64_t>();
    snapshot.gen = reader.get_all<trial::CoreReport<counters::TxCounts>>();
    snapshot.sink = reader.get_all<trial::CoreReport<counters::SinkCounts>>();
    snapshot.streams = reader.get_all<trial::StreamReport>();
    snapshot.gen_device = get_device(reader);
    snapshot.sink_device = get_device(reader);
    snapshot.gen_kernel = get_kernel(reader);
    snapshot.sink_kernel = get_kernel(reader);
    snapshot.gen_link = get_link(reader);
    snapshot.sink_link = get_link(reader);
    snapshot.gen_link_up = reader.get_maybe_bool();
    snapshot.sink_link_up = reader.get_maybe_bool();
    snapshot.frames_left_in_pool = reader.get<std::uint64_t>();
    snapshot.transfer_done = reader.get_bool();
    snapshot.transport = get_transport(reader);
    return whole(reader, std::move(snapshot));
}

Bytes encode(const Error& error) {
    Writer writer;
    writer.put_enum(error.kind);
    writer.put_text(error.message);
    writer.put_text(error.where);
    writer.put(error.os_code);
    return writer.take();
}

std::optional<Error> decode_error(ByteView bytes) {
    Reader reader(bytes);
    Error error;
    error.kind = reader.get_enum(ErrorKind::measurement);
    error.message = reader.get_text();
    error.where = reader.get_text();
    error.os_code = reader.get<int>();
    return whole(reader, std::move(error));
}

}  // namespace gensink::worker
