// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/detail/measured.hpp"
#include "trial/result.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

/// The values behind the metric names: pure functions of a result.
namespace gensink::trial::detail {

using counters::SinkCause;
using counters::SinkCounts;
using counters::TxCause;
using counters::TxCounts;
using Value = std::optional<double>;

/// Preamble, start delimiter and gap (IEEE 802.3 clause 4.4.2): layer 1 beyond the frame.
constexpr double gap_bytes = 20;
constexpr double bytes_per_kb = 1024;  // netperf's KB

/// What both ends count under different names.
template <class Counts>
struct End;

template <>
struct End<TxCounts> {
    static constexpr auto busy = TxCause::sending;
    static constexpr auto frames = &TxCounts::frames_accepted;

    static std::uint64_t own_frames(const TxCounts& counts) { return counts.frames_accepted; }

    static std::uint64_t own_bytes(const TxCounts& counts) { return counts.frame_bytes; }

    static const Cores<TxCounts>& cores(const TrialResult& trial) { return trial.counts.gen; }
};

template <>
struct End<SinkCounts> {
    static constexpr auto busy = SinkCause::receiving;
    static constexpr auto frames = &SinkCounts::frames;

    /// What others sent costs the sink as much, but is no rate of the generator's.
    static std::uint64_t own_frames(const SinkCounts& counts) {
        return counts.frames - std::min(counts.frames, counts.foreign + counts.background);
    }

    static std::uint64_t own_bytes(const SinkCounts& counts) {
        return counts.frame_bytes - std::min(counts.frame_bytes, counts.stray_bytes);
    }

    static const Cores<SinkCounts>& cores(const TrialResult& trial) { return trial.counts.sink; }
};

/// Ticks of turns that moved frames.
template <class EndCounts>
struct Busy {
    using Counts = EndCounts;

    static std::uint64_t ticks(const TrialResult& trial) {
        return measured_ticks(End<Counts>::cores(trial), End<Counts>::busy);
    }
};

/// Ticks of all turns.
template <class EndCounts>
struct Occupied {
    using Counts = EndCounts;

