// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/checks.hpp"
#include "trial/detail/transfer_values.hpp"

#include <fmt/format.h>

namespace gensink::trial::detail {

namespace {

using counters::TransportCounts;

std::uint64_t bytes_to_send(const plan::TrialPlan& plan) {
    const flow::SenderSpec& sender = plan.transport->sender;
    return sender.blocks.value_or(0) * sender.block.bytes() * plan.frames.flows;
}

/// At the rate so far the rest would take so long; absent where there is no rate.
std::optional<double> seconds_needed(const TrialResult& result, double acked, double all) {
    if (!(acked > 0) || !(result.measure_seconds > 0)) {
        return std::nullopt;
    }
    return result.measure_seconds * all / acked;
}

void check_done(const Case& trial) {
    const TrialResult& result = trial.result;
    if (!trial.plan.transport->finite() || result.counts.transfer_done) {
        return;
    }
    const auto acked =
        static_cast<double>(loop_sum(result, &TransportCounts::payload_acked).value_or(0));
    const auto all = static_cast<double>(bytes_to_send(trial.plan));
    const auto needed = seconds_needed(result, acked, all);
    trial.invalid(
        ReasonCode::transfer_incomplete,
        fmt::format(
            "{:.0f} of {:.0f} B were acknowledged when run.measure ({:g} s) ended; {}; {} timeouts",
            acked,
            all,
            seconds(trial.plan.phases.measure),
            flow_shares(result.counts),
            loop_sum(result, &TransportCounts::timeouts).value_or(0)
        ),
        needed ? fmt::format(
                     "raise run.measure: at this rate the transfer takes {:.3g} s; or lower "
                     "transfer.total or transfer.repetitions",
                     *needed
                 )
               : "nothing was acknowledged: see what the frames and the ACKs met on their way"
    );
}

/// A loop whose ACKs never arrive measures its timeouts. False: that is what it did.
bool check_answers(const Case& trial) {
    std::uint64_t acks = 0;
    for (const auto& core : trial.result.counts.gen) {
        acks += core.total.transport.acks_received;
    }
    if (acks > 0 || measured_sum(trial.result.counts.gen, &TxCounts::frames_accepted) == 0 ||
        trial.plan.transport->rtt > trial.plan.phases.measure) {
        return true;
    }
    trial.invalid(
        ReasonCode::transfer_incomplete,
        fmt::format(
            "no ACK reached the generator ({} were sent)",
            measured_sum(trial.result.counts.sink, &SinkCounts::acks_sent)
        ),
        "the reverse path must carry the sink's frames to the generator's port: check both MACs, "
        "and that ack.delay is shorter than run.measure"
    );
    return false;
}

/// Without a limit of its own a flow is held by what gensink keeps of it, which is no one's window.
void check_records(const Case& trial) {
    const flow::SenderSpec& sender = trial.plan.transport->sender;
    const double most = outstanding_max(trial.result).value_or(0);
    if (sender.window.limit_bytes || most < sender.max_outstanding) {
        return;
    }
    trial.invalid(
        ReasonCode::window_limit,
        fmt::format(
            "{} frames of a flow were outstanding, which is all that can be kept track of: the "
            "rate is gensink's own limit",
            sender.max_outstanding
        ),
        "shorten path.rtt, send larger frames or over more flows, or give window.limit"
    );
}

/// Each flow's last ACK is sent in any case.
void note_dropped_acks(const Case& trial) {
    const std::uint64_t dropped = measured_sum(trial.result.counts.sink, &SinkCounts::acks_dropped);
    if (dropped != 0) {
        trial.note(
            ReasonCode::sink_limit,
            fmt::format(
                "{} ACKs found no room on their way back; later ones told what they would have",
                dropped
            ),
            "there are fewer ACKs than the policy asks for: raise sink.ring, or ack.every"
        );
    }
}

}  // namespace

std::string flow_shares(const Snapshot& counts) {
    const auto percent = [&](counters::FlowCause cause) {
        return 100 * flow_share_of(counts, cause).value_or(0);
    };
    using counters::FlowCause;
    return fmt::format(
        "the flows waited for window {:.1f} %, ack timer {:.1f} %, ring {:.1f} %, pacing {:.1f} %, "
        "pool {:.1f} %, cpu {:.1f} % of the time",
        percent(FlowCause::window),
        percent(FlowCause::ack_timer),
        percent(FlowCause::ring),
        percent(FlowCause::pacing),
        percent(FlowCause::pool),
        percent(FlowCause::cpu)
    );
}

void check_transfer(const Case& trial) {
    if (!trial.plan.transport || trial.result.counts.gen.empty()) {
        return;  // an open loop, or its generator is elsewhere
    }
    if (check_answers(trial)) {
        check_done(trial);
    }
    check_records(trial);
    note_dropped_acks(trial);
}

}  // namespace gensink::trial::detail
