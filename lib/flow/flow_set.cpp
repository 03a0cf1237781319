// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#include "flow/flow_set.hpp"

#include <bit>

namespace gensink::flow {

using counters::FlowCause;

namespace {

std::uint64_t& of(counters::FlowTimes& times, FlowCause cause) {
    return times[static_cast<std::size_t>(cause)];
}

}  // namespace

FlowSet::FlowSet(const FlowSetSpec& spec)
    : rules_(spec.sender, spec.ticks_per_second)
    , fan_out_(spec.fan_out)
    , senders_(spec.flows, Sender(rules_))
    , clocks_(spec.fan_out > 1 ? 1 : spec.flows)
    , at_measure_(spec.flows)
    , ready_((spec.flows + 63) / 64, 0)
    , is_done_(spec.flows, false)
    , at_(spec.flows - 1)
    , block_times_(spec.kept_block_times)
    , tally_{counts, latencies_, block_times_, spec.paced} {
    measured_.flows.resize(spec.flows);
    measured_.block_times = block_times_;
    for (std::uint32_t i = 0; i < spec.flows && !one_writer(); ++i) {
        set_ready(i, true);
    }
}

void FlowSet::set_ready(std::uint32_t flow, bool ready) {
    const std::uint64_t bit = std::uint64_t{1} << (flow & 63);
    std::uint64_t& word = ready_[flow >> 6];
    word = ready ? word | bit : word & ~bit;
}

/// Moves at_ to the next flow after it whose bit is set; false: none is.
bool FlowSet::next_ready() {
    const std::size_t words = ready_.size();
    const std::uint32_t from = at_ + 1 == senders_.size() ? 0 : at_ + 1;
    std::size_t word = from >> 6;
    std::uint64_t bits = ready_[word] & (~std::uint64_t{0} << (from & 63));
    for (std::size_t looked = 0; looked <= words; ++looked) {
        if (bits != 0) {
            at_ = static_cast<std::uint32_t>(word * 64) +
                  static_cast<std::uint32_t>(std::countr_zero(bits));
            return true;
        }
        word = word + 1 == words ? 0 : word + 1;
        bits = ready_[word];
    }
    return false;
}

/// The flow whose frame is next, as at_; null: all are blocked or have nothing to send.
Sender* FlowSet::choose(std::uint64_t now) {
    if (one_writer()) {
        return choose_in_turn(now);
    }
    while (next_ready()) {
        if (senders_[at_].admits(rules_)) {
            return &senders_[at_];
        }
        set_ready(at_, false);
        block(at_, now);
    }
    return nullptr;
}

Sender* FlowSet::choose_in_turn(std::uint64_t now) {
    while (next_ready()) {
        if (senders_[at_].resends()) {
            return &senders_[at_];
        }
        set_ready(at_, false);
    }
    at_ = writer_;
    if (senders_[at_].admits(rules_)) {
        return &senders_[at_];
    }
    block(at_, now);
    return nullptr;
}

void FlowSet::block(std::uint32_t flow, std::uint64_t now) {
    senders_[flow].block();
    Clocked& blocked = clock(flow);
    if (!blocked.blocked) {
        end_span(blocked, now, 0);
        blocked.blocked = true;
    }
}

void FlowSet::unblock(std::uint32_t flow, std::uint64_t held, std::uint64_t now) {
    Clocked& freed = clock(flow);
    if (freed.blocked && (!one_writer() || flow == writer_)) {
        end_span(freed, now, held);
        freed.blocked = false;
        freed.held_last = held;
    }
}

/// Charges the span from clock.since to `now`. Of a blocked span, what the sink's timer held the
/// ACK back is the timer's, the rest the window's.
void FlowSet::end_span(Clocked& clock, std::uint64_t now, std::uint64_t held) {
    const std::uint64_t span = now - clock.since;
    counters::FlowTimes spent{};
    if (clock.blocked) {
        const std::uint64_t timer = std::min(span, held);
        of(spent, FlowCause::ack_timer) = timer;
        of(spent, FlowCause::window) = span - timer;
    } else {
        const std::uint64_t ring = core.ring - clock.core.ring;
        const std::uint64_t pacing = core.pacing - clock.core.pacing;
        const std::uint64_t pool = core.pool - clock.core.pool;
        of(spent, FlowCause::ring) = ring;
        of(spent, FlowCause::pacing) = pacing;
        of(spent, FlowCause::pool) = pool;
        of(spent, FlowCause::cpu) = span - std::min(span, ring + pacing + pool);
    }
    const std::uint64_t sharing = one_writer() ? senders_.size() : 1;
    for (std::size_t i = 0; i < spent.size(); ++i) {
        clock.times[i] += spent[i];
        counts.flow_ticks[i] += spent[i] * sharing;
    }
    clock.since = now;
    clock.core = core;
}

/// After something changed for a flow.
void FlowSet::look_again(std::uint32_t flow, std::uint64_t held, std::uint64_t now) {
    const Sender& sender = senders_[flow];
    deadline_ = std::min(deadline_, sender.deadline());
    if (sender.is_finished(rules_) && !is_done_[flow]) {
        is_done_[flow] = true;
        ++finished_;
        unblock(flow, held, now);
    } else if (sender.admits(rules_)) {
        set_ready(flow, !one_writer() || sender.resends());
        unblock(flow, held, now);
    }
}

void FlowSet::acknowledge(const Ack& ack, std::uint64_t now, std::uint64_t came) {
    ++counts.acks_received;
    if (ack.flow >= senders_.size() || !senders_[ack.flow].acknowledge(rules_, ack, came, tally_)) {
        ++counts.acks_useless;
        return;
    }
    look_again(ack.flow, ack.held, now);
}

void FlowSet::expire(std::uint64_t now) {
    deadline_ = never;
    for (std::uint32_t i = 0; i < senders_.size(); ++i) {
        if (senders_[i].deadline() <= now) {
            senders_[i].expire(rules_, now, tally_);
            look_again(i, 0, now);
        }
        deadline_ = std::min(deadline_, senders_[i].deadline());
    }
}

void FlowSet::settle(std::uint64_t now) {
    for (Clocked& clock : clocks_) {
        if (!begun_) {
            clock.since = now;  // the very start: nothing has passed
            clock.core = core;
        }
        end_span(clock, now, clock.held_last);
    }
    begun_ = true;
}

void FlowSet::start_measuring() {
    for (std::uint32_t i = 0; i < senders_.size(); ++i) {
        const Sender& sender = senders_[i];
        at_measure_[i] = {
            sender.frames_acked, sender.payload_acked, sender.retransmitted, sender.timeouts, {}};
    }
    for (Clocked& clock : clocks_) {
        clock.times = {};
    }
    counts.most_outstanding = 0;
    latencies_ = {};
    block_times_.clear();
}

void FlowSet::end_measuring(std::uint64_t now) {
    settle(now);
    for (std::size_t i = 0; i < senders_.size(); ++i) {
        const Sender& sender = senders_[i];
        const FlowSeen& before = at_measure_[i];
        measured_.flows[i] = {
            sender.frames_acked - before.frames_acked,
            sender.payload_acked - before.payload_acked,
            sender.retransmitted - before.retransmitted,
            sender.timeouts - before.timeouts,
            clocks_[one_writer() ? 0 : i].times};
    }
    measured_.latencies = latencies_;
    if (rules_.plain) {  // every frame is a block
        measured_.latencies.block = latencies_.frame;
        measured_.latencies.block_intended = latencies_.frame_intended;
    }
    measured_.block_times.take(block_times_);
}

}  // namespace gensink::flow
