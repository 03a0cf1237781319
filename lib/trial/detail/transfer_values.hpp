// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "counters/histogram.hpp"
#include "stats/outliers.hpp"
#include "stats/series.hpp"
#include "trial/detail/values.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

/// The values behind the closed loop's metric names.
namespace gensink::trial::detail {

inline constexpr double kib_bits = 8.0 * 1024;

/// Per second of each core's own interval; absent where the loop is open.
inline Value
per_loop_second(const TrialResult& trial, std::uint64_t counters::TransportCounts::*count) {
    if (!trial.counts.transport) {
        return std::nullopt;
    }
    return per_second<TxCounts>(trial, [count](const TxCounts& counts) {
        return static_cast<double>(counts.transport.*count);
    });
}

inline Value acked_bps(const TrialResult& trial) {
    const Value bytes = per_loop_second(trial, &counters::TransportCounts::payload_acked);
    return bytes ? Value(8.0 * *bytes) : std::nullopt;
}

inline Value acked_kib_per_s(const TrialResult& trial) {
    const Value bps = acked_bps(trial);
    return bps ? Value(*bps / kib_bits) : std::nullopt;
}

/// Of each flow.
inline Value blocks_per_s(const TrialResult& trial) {
    const bool stream = trial.stream_block_bytes != 0;
    const Value counted = per_loop_second(
        trial,
        stream ? &counters::TransportCounts::payload_acked
               : &counters::TransportCounts::blocks_acked
    );
    if (!counted || trial.counts.transport->flows.empty()) {
        return std::nullopt;
    }
    const double each = stream ? static_cast<double>(trial.stream_block_bytes) : 1;
    return *counted / each / static_cast<double>(trial.counts.transport->flows.size());
}

inline Value transfer_seconds(const TrialResult& trial) {
    const bool known = trial.counts.transport && trial.counts.transfer_done;
    return known && trial.measure_seconds > 0 ? Value(trial.measure_seconds) : std::nullopt;
}

/// Times of the blocks that were fetched one by one, in ms.
[[nodiscard]] inline std::vector<double> object_times_ms(const TrialResult& trial) {
    std::vector<double> times;
    if (!trial.counts.transport || trial.counts.tsc_hz == 0) {
        return times;
    }
    times.reserve(trial.counts.transport->block_ticks.size());
    for (const std::uint64_t ticks : trial.counts.transport->block_ticks) {
        times.push_back(
            static_cast<double>(ticks) * 1e3 / static_cast<double>(trial.counts.tsc_hz)
        );
    }
    return times;
}

inline Value object_ms(const TrialResult& trial) {
    return stats::kept_mean(object_times_ms(trial), trial.outliers);
}

inline Value object_raw_ms(const TrialResult& trial) {
    return stats::kept_mean(object_times_ms(trial), {});
}

template <unsigned Percent>
Value object_at(const TrialResult& trial) {
    return stats::percentile(object_times_ms(trial), Percent / 100.0);
}

/// Sum over the generator's cores in the measure phase; absent where the loop is open.
inline std::optional<std::uint64_t>
loop_sum(const TrialResult& trial, std::uint64_t counters::TransportCounts::*count) {
    if (!trial.counts.transport) {
        return std::nullopt;
    }
    std::uint64_t sum = 0;
    for (const auto& core : trial.counts.gen) {
        sum += core.measured.transport.*count;
    }
    return sum;
}

inline Value timeouts(const TrialResult& trial) {
    const auto sum = loop_sum(trial, &counters::TransportCounts::timeouts);
    return sum ? Value(static_cast<double>(*sum)) : std::nullopt;
}

inline Value retransmit_ratio(const TrialResult& trial) {
    const auto sum = loop_sum(trial, &counters::TransportCounts::retransmitted);
    return sum ? ratio(*sum, measured_sum(trial.counts.gen, &TxCounts::frames_accepted))
               : std::nullopt;
}

inline Value outstanding_max(const TrialResult& trial) {
    if (!trial.counts.transport) {
        return std::nullopt;
    }
    std::uint64_t most = 0;
    for (const auto& core : trial.counts.gen) {
        most = std::max(most, core.measured.transport.most_outstanding);
    }
    return static_cast<double>(most);
}

inline Value acks_per_frame(const TrialResult& trial) {
    if (!trial.counts.transport) {
        return std::nullopt;
    }
    const auto& sink = trial.counts.sink;
    return ratio(
        measured_sum(sink, &SinkCounts::acks_sent), measured_sum(sink, &SinkCounts::frames)
    );
}

/// The flows' times by cause, summed over flows.
[[nodiscard]] inline counters::FlowTimes flow_times(const Snapshot& counts) {
    counters::FlowTimes sums{};
    if (counts.transport) {
        for (const FlowReport& flow : counts.transport->flows) {
            for (std::size_t i = 0; i < sums.size(); ++i) {
                sums[i] += flow.times[i];
            }
        }
    }
    return sums;
}

[[nodiscard]] inline Value flow_share_of(const Snapshot& counts, counters::FlowCause cause) {
    const counters::FlowTimes times = flow_times(counts);
    std::uint64_t all = 0;
    for (const std::uint64_t ticks : times) {
        all += ticks;
    }
    return ratio(times[static_cast<std::size_t>(cause)], all);
}

template <counters::FlowCause Cause>
Value flow_share(const TrialResult& trial) {
    return flow_share_of(trial.counts, Cause);
}

template <counters::Histogram counters::Latencies::*Which, unsigned PerMille>
Value latency_us(const TrialResult& trial) {
    if (!trial.counts.transport || trial.counts.tsc_hz == 0) {
        return std::nullopt;
    }
    const counters::Histogram& histogram = trial.counts.transport->latencies.*Which;
    if (histogram.total() == 0) {
        return std::nullopt;
    }
    const std::uint64_t ticks =
        PerMille == 1000 ? histogram.largest() : histogram.quantile(PerMille / 1000.0);
    return static_cast<double>(ticks) * 1e6 / static_cast<double>(trial.counts.tsc_hz);
}

inline Value predicted_ratio(const TrialResult& trial) {
    const bool objects = trial.predicted_object_ms.has_value();
    const Value& predicted = objects ? trial.predicted_object_ms : trial.predicted_bps_payload;
    const Value measured = objects ? object_ms(trial) : acked_bps(trial);
    if (!predicted || !measured || !(*predicted > 0)) {
        return std::nullopt;
    }
    return *measured / *predicted;
}

}  // namespace gensink::trial::detail
