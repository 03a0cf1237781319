// SPDX-License-Identifier: BSD-3-Clause
#include "apart/pulse.hpp"

#include <algorithm>

namespace gensink::apart {

namespace {

using namespace std::chrono_literals;

constexpr Duration longest_silence = 3s;  // a dozen of the sink's signs of life

/// How long an ACK may take: a lost frame's timer, the way, and a delayed ACK's timer.
Duration round_trip(const plan::TransportPlan& transport) {
    const flow::AckSpec& ack = transport.ack;
    const Duration held =
        std::max(ack.delay.value_or(Duration{0}), ack.delay_max.value_or(Duration{0}));
    return transport.sender.recovery.timeout + transport.rtt + held + ack.path_delay;
}

}  // namespace

Pulse::Pulse(const plan::TrialPlan& plan, Time now)
    : closed_(plan.transport.has_value()), patience_(longest_silence), silent_since_(now) {
    if (plan.transport) {
        const flow::AckSpec& ack = plan.transport->ack;
        const std::uint64_t flows = std::uint64_t{plan.gen.queues} * plan.frames.flows;
        frames_unasked_ = flows * std::max<std::uint64_t>(
                                      ack.every_frames.value_or(1), ack.above_bytes.value_or(0)
                                  );  // of a byte at least
        patience_ += 2 * round_trip(*plan.transport);
    }
}

/// A frame that is sent again is answered at once, as are enough others.
Pulse::Sign Pulse::sign_of(const trial::Snapshot& counts) {
    std::uint64_t acks = 0;
    std::uint64_t accepted = 0;
    std::uint64_t retransmitted = 0;
    for (const auto& core : counts.gen) {
        acks += core.total.transport.acks_received;
        retransmitted += core.total.transport.retransmitted;
        accepted += core.total.frames_accepted;
    }
    if (acks != acks_) {
        acks_ = acks;
        accepted_ = accepted;
        retransmitted_ = retransmitted;
        return Sign::alive;
    }
    const bool asked = retransmitted != retransmitted_ || accepted - accepted_ > frames_unasked_;
    return asked ? Sign::none : Sign::unknown;
}

std::optional<Duration> Pulse::look(const trial::Snapshot& counts, Sign sign, Time now) {
    if ((closed_ ? sign_of(counts) : sign) != Sign::none) {
        silent_since_ = now;
    }
    const Duration silent = now - silent_since_;
    return silent > patience_ ? std::optional(silent) : std::nullopt;
}

}  // namespace gensink::apart
