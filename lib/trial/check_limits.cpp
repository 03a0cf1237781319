// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/checks.hpp"
#include "trial/detail/measured.hpp"
#include "trial/detail/watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::trial::detail {

namespace {

using counters::SinkCause;
using counters::TxCause;
using counters::TxCounts;
using plan::Trust;

constexpr double refused_limit = 0.001;  // of frames asked: fewer are start and end effects
constexpr double share_limit = 0.01;     // of a core's time: less changes no result

double gen_share(const Snapshot& counts, TxCause cause) {
    return ratio(measured_ticks(counts.gen, cause), measured_ticks(counts.gen)).value_or(0);
}

void check_refusals(const Case& trial) {
    const Snapshot& counts = trial.result.counts;
    const std::uint64_t asked = measured_sum(counts.gen, &TxCounts::frames_asked);
    const std::uint64_t refused = asked - measured_sum(counts.gen, &TxCounts::frames_accepted);
    const double full = gen_share(counts, TxCause::ring_full);
    if (ratio(refused, asked).value_or(0) <= refused_limit || full <= share_limit) {
        return;
    }
    std::string sink_state;
    if (const auto idle =
            ratio(measured_ticks(counts.sink, SinkCause::polling), measured_ticks(counts.sink))) {
        sink_state = fmt::format("; the sink was idle for {:.1f} %", 100 * *idle);
    }
    trial.note(
        ReasonCode::sink_limit,
        fmt::format(
            "the generator found the ring full for {:.1f} % of its time ({} refusals){}",
            100 * full,
            refused,
            sink_state
        ),
        "the rate is that of the sink or the wire: give the sink more cores, or compare costs"
    );
}

void check_missed(const Case& trial) {
    const DeviceReport& device = trial.result.counts.sink_device;
    const bool known = trial.plan.sink && trial.plan.sink->driver.rx_missed != Trust::absent;
    const std::uint64_t missed = (known ? device.rx_missed.value_or(0) : 0) +
                                 trial.result.counts.sink_kernel.socket_dropped.value_or(0);
    const std::uint64_t no_buffer = trial.plan.sink ? device.rx_no_buffer.value_or(0) : 0;
    if (missed + no_buffer == 0) {
        return;
    }
    if (trial.plan.kernel) {
        trial.note(
            ReasonCode::sink_limit,
            fmt::format("the sink's sockets had no room for {} datagrams", missed),
            "raise kernel.receive_buffer, give the sink more cores (tx.queues, sink.cores), or "
            "lower the load"
        );
        return;
    }
    trial.note(
        ReasonCode::sink_limit,
        fmt::format(
            "the sink's device missed {} frames and lacked a buffer for {}", missed, no_buffer
        ),
        trial.plan.model
            ? "give model.sink_ring more room, raise model.sink_rate, or lower the load"
            : "give the sink more cores or a larger ring (sink.ring), or lower the load"
    );
}

void check_generator(const Case& trial) {
    const Snapshot& counts = trial.result.counts;
    if (counts.gen.empty() ||
        std::ranges::all_of(counts.gen, [](const auto& core) { return starved(core); })) {
        return;  // the generator is elsewhere, or never ran
    }
    if (measured_sum(counts.gen, &TxCounts::frames_accepted) == 0) {
        trial.invalid(
            ReasonCode::generator_limit,
            "nothing was sent in the measure phase",
            "lengthen run.measure, or raise the load"
        );
        return;
    }
    if (const auto skipped = measured_sum(counts.gen, &TxCounts::frames_skipped); skipped > 0) {
        trial.note(
            ReasonCode::generator_limit,
            fmt::format("the pacer fell behind and skipped {} departures", skipped),
            "lower the load, or set tx.behind: catch_up"
        );
    }
    const std::uint64_t all = measured_ticks(counts.gen);
    const bool paced = trial.result.intended_fps.has_value();
    if (paced && all > 0 && gen_share(counts, TxCause::pacing) < share_limit &&
        gen_share(counts, TxCause::sending) > 0.5) {
        trial.note(
            ReasonCode::generator_limit,
            fmt::format(
                "the generator had no time to spare: {:.1f} % sending, {:.1f} % pacing",
                100 * gen_share(counts, TxCause::sending),
                100 * gen_share(counts, TxCause::pacing)
            ),
            "lower the load, or give the generator more cores (tx.queues)"
        );
    }
}

void check_pool(const Case& trial) {
    const Snapshot& counts = trial.result.counts;
    const std::uint64_t failures = measured_sum(counts.gen, &TxCounts::pool_failures);
    if (failures == 0) {
        return;
    }
    const double empty = gen_share(counts, TxCause::pool_empty);
    const double full = gen_share(counts, TxCause::ring_full);
    const std::string message = fmt::format(
        "the generator's pool ran dry {} times, {:.2f} % of its time ({} buffers free at the end)",
        failures,
        100 * empty,
        counts.frames_left_in_pool
    );
    const char* advice =
        "a pool must hold the ring, a burst and what is on the wire: lower tx.ring, or raise "
        "tx.pool";
    // Behind a full ring the buffers wait for the sink; a larger pool would not help.
    if (empty > share_limit && full <= empty) {
        trial.invalid(ReasonCode::pool_empty, message, advice);
    } else {
        trial.note(ReasonCode::pool_empty, message, advice);
    }
}

void check_link(const Case& trial) {
    // A loss that ended the drain has been told.
    const bool told =
        std::ranges::count(trial.result.reasons, ReasonCode::link_down, &Reason::code) != 0;
    auto down = link_down(trial.plan, trial.result.counts, {counters::Phase::drain, {}, {}});
    if (down && !told) {
        trial.reasons.push_back(*std::move(down));
    }
}

/// A frame of the measure phase has come.
bool saw_marks(const Snapshot& counts) {
    return std::ranges::any_of(counts.streams, [](const StreamReport& stream) {
        const counters::StreamCounts& seen = stream.seen_measured;
        return seen.in_order + seen.late + seen.duplicate + seen.corrupt + seen.stale != 0;
    });
}

template <class Counts>
void check_intervals(const Case& trial, const Cores<Counts>& cores, const char* end) {
    for (const auto& core : cores) {
        // A thread that got no CPU time is a disturbance, and named as such.
        if (!interval_seconds(core, trial.result.counts.tsc_hz) && !starved(core)) {
            trial.invalid(
                ReasonCode::datapath_died,
                fmt::format(
                    "{} core {} never took note of its measure phase", end, core.lcore.value
                ),
                "the thread hung, perhaps within its driver: see the worker's log"
            );
        }
    }
}

}  // namespace

void check_limits(const Case& trial) {
    check_intervals(trial, trial.result.counts.gen, "generator");
    // A sink elsewhere follows the marks of the frames, and where none came there is no phase.
    if (!trial.plan.sink || !trial.plan.sink->peer || saw_marks(trial.result.counts)) {
        check_intervals(trial, trial.result.counts.sink, "sink");
    }
    check_link(trial);
    check_refusals(trial);
    check_missed(trial);
    check_generator(trial);
    check_pool(trial);
}

}  // namespace gensink::trial::detail
