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

void put(Writer& writer, const trial::ThreadFacts& thread) {
    writer.put(thread.cpu);
    writer.put(thread.sampled_ns);
    writer.put(thread.run_delay_ns);
    writer.put(thread.run_delay_to_end_ns);
    writer.put(thread.involuntary_switches);
    writer.put_maybe(thread.run_ns);
    writer.put_maybe(thread.user_ns);
    writer.put_maybe(thread.system_ns);
    const trial::HardwareReport& hardware = thread.hardware;
    writer.put_bool(hardware.scope.has_value());
    writer.put_enum(hardware.scope.value_or(trial::HardwareScope::user));
    writer.put_maybe(hardware.cycles);
    writer.put_maybe(hardware.instructions);
    writer.put_maybe(hardware.cache_misses);
    writer.put_maybe(hardware.branch_misses);
    writer.put(thread.core_hz_before);
    writer.put(thread.core_hz_after);
}

trial::ThreadFacts get_thread(Reader& reader) {
    trial::ThreadFacts thread;
    thread.cpu = reader.get<CpuId>();
    thread.sampled_ns = reader.get<std::uint64_t>();
    thread.run_delay_ns = reader.get<std::uint64_t>();
    thread.run_delay_to_end_ns = reader.get<std::uint64_t>();
    thread.involuntary_switches = reader.get<std::uint64_t>();
    thread.run_ns = reader.get_maybe<std::uint64_t>();
    thread.user_ns = reader.get_maybe<std::uint64_t>();
    thread.system_ns = reader.get_maybe<std::uint64_t>();
    const bool counted = reader.get_bool();
    const auto scope = reader.get_enum(trial::HardwareScope::user_and_kernel);
    if (counted) {
        thread.hardware.scope = scope;
    }
    thread.hardware.cycles = reader.get_maybe<std::uint64_t>();
    thread.hardware.instructions = reader.get_maybe<std::uint64_t>();
    thread.hardware.cache_misses = reader.get_maybe<std::uint64_t>();
    thread.hardware.branch_misses = reader.get_maybe<std::uint64_t>();
    thread.core_hz_before = reader.get<std::uint64_t>();
    thread.core_hz_after = reader.get<std::uint64_t>();
    return thread;
}

template <class Counts>
void put_cores(Writer& writer, const std::vector<trial::CoreReport<Counts>>& cores) {
    writer.put_list(cores, [&](const trial::CoreReport<Counts>& core) {
        writer.put(core.lcore);
        writer.put(core.total);
        writer.put(core.measured);
        writer.put(core.measure_start_ticks);
        writer.put(core.measure_end_ticks);
        writer.put(core.ended);
        put(writer, core.thread);
    });
}

template <class Counts>
std::vector<trial::CoreReport<Counts>> get_cores(Reader& reader) {
    return reader.get_list<trial::CoreReport<Counts>>(2 * sizeof(Counts), [&](auto& core) {
        core.lcore = reader.get<LcoreId>();
        core.total = reader.get<Counts>();
        core.measured = reader.get<Counts>();
        core.measure_start_ticks = reader.get<std::uint64_t>();
        core.measure_end_ticks = reader.get<std::uint64_t>();
        core.ended = reader.get<std::uint64_t>();
        core.thread = get_thread(reader);
    });
}

void put_cpus(Writer& writer, const std::vector<trial::CpuReport>& cpus) {
    writer.put_list(cpus, [&](const trial::CpuReport& cpu) {
        writer.put(cpu.cpu);
        writer.put(cpu.sampled_ns);
        writer.put(cpu.user_ns);
        writer.put(cpu.system_ns);
        writer.put(cpu.irq_ns);
        writer.put(cpu.softirq_ns);
        writer.put(cpu.steal_ns);
        writer.put(cpu.idle_ns);
        writer.put_maybe(cpu.use);
    });
}

std::vector<trial::CpuReport> get_cpus(Reader& reader) {
    return reader.get_list<trial::CpuReport>(sizeof(CpuId), [&](trial::CpuReport& cpu) {
        cpu.cpu = reader.get<CpuId>();
        cpu.sampled_ns = reader.get<std::uint64_t>();
        cpu.user_ns = reader.get<std::uint64_t>();
        cpu.system_ns = reader.get<std::uint64_t>();
        cpu.irq_ns = reader.get<std::uint64_t>();
        cpu.softirq_ns = reader.get<std::uint64_t>();
        cpu.steal_ns = reader.get<std::uint64_t>();
        cpu.idle_ns = reader.get<std::uint64_t>();
        cpu.use = reader.get_maybe<trial::CpuSlices>();
    });
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
    put_cores(writer, snapshot.gen);
    put_cores(writer, snapshot.sink);
    put_cpus(writer, snapshot.gen_cpus);
    put_cpus(writer, snapshot.sink_cpus);
    writer.put_bool(snapshot.sink_elsewhere);
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
    snapshot.gen = get_cores<counters::TxCounts>(reader);
    snapshot.sink = get_cores<counters::SinkCounts>(reader);
    snapshot.gen_cpus = get_cpus(reader);
    snapshot.sink_cpus = get_cpus(reader);
    snapshot.sink_elsewhere = reader.get_bool();
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
