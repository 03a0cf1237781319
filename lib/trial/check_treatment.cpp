// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/checks.hpp"
#include "trial/detail/transfer_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gensink::trial::detail {

namespace {

using counters::TxCause;
using counters::TxCounts;

/// Of the flows' time: less changes no result.
constexpr double window_share = 0.01;

void check_burst(const Case& trial) {
    const Snapshot& counts = trial.result.counts;
    const double burst = trial.plan.gen.burst;
    const double least = burst * (1 - trial.plan.validity.burst_ratio);
    const auto asked = ratio(
        measured_sum(counts.gen, &TxCounts::frames_asked),
        measured_sum(counts.gen, &TxCounts::send_calls)
    );
    // Calls that were wholly refused rang no doorbell: they are no burst of another size.
    const auto accepted =
        ratio(measured_sum(counts.gen, &TxCounts::frames_accepted), calls_that_moved(counts.gen));
    // In a closed loop a burst is what the windows admit.
    if (trial.plan.transport || trial.plan.is_tcp() || trial.plan.fill != flow::Fill::full ||
        !asked || !accepted) {
        return;
    }
    // At full load a wire that refuses cuts bursts short; what the arm does is then what it asks.
    const bool full_load = !trial.result.intended_fps;
    const double achieved = full_load ? *asked : *accepted;
    if (achieved < least) {
        trial.invalid(
            ReasonCode::treatment_not_exercised,
            fmt::format(
                "tx.burst is {}, but send calls {} {:.2f} frames on average (limit {:.2f})",
                trial.plan.gen.burst,
                full_load ? "asked" : "moved",
                achieved,
                least
            ),
            full_load ? "raise tx.pool, or lower tx.burst"
                      : "lower the load, raise tx.ring, or speed the sink up: refused frames cut "
                        "bursts short; or raise tx.flush_after"
        );
    } else if (*accepted < least) {
        trial.note(
            ReasonCode::sink_limit,
            fmt::format(
                "the full ring cut bursts short: {:.2f} frames asked, {:.2f} accepted per call "
                "that moved any",
                *asked,
                *accepted
            ),
            "compare costs at a paced load; a rate at full load is that of the slowest part"
        );
    }
}

/// The time that interruptions took from an end's cores together in the measure phase.
template <class Counts>
double interrupted_seconds(const Cores<Counts>& cores, std::uint64_t tsc_hz) {
    double sum = 0;
    for (const auto& core : cores) {
        const auto turns = static_cast<double>(
            std::max(core.measured.stalled_ticks, core.measured.longest_turn_ticks)
        );
        sum += std::max(
            turns / static_cast<double>(tsc_hz),
            static_cast<double>(core.thread.run_delay_ns) * 1e-9
        );
    }
    return sum;
}

/// Frames that interruptions kept from leaving: the generator's own, and, where a full ring
/// refuses, the sink's.
double owed_frames(const Case& trial, double frames_per_core_second) {
    const Snapshot& counts = trial.result.counts;
    const double refused_seconds =
        static_cast<double>(measured_ticks(counts.gen, TxCause::ring_full)) /
        static_cast<double>(counts.tsc_hz);
    const double sink = std::min(interrupted_seconds(counts.sink, counts.tsc_hz), refused_seconds);
    return frames_per_core_second * interrupted_seconds(counts.gen, counts.tsc_hz) +
           *trial.result.intended_fps * sink;
}

struct Balance {
    double intended_frames = 0;
    double offered_frames = 0;
    double seconds = 0;
    double frames_per_core_second = 0;
    double burst_frames = 0;  ///< one burst a queue may be waiting to be full
    double block_frames = 0;  ///< of TCP, which is written in blocks
};

std::optional<Balance> balance(const Case& trial) {
    const Snapshot& counts = trial.result.counts;
    if (!trial.result.intended_fps || counts.gen.empty() || counts.tsc_hz == 0) {
        return std::nullopt;
    }
    Balance sums;
    for (const auto& core : counts.gen) {
        const auto interval = interval_seconds(core, counts.tsc_hz);
        if (!interval) {
            return std::nullopt;
        }
        sums.seconds += *interval;
    }
    const auto cores = static_cast<double>(counts.gen.size());
    sums.seconds /= cores;
    sums.intended_frames = *trial.result.intended_fps * sums.seconds;
    sums.offered_frames = static_cast<double>(measured_sum(counts.gen, &TxCounts::frames_accepted));
    if (trial.plan.is_tcp()) {
        // TCP cuts its segments as it likes: its load is that of full ones.
        sums.offered_frames =
            static_cast<double>(measured_sum(counts.gen, &TxCounts::payload_bytes)) /
            trial.plan.mean_payload_bytes();
        sums.block_frames = trial.plan.frames.block_bytes / trial.plan.mean_payload_bytes();
    }
    sums.frames_per_core_second = *trial.result.intended_fps / cores;
    sums.burst_frames = static_cast<double>(trial.plan.gen.burst) * trial.plan.gen.queues;
    return sums;
}

std::string shares(const Snapshot& counts) {
    const std::uint64_t all = measured_ticks(counts.gen);
    const auto percent = [&](TxCause cause) {
        return 100 * ratio(measured_ticks(counts.gen, cause), all).value_or(0);
    };
    return fmt::format(
        "sending {:.1f} %, pacing {:.1f} %, ring full {:.1f} %, pool empty {:.1f} % of the time",
        percent(TxCause::sending),
        percent(TxCause::pacing),
        percent(TxCause::ring_full),
        percent(TxCause::pool_empty)
    );
}

/// True where the flows waited for their windows: that is what a closed loop does to a load.
bool note_window_limit(const Case& trial, const std::string& rates) {
    const Snapshot& counts = trial.result.counts;
    const double waited = flow_share_of(counts, counters::FlowCause::window).value_or(0) +
                          flow_share_of(counts, counters::FlowCause::ack_timer).value_or(0);
    if (!trial.plan.transport || waited < window_share) {
        return false;
    }
    trial.note(
        ReasonCode::window_limit,
        fmt::format("{}: the closed loop is the limit ({})", rates, flow_shares(counts)),
        "the rate is the window's, or the ACK timer's: raise window.limit, or answer sooner"
    );
    return true;
}

void check_offered(const Case& trial) {
    const auto sums = balance(trial);
    if (!sums) {
        return;
    }
    const double tolerated = trial.plan.validity.offered_ratio * sums->intended_frames +
                             sums->burst_frames + sums->block_frames * trial.plan.gen.queues;
    const double missing = sums->intended_frames - sums->offered_frames;
    const double owed = owed_frames(trial, sums->frames_per_core_second);
    const std::string rates = fmt::format(
        "intended {:.0f} fps, offered {:.0f} fps",
        *trial.result.intended_fps,
        sums->offered_frames / sums->seconds
    );
    // However often it was interrupted, half the load is another experiment.
    const double excused =
        std::max(tolerated, std::min(tolerated + owed, 0.5 * sums->intended_frames));
    if (missing > excused && note_window_limit(trial, rates)) {
        return;
    }
    if (missing > excused) {
        trial.invalid(
            ReasonCode::offered_short,
            fmt::format("{} ({})", rates, shares(trial.result.counts)),
            "lower the load below what the generator and its port can do, or give it more cores"
        );
        return;
    }
    // The pacer forgets at the measure phase what it owed before, so nothing is paid back in it.
    if (-missing > tolerated) {
        trial.invalid(
            ReasonCode::treatment_not_exercised,
            rates + ": more than intended",
            "the pacer sent too much: please report it"
        );
    }
}

/// Pause frames are negotiated with the peer: asking for them is not having them.
void check_flow_control(const Case& trial, const char* end, const LinkReport& link) {
    const bool on = trial.plan.flow_control == plan::FlowControl::on;
    if (trial.plan.flow_control == plan::FlowControl::leave || !link.flow_control ||
        *link.flow_control == (on ? FlowControl::both : FlowControl::off)) {
        return;
    }
    trial.invalid(
        ReasonCode::treatment_not_exercised,
        fmt::format(
            "wire.flow_control is {}, and the {}'s device reports it {}",
            on ? "on" : "off",
            end,
            *link.flow_control == FlowControl::off    ? "off"
            : *link.flow_control == FlowControl::both ? "on"
                                                      : "on in one direction"
        ),
        "the link's peer must agree to it (a switch's port, or the other device): set it there, or "
        "leave wire.flow_control out"
    );
}

/// What of the payload was copied is what tx.payload says.
void check_payload(const Case& trial) {
    const auto copied = bytes_copied_per_frame(trial.result);
    const auto segments = segments_per_frame(trial.result);
    if (!trial.plan.payload.from_source() || !copied || !segments) {
        return;
    }
    const auto accepted = measured_sum(trial.result.counts.gen, &TxCounts::frames_accepted);
    const auto bytes =
        ratio(measured_sum(trial.result.counts.gen, &TxCounts::payload_bytes), accepted);
    const double behind = bytes.value_or(0) - trial.plan.payload.own_bytes;
    const bool attaches = trial.plan.payload.mode == flow::Payload::zero_copy;
    // Frames built and frames accepted differ by those that wait.
    const bool copied_right = std::abs(*copied - (attaches ? 0 : behind)) <= 0.01 * behind;
    const bool attached_right = (*segments > 1) == (attaches && behind > 0);
    if (!copied_right || !attached_right) {
        trial.invalid(
            ReasonCode::treatment_not_exercised,
            fmt::format(
                "tx.payload: {:.1f} B of {:.1f} B of payload were copied, in {:.2f} segments a "
                "frame",
                *copied,
                behind,
                *segments
            ),
            "the arm did not do what it is named for: please report it"
        );
    } else if (attaches && trial.result.driver_copies) {
        trial.note(
            ReasonCode::treatment_not_exercised,
            "tx.payload: zero_copy, and the driver copies each frame by itself",
            "gensink copied nothing; what the driver copies is in its cost: see "
            "tx.driver_bytes_copied_per_frame"
        );
    }
}

/// What the kernel was asked not to copy, and copied.
void note_kernel_copies(const Case& trial) {
    const plan::TrialPlan& plan = trial.plan;
    if (!plan.kernel || plan.kernel->sender != plan::KernelSender::msg_zerocopy) {
        return;
    }
    const std::uint64_t sent = measured_sum(trial.result.counts.gen, &TxCounts::payload_bytes);
    const std::uint64_t copied =
        measured_sum(trial.result.counts.gen, &TxCounts::kernel_bytes_copied);
    if (copied > 0) {
        trial.note(
            ReasonCode::treatment_not_exercised,
            fmt::format(
                "kernel.sender: msg_zerocopy, and the kernel copied {:.1f} % of the payload after "
                "all",
                100 * ratio(copied, sent).value_or(0)
            ),
            plan.kernel->loopback || !plan.gen.netns.empty()
                ? "loopback and veth always copy such payload: only a NIC sends it in place"
                : "the device, or what listens on it (tcpdump), needs a copy"
        );
    }
}

}  // namespace

void check_treatment(const Case& trial) {
    check_flow_control(trial, "generator", trial.result.counts.gen_link);
    check_flow_control(trial, "sink", trial.result.counts.sink_link);
    check_burst(trial);
    check_offered(trial);
    check_payload(trial);
    note_kernel_copies(trial);
}

}  // namespace gensink::trial::detail
