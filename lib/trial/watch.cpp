// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/watch.hpp"

#include "trial/detail/checks.hpp"
#include "trial/detail/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

namespace gensink::trial::detail {

namespace {

using counters::TxCause;
using counters::TxCounts;
using Causes = std::array<std::uint64_t, counters::tx_causes>;

constexpr Duration sink_patience = std::chrono::seconds(1);
constexpr Duration generator_patience = std::chrono::milliseconds(1600);  // and a look: below 2 s
constexpr Duration patience_at_end = std::chrono::milliseconds(500);

Causes causes(const Snapshot& counts) {
    Causes sums{};
    for (const auto& core : counts.gen) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += core.total.cause_ticks[i];
        }
    }
    return sums;
}

/// What the generator's cores have spent most of their time on since.
TxCause main_cause(const Causes& now, const Causes& since) {
    Causes spent{};
    std::ranges::transform(now, since, spent.begin(), std::minus<>());
    return static_cast<TxCause>(std::distance(spent.begin(), std::ranges::max_element(spent)));
}

/// A closed loop may rightly be silent until its timer fires, and until an ACK comes back.
Duration loop_time(const plan::TrialPlan& plan) {
    if (!plan.transport) {
        return Duration{0};
    }
    const flow::AckSpec& ack = plan.transport->ack;
    const Duration held =
        std::max(ack.delay.value_or(Duration{0}), ack.delay_max.value_or(Duration{0}));
    return 2 * (plan.transport->sender.recovery.timeout + plan.transport->rtt + held);
}

std::string end_name(const char* end, const plan::EndPlan& plan) {
    const std::string& device = plan.device_written.empty() ? plan.device : plan.device_written;
    return fmt::format("{} ({})", end, device.empty() ? "cable" : device);
}

std::string when(const Moment& moment) {
    const double into = seconds(moment.in_phase);
    switch (moment.phase) {
    case counters::Phase::settle:
        return "";
    case counters::Phase::warmup:
        return fmt::format(", {:.1f} s into the warm-up", into);
    case counters::Phase::measure:
        return fmt::format(", {:.1f} s into the measure phase", into);
    case counters::Phase::drain:
        break;
    }
    return ", after the measure phase";
}

/// Core of a queue, as text; a plan has one for each.
std::string core_of(const plan::EndPlan& end, std::uint16_t queue) {
    for (const plan::CorePlan& core : end.cores) {
        if (std::ranges::find(core.queues, queue, &QueueId::value) != core.queues.end()) {
            return fmt::format("lcore {}, cpu {}", core.lcore.value, core.cpu.value);
        }
    }
    return "core unknown";
}

/// Send calls of the core that serves a queue.
std::uint64_t calls_of(const plan::EndPlan& end, const Snapshot& counts, std::uint16_t queue) {
    for (std::size_t i = 0; i < std::min(end.cores.size(), counts.gen.size()); ++i) {
        const auto& queues = end.cores[i].queues;
        if (std::ranges::find(queues, queue, &QueueId::value) != queues.end()) {
            return counts.gen[i].total.send_calls;
        }
    }
    return 0;
}

Reason stuck_queue(
    const plan::TrialPlan& plan, const Snapshot& counts, const StreamReport& stream, Duration since
) {
    const QueueReport& queue = stream.queue;
    const std::string free =
        queue.ring_known != 0 ? fmt::format("{} free", queue.ring_free) : "free: unknown";
    return {
        ReasonCode::queue_stuck,
        Severity::invalid,
        fmt::format(
            "transmit queue {} of the {} is stuck ({}): nothing was accepted for {:.1f} s after {} "
            "frames, and {} wait; its ring has {} descriptors ({}); {} buffers are free in the "
            "pools",
            stream.stream.value,
            end_name("generator", plan.gen),
            core_of(plan.gen, stream.stream.value),
            seconds(since),
            queue.state.accepted,
            queue.state.waiting,
            plan.gen.descriptors,
            free,
            counts.frames_left_in_pool
        ),
        "the peer takes nothing (no receiver, or flow control holds the link), or the queue is "
        "dead: check peer and link, use another queue, restart the device"};
}

