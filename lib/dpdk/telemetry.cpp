// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/telemetry.hpp"

#include "counters/published.hpp"

#include <fmt/format.h>
#include <rte_telemetry.h>
#include <rte_version.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace gensink::dpdk::telemetry {
namespace {

using Clock = std::chrono::steady_clock;

struct Shown {
    std::uint32_t run_id = 0;
    counters::Phase phase{};
    Clock::time_point when;
    std::vector<trial::CoreReport<counters::TxCounts>> gen;
    std::vector<trial::CoreReport<counters::SinkCounts>> sink;
};

/// Writer: show, of the control thread. Readers: DPDK's telemetry threads. Both hold the lock.
struct State {
    std::mutex lock;
    std::optional<Shown> shown;
};

State& state() {
    static State one;
    return one;
}

/// A count into a dictionary; its name changed in DPDK 23.03 (and the old one went in 23.11).
void put(rte_tel_data* data, const char* name, std::uint64_t value) {
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
    rte_tel_data_add_dict_uint(data, name, value);
#else
    rte_tel_data_add_dict_u64(data, name, value);
#endif
}

const char* name_of(counters::Phase phase) {
    constexpr std::array names{"settle", "warm-up", "measure", "drain"};
    return names.at(static_cast<std::size_t>(phase));
}

void put_counts(rte_tel_data* data, const counters::TxCounts& counts) {
    put(data, "frames_built", counts.frames_built);
    put(data, "frames_accepted", counts.frames_accepted);
    put(data, "frame_bytes", counts.frame_bytes);
    put(data, "payload_bytes", counts.payload_bytes);
    put(data, "send_calls", counts.send_calls);
    put(data, "frames_asked", counts.frames_asked);
    put(data, "pool_failures", counts.pool_failures);
    put(data, "frames_skipped", counts.frames_skipped);
    put(data, "bytes_copied", counts.bytes_copied);
    put(data, "frames_acked", counts.transport.frames_acked);
    put(data, "retransmitted", counts.transport.retransmitted);
    constexpr std::array causes{
        "sending_ticks", "pacing_ticks", "window_ticks", "ring_full_ticks", "pool_empty_ticks"};
    static_assert(causes.size() == counters::tx_causes);
    for (std::size_t i = 0; i < causes.size(); ++i) {
        put(data, causes.at(i), counts.cause_ticks.at(i));
    }
}

void put_counts(rte_tel_data* data, const counters::SinkCounts& counts) {
    put(data, "frames", counts.frames);
    put(data, "frame_bytes", counts.frame_bytes);
    put(data, "payload_bytes", counts.payload_bytes);
    put(data, "foreign", counts.foreign);
    put(data, "background", counts.background);
    put(data, "receive_calls", counts.receive_calls);
    put(data, "acks_sent", counts.acks_sent);
    constexpr std::array causes{"receiving_ticks", "acking_ticks", "polling_ticks"};
    static_assert(causes.size() == counters::sink_causes);
    for (std::size_t i = 0; i < causes.size(); ++i) {
        put(data, causes.at(i), counts.cause_ticks.at(i));
    }
}

/// The lcore that the parameters name; absent: all. False where they make no sense.
bool read_lcore(const char* parameters, std::optional<std::uint32_t>& lcore) {
    const std::string_view text = parameters == nullptr ? "" : parameters;
    if (text.empty()) {
        return true;
    }
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    lcore = value;
    return code == std::errc{} && end == text.data() + text.size();
}

/// Sums what is asked for into a dictionary; an error where no core is meant.
template <class Counts>
int tell_end(
    const std::vector<trial::CoreReport<Counts>>& cores, const char* parameters, rte_tel_data* data
) {
    std::optional<std::uint32_t> lcore;
    if (!read_lcore(parameters, lcore)) {
        return -EINVAL;
    }
    Counts sum{};
    bool any = false;
    for (const auto& core : cores) {
        if (!lcore || core.lcore.value == *lcore) {
            sum = counters::sum(sum, core.total);
            any = true;
        }
    }
    if (!any) {
        return -ENOENT;
    }
    rte_tel_data_start_dict(data);
    put_counts(data, sum);
    return 0;
}

int tell_trial(const char* /*command*/, const char* /*parameters*/, rte_tel_data* data) {
    State& s = state();
    const std::lock_guard hold(s.lock);
    rte_tel_data_start_dict(data);
    rte_tel_data_add_dict_string(data, "state", s.shown ? "running" : "starting");
    if (s.shown) {
        const auto age = Clock::now() - s.shown->when;
        rte_tel_data_add_dict_string(
            data, "run_id", fmt::format("{:08x}", s.shown->run_id).c_str()
        );
        rte_tel_data_add_dict_string(data, "phase", name_of(s.shown->phase));
        put(data, "age_ms", static_cast<std::uint64_t>(age / std::chrono::milliseconds(1)));
        put(data, "gen_cores", s.shown->gen.size());
        put(data, "sink_cores", s.shown->sink.size());
    }
    return 0;
}

int tell_gen(const char* /*command*/, const char* parameters, rte_tel_data* data) {
    State& s = state();
    const std::lock_guard hold(s.lock);
    return s.shown ? tell_end(s.shown->gen, parameters, data) : -ENOENT;
}

int tell_sink(const char* /*command*/, const char* parameters, rte_tel_data* data) {
    State& s = state();
    const std::lock_guard hold(s.lock);
    return s.shown ? tell_end(s.shown->sink, parameters, data) : -ENOENT;
}

}  // namespace

Result<void> start() {
    struct Entry {
        const char* name;
        telemetry_cb tell;
        const char* help;
    };

    constexpr std::array entries{
        Entry{"/gensink/trial", tell_trial, "The running trial: run id, phase, age of the counts"},
        Entry{
            "/gensink/gen", tell_gen, "The generator's counts in this trial. Parameter: an lcore"},
        Entry{"/gensink/sink", tell_sink, "The sink's counts in this trial. Parameter: an lcore"}};
    for (const Entry& entry : entries) {
        if (const int code = rte_telemetry_register_cmd(entry.name, entry.tell, entry.help);
            code != 0) {
            return fail(
                ErrorKind::environment,
                fmt::format("telemetry does not take {} ({})", entry.name, code),
                "host.telemetry"
            );
        }
    }
    return {};
}

void show(std::uint32_t run_id, counters::Phase phase, const trial::Snapshot& counts) {
    State& s = state();
    const std::lock_guard hold(s.lock);
    s.shown = Shown{run_id, phase, Clock::now(), counts.gen, counts.sink};
}

}  // namespace gensink::dpdk::telemetry
