// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/fields_document.hpp"
#include "report/detail/schema_archive.hpp"
#include "report/json.hpp"

namespace gensink::report {

namespace detail {

template <>
inline constexpr const char* schema_name<counters::TxCounts> = "gen_counts";
template <>
inline constexpr const char* schema_name<counters::SinkCounts> = "sink_counts";
template <>
inline constexpr const char* schema_name<counters::TransportCounts> = "transport_counts";
template <>
inline constexpr const char* schema_name<counters::StreamCounts> = "stream_counts";
template <>
inline constexpr const char* schema_name<trial::ThreadFacts> = "thread";
template <>
inline constexpr const char* schema_name<trial::HardwareReport> = "hardware_counters";
template <>
inline constexpr const char* schema_name<trial::CpuReport> = "cpu_times";
template <>
inline constexpr const char* schema_name<trial::DeviceReport> = "device_counters";
template <>
inline constexpr const char* schema_name<trial::KernelReport> = "kernel_counters";
template <>
inline constexpr const char* schema_name<trial::LinkReport> = "link";
template <>
inline constexpr const char* schema_name<plan::DeviceLimits> = "device_limits";
template <>
inline constexpr const char* schema_name<EndSummary> = "end";

}  // namespace detail

namespace {

using detail::Json;

struct Description {
    const char* key;
    const char* text;
};

/// What a consumer cannot tell from a name; by key, wherever it occurs.
constexpr Description descriptions[]{
    {"accepted", "frames that the port took; refused ones are not in it"},
    {"attempt", "0, or the number of the round's repeat"},
    {"background", "frames that are not gensink's"},
    {"burst_accepted", "send calls by frames accepted; keys are frames a call"},
    {"burst_asked", "send calls by frames asked"},
    {"burst_received", "receive calls by frames received; 0 counts empty polls"},
    {"cause_ticks", "TSC ticks of turns, each turn charged to one cause"},
    {"confidence_ratio", "of all intervals of a metric together"},
    {"core_hz_after", "core clock by a dependent-add probe; null where not probed"},
    {"core_hz_before", "core clock by a dependent-add probe; null where not probed"},
    {"corrupt", "frames of which a checksum does not fit"},
    {"doorbell", "how send calls become tail writes: per_call, chunk N, wakeup, none, unknown"},
    {"duplicate", "further copies of a frame"},
    {"fault_planted", "faults were made on purpose at the sink"},
    {"flow_control", "pause frames that the port uses; null where it does not tell"},
    {"foreign", "frames of another run"},
    {"found_fps", "highest intended load that passed; null where none did"},
    {"frame_bytes", "with FCS; in a cell, the mean over the cycle of sizes"},
    {"full_duplex", "null where the device does not tell"},
    {"gain_ratio", "above 0 is better, whatever the metric"},
    {"gain_with_disturbed_ratio", "the same with disturbed rounds in it"},
    {"gen", "the generator's end; in a trial, one entry a core"},
    {"gen_cpus", "CPUs of the generator's threads, as /proc/stat accounts for their time"},
    {"gen_kernel", "the kernel's counters of the interface below; null where there is none"},
    {"gen_link", "the link once it was up, as the device or ethtool tells it"},
    {"in_bytes", "the ledger is that of a TCP stream, in bytes; else in frames"},
    {"hardware", "by perf_event_open; null where the machine has no such counter"},
    {"idle_ns", "with time that waited for a disk"},
    {"in_order", "first copies that no later frame overtook"},
    {"intended_fps", "load asked for, over all queues; null is max"},
    {"interval_ratio", "of gain_ratio, simultaneous over the points"},
    {"late", "first copies that a later frame overtook"},
    {"knees", "the smallest burst whose rate is within a margin of the best one's"},
    {"latency_ticks", "histograms of the measure phase, log-linear, 32 steps an octave"},
    {"law",
     "inverse: metric = a + b / key; linear: metric = a + b * key; affine: metric = (key - b) / a, "
     "a in s, b in bytes"},
    {"law_holds", "worst misfit within 5 %"},
    {"left_out", "points of an affine fit that another limit held"},
    {"line_bps_l1", "link rate; null where unknown"},
    {"load_kind", "cost: equal intended load; max: unpaced; probe: a search's"},
    {"long_turns", "turns above the limit for a turn"},
    {"lossless", "the wire cannot lose a frame: a residue is an error"},
    {"lost", "accepted - in_order - late - corrupt; negative is a contradiction"},
    {"measured", "counts of the measure phase, cut by the thread; null where not reached"},
    {"metrics", "numbers that follow from the counts; null where undefined"},
    {"measured_limit", "what held the rate, by the evidence beside it"},
    {"possible", "index of the smallest burst that could be within the margin"},
    {"predicted", "by the law of the lowest limit; null where an input is unknown"},
    {"trimmed_mean", "of what the plan's outlier rule keeps; mean is raw"},
    {"partial", "the run ended early; what was measured is here"},
    {"proven", "index of the smallest burst that is within the margin: the knee, if possible"},
    {"refused", "frames asked minus accepted, each refusal counted"},
    {"residue", "not 0: exact terms of the ledger contradict each other"},
    {"rounds", "rounds planned, or counted"},
    {"run_delay_ns", "runnable but not running, by schedstat"},
    {"run_delay_span_ns", "the time that run_delay_ns is a part of; 0: not told"},
    {"run_ns", "on its CPU; null where the kernel does not tell"},
    {"sampled_ns", "the time that the others are parts of"},
    {"scope", "modes in which the counters counted; null where there are none"},
    {"search_loss_ratio", "0: no drop rate; above: partial drop rate; null: no search"},
    {"sink", "the sink's end; in a trial, one entry a core; null for sink: none"},
    {"sink_cpus", "as gen_cpus"},
    {"sink_elsewhere", "the sink's CPUs are not the generator's, whatever their numbers"},
    {"sink_kernel", "as gen_kernel"},
    {"sink_link", "as gen_link"},
    {"smallest_margin_ratio", "the smallest margin that these data could prove"},
    {"socket_dropped", "frames that the device's packet sockets had no room for"},
    {"stale", "older than the sequence window: late or duplicate, unknown"},
    {"steal_ns", "given to others by a hypervisor while the CPU wanted to run"},
    {"tsc_hz", "ticks a second of the time stamp counter"},
    {"unknown_place", "lost frames that no exact counter places"},
    {"use", "busy share of the time, by slices of about 200 ms; null for fewer than two"},
    {"verdict", "null where nothing was compared and all is valid"},
};

void describe(Json& schema) {
    if (schema.is_array()) {
        for (Json& element : schema) {
            describe(element);
        }
        return;
    }
    if (!schema.is_object()) {
        return;
    }
    if (const auto found = schema.find("properties"); found != schema.end()) {
        for (const Description& one : descriptions) {
            const auto property = found->find(one.key);
            if (property != found->end()) {
                (*property)["description"] = one.text;
            }
        }
    }
    for (auto& [key, inner] : schema.items()) {
        if (key != "enum" && key != "required") {
            describe(inner);
        }
    }
}

}  // namespace

std::string result_schema() {
    Json definitions = Json::object();
    Json body;
    detail::SchemaArchive archive(body, definitions);
    archive.add("schema", {{"const", std::string(result_schema_id)}});
    Saved saved;
    detail::document_fields(archive, saved);
    Json schema;
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["title"] = std::string(result_schema_id);
    schema["description"] =
        "A result of gensink. Within /1 properties are only added. Unknown is null, "
        "never 0; counts are integers; units are in the names.";
    for (auto& [key, value] : body.items()) {
        schema[key] = std::move(value);
    }
    schema["$defs"] = std::move(definitions);
    describe(schema);
    return schema.dump(2) + "\n";
}

}  // namespace gensink::report