Reason stuck(const Snapshot& counts, std::uint64_t accepted, TxCause cause, Duration patience) {
    const std::string message = fmt::format(
        "the generator has sent nothing for {:.0f} s, after {} frames; {} buffers are free",
        seconds(patience),
        accepted,
        counts.frames_left_in_pool
    );
    switch (cause) {
    case TxCause::pool_empty:
        return {
            ReasonCode::pool_empty,
            Severity::invalid,
            message + ", and the pool is empty",
            "the driver gives no buffers back: lower tx.ring, or raise tx.pool"};
    case TxCause::sending:
    case TxCause::ring_full:
        return {
            ReasonCode::sink_limit,
            Severity::invalid,
            message + ", and the transmit ring is full",
            "the peer takes nothing, or the queue is dead: check peer and link, use one queue"};
    case TxCause::window:
        return {
            ReasonCode::transfer_incomplete,
            Severity::invalid,
            message + ", and its windows are full",
            "no ACK comes: the reverse path must carry the sink's frames to the generator's port"};
    case TxCause::pacing:
        break;
    }
    return {
        ReasonCode::generator_limit,
        Severity::invalid,
        message + ", though the ring has room",
        "its thread hangs, perhaps within the driver: see the worker's log"};
}

}  // namespace

std::optional<Reason>
link_down(const plan::TrialPlan& plan, const Snapshot& counts, const Moment& moment) {
    const bool gen = counts.gen_link_up == false;
    const bool sink = counts.sink_link_up == false;
    if (!gen && !sink) {
        return std::nullopt;
    }
    std::string who;
    if (gen) {
        who = end_name("generator", plan.gen);
    }
    if (sink) {
        who += (gen ? ", " : "") + (plan.sink ? end_name("sink", *plan.sink) : "sink");
    }
    return Reason{
        ReasonCode::link_down,
        Severity::invalid,
        fmt::format("the link is down{}: {}", when(moment), who),
        "check the cable, the peer, and `ip link`"};
}

std::optional<Reason> Watch::look(const Snapshot& counts, const Moment& moment) {
    if (auto down = link_down(plan_, counts, moment)) {
        return down;
    }
    if (auto sink = look_at_sink(counts, moment.sent_for)) {
        return sink;
    }
    if (auto queue = look_at_queues(counts, moment.sent_for, generator_patience)) {
        return queue;
    }
    return look_at_generator(counts, moment.sent_for);
}

std::optional<Reason> Watch::look_back(const Snapshot& counts, Duration sent_for) {
    return look_at_queues(counts, sent_for, patience_at_end);
}

/// No pacer, window or finite transfer explains it: what waits has been let through by all. Time in
/// which the queue's thread asked for nothing does not count: it may have lost its core.
std::optional<Reason>
Watch::look_at_queues(const Snapshot& counts, Duration sent_for, Duration patience) {
    queues_.resize(counts.streams.size());
    const Duration since_last = sent_for - looked_at_;
    looked_at_ = sent_for;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        Queue& queue = queues_[i];
        const StreamReport& stream = counts.streams[i];
        const counters::TxQueueState before = std::exchange(queue.state, stream.queue.state);
        const std::uint64_t calls = calls_of(plan_.gen, counts, stream.stream.value);
        const bool asked = std::exchange(queue.calls, calls) != calls;
        if (queue.state.waiting == 0 || before.waiting == 0 ||
            queue.state.accepted != before.accepted) {
            queue.refused_for = Duration{0};
        } else if (asked) {
            queue.refused_for += since_last;
        }
        if (queue.refused_for >= patience) {
            return stuck_queue(plan_, counts, stream, queue.refused_for);
        }
    }
    return std::nullopt;
}

std::optional<Reason> Watch::look_at_sink(const Snapshot& counts, Duration sent_for) {
    const std::uint64_t accepted = total_sum(counts.gen, &TxCounts::frames_accepted);
    if (counts.sink.empty() || accepted == 0) {
        return std::nullopt;  // elsewhere it tells at the end
    }
    if (!first_sent_at_) {
        first_sent_at_ = sent_for;  // at a low load they may have left just now
    }
    const Duration rtt = plan_.transport ? plan_.transport->rtt : Duration{0};
    if (sent_for - *first_sent_at_ < sink_patience + rtt || !saw_nothing(counts)) {
        return std::nullopt;
    }
    return sink_saw_nothing(plan_, accepted);
}

/// A paced generator may have nothing to send yet. One without buffers has.
bool Watch::may_be_silent(const Snapshot& counts) const {
    return plan_.intended_fps && main_cause(causes(counts), causes_at_move_) != TxCause::pool_empty;
}

std::optional<Reason> Watch::look_at_generator(const Snapshot& counts, Duration sent_for) {
    const std::uint64_t accepted = total_sum(counts.gen, &TxCounts::frames_accepted);
    if (accepted != accepted_ || may_be_silent(counts)) {
        accepted_ = accepted;
        causes_at_move_ = causes(counts);
        moved_at_ = sent_for;
    }
    const Duration patience = generator_patience + loop_time(plan_);
    if (sent_for - moved_at_ < patience) {
        return std::nullopt;
    }
    return stuck(counts, accepted, main_cause(causes(counts), causes_at_move_), patience);
}

}  // namespace gensink::trial::detail
