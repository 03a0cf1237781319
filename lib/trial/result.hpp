// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "stats/outliers.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gensink::trial {

/// Why a trial does not count, or counts with a mark.
enum class ReasonCode {
    disturbed_gen,  ///< a generator thread lost its core
    disturbed_sink,
    clock_changed,            ///< core Hz moved
    treatment_not_exercised,  ///< achieved burst or send calls are not what the arm asked for
    offered_short,            ///< offered is below intended
    sink_limit,               ///< the sink held the generator back, or missed frames
    generator_limit,
    residue,  ///< exact terms of the ledger contradict each other
    sink_saw_nothing,
    pool_empty,
    link_down,
    datapath_died,
    interrupted,
    environment,     ///< ports or memory were refused
    stale_frames,    ///< frames older than the sequence window
    corrupt_frames,  ///< informative: seen, and counted in the ledger
    duplicate_frames,
    reordered_frames,
    lost_frames,
    foreign_frames,
    transfer_incomplete,  ///< a finite transfer was not done when the measure phase ended
    window_limit,         ///< the closed loop held the generator below the intended load
    queue_stuck,          ///< frames wait at a transmit queue that accepts none
};

/// invalid: the trial proves nothing. external: same, and repeating may help. note: it counts.
enum class Severity { note, external, invalid };

struct Reason {
    ReasonCode code{};
    Severity severity = Severity::note;
    std::string message;  ///< with the numbers
    std::string advice;   ///< what to do
};

/// Name used in text and JSON, e.g. "sink_limit".
[[nodiscard]] const char* name(ReasonCode code);

/// End to end by sequence, on frames that carry the measure mark. Signed: a contradiction shows.
struct Ledger {
    bool in_bytes = false;  ///< of a TCP stream; else frames
    bool has_sink = false;  ///< false: the ledger ends at device out
    std::uint64_t built = 0;
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;  ///< asked minus accepted, each refusal counted
    std::uint64_t in_order = 0;
    std::uint64_t late = 0;
    std::uint64_t corrupt = 0;
    std::uint64_t stale = 0;
    /// accepted - in_order - late - corrupt; where frames are sent again, `accepted` counts copies,
    /// and what arrived as duplicate or stale is not lost either.
    std::int64_t lost = 0;
    std::uint64_t duplicate = 0;
    std::uint64_t foreign = 0;
    std::uint64_t background = 0;

    /// Where lost frames went, as far as counters tell; each with its trust.
    struct Attribution {
        std::string place;  ///< "gen device", "sink device: missed", ...
        std::int64_t frames = 0;
        plan::Trust trust = plan::Trust::absent;
    };

    std::vector<Attribution> attributed;
    std::int64_t unknown_place = 0;  ///< lost minus what exact counters attribute
    std::int64_t residue = 0;        ///< non-zero: exact terms contradict each other
};

[[nodiscard]] stats::OutlierRule outlier_rule(const plan::Outliers& outliers);

enum class LoadKind { as_planned, max, cost, probe };

struct TrialResult {
    std::string arm;
    std::size_t cell = 0;
    unsigned round = 0;    ///< from 1; 0: calibration, pilot or search
    unsigned attempt = 0;  ///< 0, or the number of the round's repeat
    LoadKind load_kind = LoadKind::as_planned;
    std::optional<double> intended_fps;
    bool complete = false;  ///< the measure phase ran to its end
    std::vector<Reason> reasons;
    Snapshot counts;  ///< final
    Opened opened;
    Ledger ledger;
    double measure_seconds = 0;  ///< generator's own interval, mean over cores
    double sink_measure_seconds = 0;
    double drain_seconds = 0;
    bool driver_copies = false;      ///< the generator's driver copies each frame that it sends
    std::uint64_t header_bytes = 0;  ///< of each UDP payload, not the application's
    std::uint64_t stream_block_bytes = 0;         ///< blocks that frames do not follow; 0: they do
    stats::OutlierRule outliers;                  ///< among blocks fetched one by one
    std::optional<double> predicted_bps_payload;  ///< by the law of the limit, where one applies
    std::optional<double> predicted_object_ms;    ///< likewise, of blocks fetched one by one

    [[nodiscard]] bool valid() const;     ///< no reason above note
    [[nodiscard]] bool external() const;  ///< every reason above note is external
};

}  // namespace gensink::trial
