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

namespace gensink::trial::detail {

namespace {

using counters::TxCause;
using counters::TxCounts;
using Causes = std::array<std::uint64_t, counters::tx_causes>;

constexpr Duration sink_patience = std::chrono::seconds(1);
constexpr Duration generator_patience = std::chrono::seconds(2);

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

std::optional<Reason> link_down(const Snapshot& counts) {
    if (counts.gen_link_up != false && counts.sink_link_up != false) {
        return std::nullopt;
    }
    return Reason{
        ReasonCode::link_down,
        Severity::invalid,
        fmt::format(
            "the link of the {} is down", counts.gen_link_up == false ? "generator" : "sink"
        ),
        "check the cable, the peer, and `ip link`"};
}

std::optional<Reason> Watch::look(const Snapshot& counts, Duration sent_for) {
    if (auto down = link_down(counts)) {
        return down;
    }
    if (auto sink = look_at_sink(counts, sent_for)) {
        return sink;
    }
    return look_at_generator(counts, sent_for);
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

std::optional<Reason> Watch::look_at_generator(const Snapshot& counts, Duration sent_for) {
    const std::uint64_t accepted = total_sum(counts.gen, &TxCounts::frames_accepted);
    if (accepted != accepted_ || plan_.intended_fps) {
        accepted_ = accepted;
        causes_at_move_ = causes(counts);
        moved_at_ = sent_for;  // a paced generator may have nothing to send yet
    }
    const Duration patience = generator_patience + loop_time(plan_);
    if (sent_for - moved_at_ < patience) {
        return std::nullopt;
    }
    return stuck(counts, accepted, main_cause(causes(counts), causes_at_move_), patience);
}

}  // namespace gensink::trial::detail
