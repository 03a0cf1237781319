// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/checks.hpp"
#include "trial/detail/contradictions.hpp"
#include "trial/detail/measured.hpp"

#include <fmt/format.h>

namespace gensink::trial::detail {

namespace {

using counters::StreamCounts;

std::uint64_t any(const StreamCounts& seen) {
    return seen.in_order + seen.late + seen.duplicate + seen.corrupt + seen.stale;
}

void check_residue(const Case& trial) {
    const Ledger& ledger = trial.result.ledger;
    if (ledger.residue == 0) {
        return;
    }
    std::string text;
    for (const auto& found : contradictions(trial.plan, trial.result.counts, ledger)) {
        text += (text.empty() ? "" : "; ") + found.what;
    }
    trial.invalid(
        ReasonCode::residue,
        text.empty() ? fmt::format("the ledger does not close by {} frames", ledger.residue) : text,
        "the counts cannot all be true: a fault was planted, a driver lies (say so in its "
        "drivers-config entry), or gensink has a bug"
    );
}

void note_lost(const Case& trial) {
    const Ledger& ledger = trial.result.ledger;
    if (ledger.lost <= 0) {
        return;
    }
    std::string text = fmt::format(
        "{} of {} frames were lost ({:.3g})",
        ledger.lost,
        ledger.accepted,
        static_cast<double>(ledger.lost) / static_cast<double>(ledger.accepted)
    );
    for (const Ledger::Attribution& place : ledger.attributed) {
        text += fmt::format(
            "; {}: {}{}",
            place.place,
            place.trust == plan::Trust::exact ? "" : "about ",
            place.frames
        );
    }
    if (ledger.unknown_place > 0) {
        text += fmt::format("; place unknown: {}", ledger.unknown_place);
    }
    trial.note(
        ReasonCode::lost_frames,
        text,
        trial.plan.transport ? "shrink the window (window.limit), or enlarge the sink's ring"
                             : "lower the load, or enlarge the sink's ring"
    );
}

void note_count(const Case& trial, ReasonCode code, std::uint64_t frames, const char* what) {
    if (frames > 0) {
        trial.note(code, fmt::format("{} {}", frames, what), "see the ledger");
    }
}

}  // namespace

bool saw_nothing(const Snapshot& counts) {
    for (const StreamReport& stream : counts.streams) {
        if (any(stream.seen_measured) + any(stream.seen_other) > 0) {
            return false;
        }
    }
    return true;
}

Reason sink_saw_nothing(const plan::TrialPlan& plan, std::uint64_t accepted) {
    return {
        ReasonCode::sink_saw_nothing,
        Severity::invalid,
        fmt::format(
            "the generator sent {} frames and the sink ({}) saw none of them",
            accepted,
            plan.model                                ? "model"
            : plan.sink && !plan.sink->device.empty() ? plan.sink->device
                                                      : "cable"
        ),
        plan.model ? "lower path.loss, or give model.sink_ring room for a frame"
                   : "check that the sink's port is the generator's peer, that its link is up, and "
                     "that the destination MAC (traffic.destination_mac) is the sink's"};
}

void check_ledger(const Case& trial) {
    const Ledger& ledger = trial.result.ledger;
    if (!ledger.has_sink) {
        check_residue(trial);
        return;
    }
    if (ledger.accepted > 0 && saw_nothing(trial.result.counts)) {
        // That all is lost, and the ledger open, follows.
        trial.reasons.push_back(sink_saw_nothing(trial.plan, ledger.accepted));
        return;
    }
    if (ledger.corrupt > 0 && ledger.in_order + ledger.late == 0) {
        trial.invalid(
            ReasonCode::corrupt_frames,
            fmt::format("{} frames arrived, and every one of them corrupt", ledger.corrupt),
            "something on the way cuts or changes all frames: compare the MTUs of both ends and of "
            "what is between them, and see which frame sizes pass"
        );
        return;
    }
    check_residue(trial);
    note_lost(trial);
    note_count(trial, ReasonCode::corrupt_frames, ledger.corrupt, "frames arrived corrupt");
    note_count(
        trial,
        ReasonCode::duplicate_frames,
        ledger.duplicate,
        trial.plan.transport ? "frames arrived again: they had been sent again before their ACK"
                             : "frames arrived again"
    );
    note_count(trial, ReasonCode::reordered_frames, ledger.late, "frames arrived after later ones");
    note_count(
        trial,
        ReasonCode::stale_frames,
        ledger.stale,
        "frames were older than the sequence window: counted as lost, though they may be late or "
        "duplicate"
    );
    note_count(
        trial,
        ReasonCode::foreign_frames,
        ledger.foreign,
        "frames to our UDP port were not of this run"
    );
}

}  // namespace gensink::trial::detail