    static std::uint64_t ticks(const TrialResult& trial) {
        return measured_ticks(End<Counts>::cores(trial));
    }
};

using TxBusy = Busy<TxCounts>;
using TxOccupied = Occupied<TxCounts>;
using RxBusy = Busy<SinkCounts>;
using RxOccupied = Occupied<SinkCounts>;

template <class Charge>
Value ticks_per_frame(const TrialResult& trial) {
    using Counts = typename Charge::Counts;
    return ratio(
        Charge::ticks(trial), measured_sum(End<Counts>::cores(trial), End<Counts>::frames)
    );
}

template <class Charge>
Value ns_per_frame(const TrialResult& trial) {
    const Value per_frame = ticks_per_frame<Charge>(trial);
    if (!per_frame || trial.counts.tsc_hz == 0) {
        return std::nullopt;
    }
    return *per_frame * 1e9 / static_cast<double>(trial.counts.tsc_hz);
}

/// UDP payload without a protocol's header in it.
template <class Counts>
std::uint64_t payload_bytes(const TrialResult& trial, const Counts& counts) {
    const std::uint64_t headers = trial.header_bytes * End<Counts>::own_frames(counts);
    return counts.payload_bytes - std::min(counts.payload_bytes, headers);
}

/// netperf's service demand, over payload.
template <class Charge>
Value us_per_kb(const TrialResult& trial) {
    using Counts = typename Charge::Counts;
    std::uint64_t payload = 0;
    for (const auto& core : End<Counts>::cores(trial)) {
        payload += payload_bytes(trial, core.measured);
    }
    const Value per_byte = ratio(Charge::ticks(trial), payload);
    if (!per_byte || trial.counts.tsc_hz == 0) {
        return std::nullopt;
    }
    return *per_byte * bytes_per_kb * 1e6 / static_cast<double>(trial.counts.tsc_hz);
}

/// Sum over cores of each core's amount in its own interval; absent if a core has none.
template <class Counts, class Amount>
Value per_second(const TrialResult& trial, Amount amount) {
    const auto& cores = End<Counts>::cores(trial);
    if (cores.empty()) {
        return std::nullopt;
    }
    double sum = 0;
    for (const auto& core : cores) {
        const Value interval = interval_seconds(core, trial.counts.tsc_hz);
        if (!interval) {
            return std::nullopt;
        }
        sum += amount(core.measured) / *interval;
    }
    return sum;
}

template <class Counts>
Value fps(const TrialResult& trial) {
    return per_second<Counts>(trial, [](const Counts& counts) {
        return static_cast<double>(End<Counts>::own_frames(counts));
    });
}

template <class Counts>
Value bps_l1(const TrialResult& trial) {
    return per_second<Counts>(trial, [](const Counts& counts) {
        return 8.0 * (static_cast<double>(End<Counts>::own_bytes(counts)) +
                      gap_bytes * static_cast<double>(End<Counts>::own_frames(counts)));
    });
}

template <class Counts>
Value bps_l2(const TrialResult& trial) {
    return per_second<Counts>(trial, [](const Counts& counts) {
        return 8.0 * static_cast<double>(End<Counts>::own_bytes(counts));
    });
}

template <class Counts>
Value bps_payload(const TrialResult& trial) {
    return per_second<Counts>(trial, [&trial](const Counts& counts) {
        return 8.0 * static_cast<double>(payload_bytes(trial, counts));
    });
}

template <TxCause Cause>
Value tx_share(const TrialResult& trial) {
    const auto& cores = trial.counts.gen;
    return ratio(measured_ticks(cores, Cause), measured_ticks(cores));
}

template <SinkCause Cause>
Value rx_share(const TrialResult& trial) {
    const auto& cores = trial.counts.sink;
    return ratio(measured_ticks(cores, Cause), measured_ticks(cores));
}

inline Value burst_accepted(const TrialResult& trial) {
    const auto& gen = trial.counts.gen;
    return ratio(measured_sum(gen, &TxCounts::frames_accepted), calls_that_moved(gen));
}

inline Value burst_asked(const TrialResult& trial) {
    const auto& gen = trial.counts.gen;
    return ratio(
        measured_sum(gen, &TxCounts::frames_asked), measured_sum(gen, &TxCounts::send_calls)
    );
}

inline Value send_calls_per_frame(const TrialResult& trial) {
    const auto& gen = trial.counts.gen;
    return ratio(
        measured_sum(gen, &TxCounts::send_calls), measured_sum(gen, &TxCounts::frames_accepted)
    );
}

inline Value bytes_copied_per_frame(const TrialResult& trial) {
    const auto& gen = trial.counts.gen;
    const std::uint64_t built = measured_sum(gen, &TxCounts::frames_built);
    // A stream of bytes is cut into frames by the kernel, which builds those that it sends.
    return ratio(
        measured_sum(gen, &TxCounts::bytes_copied),
        built != 0 ? built : measured_sum(gen, &TxCounts::frames_accepted)
    );
}

/// A driver is given frames without FCS, of 4 B. Sockets tell themselves what they copied.
inline Value driver_bytes_copied_per_frame(const TrialResult& trial) {
    const auto& gen = trial.counts.gen;
    const Value bytes = ratio(
        measured_sum(gen, &TxCounts::frame_bytes), measured_sum(gen, &TxCounts::frames_accepted)
    );
    if (!bytes || trial.driver_copies) {
        return bytes ? Value(*bytes - 4) : bytes;
    }
    return ratio(
        measured_sum(gen, &TxCounts::kernel_bytes_copied),
        measured_sum(gen, &TxCounts::frames_accepted)
    );
}

inline Value segments_per_frame(const TrialResult& trial) {
    const auto& gen = trial.counts.gen;
    const Value chained = ratio(
        measured_sum(gen, &TxCounts::frames_chained), measured_sum(gen, &TxCounts::frames_built)
    );
    return chained ? Value(1 + *chained) : chained;
}

inline Value refused_ratio(const TrialResult& trial) {
    const auto& gen = trial.counts.gen;
    const std::uint64_t asked = measured_sum(gen, &TxCounts::frames_asked);
    return ratio(asked - measured_sum(gen, &TxCounts::frames_accepted), asked);
}

inline Value burst_received(const TrialResult& trial) {
    const auto& sink = trial.counts.sink;
    return ratio(measured_sum(sink, &SinkCounts::frames), calls_that_moved(sink));
}

inline Value loss_ratio(const TrialResult& trial) {
    if (!trial.ledger.has_sink || trial.ledger.accepted == 0) {
        return std::nullopt;
    }
    return static_cast<double>(trial.ledger.lost) / static_cast<double>(trial.ledger.accepted);
}

}  // namespace gensink::trial::detail
