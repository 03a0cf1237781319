// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/limit.hpp"
#include "experiment/detail/predict.hpp"
#include "experiment/detail/text.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gensink::experiment::detail {

namespace {

/// A link that carries so much of its rate has no more to give.
constexpr double full_link_ratio = 0.97;
/// A sink whose empty polls take less of its time is never idle.
constexpr double busy_sink_polling_ratio = 0.03;
/// Of the frames: fewer drops at the sink's ring change no result.
constexpr double missed_ratio = 0.001;
/// A cause that most of the time was spent on.
constexpr double most_ratio = 0.5;
/// An end of the kernel's sockets that has hardly time to wait.
constexpr double busy_end_ratio = 0.85;
/// Of TCP's busy time. A sender that its window holds back writes in small pieces, which takes it
/// more time than its peer needs: that it is busy, too, makes the window no less the cause.
constexpr double window_ratio = 0.25;

double metric_of(std::string_view metric, const trial::TrialResult& trial) {
    const trial::Metric* known = trial::find_metric(metric);
    return known == nullptr ? 0 : known->value(trial).value_or(0);
}

std::optional<double> maybe(std::string_view metric, const trial::TrialResult& trial) {
    const trial::Metric* known = trial::find_metric(metric);
    return known == nullptr ? std::nullopt : known->value(trial);
}

/// What the generator's time went to, in the limit's terms.
struct Cause {
    const char* limit;
    std::string_view closed;  ///< metric of the flows' time
    std::string_view open;    ///< metric of the core's; empty: an open loop has no such cause
    const char* what;
};

constexpr std::array causes{
    Cause{limits::window, "transfer.window_ratio", "", "window"},
    Cause{limits::ack_timer, "transfer.ack_timer_ratio", "", "ack timer"},
    Cause{limits::link, "transfer.ring_ratio", "tx.ring_full_ratio", "ring"},
    Cause{limits::rate, "transfer.pacing_ratio", "tx.pacing_ratio", "pacing"},
    Cause{limits::unknown, "transfer.pool_ratio", "tx.pool_empty_ratio", "pool"},
    Cause{limits::generator_cpu, "transfer.cpu_ratio", "tx.sending_ratio", "cpu"},
};

struct Share {
    const Cause* cause = nullptr;
    double ratio = 0;
};

/// What most of the time went to.
Share largest_share(const plan::TrialPlan& plan, const trial::TrialResult& trial) {
    Share largest;
    for (const Cause& cause : causes) {
        const std::string_view metric = plan.transport ? cause.closed : cause.open;
        const double ratio = metric.empty() ? 0 : metric_of(metric, trial);
        if (largest.cause == nullptr || ratio > largest.ratio) {
            largest = {&cause, ratio};
        }
    }
    return largest;
}

/// Frames that the sink's ring had no room for, where its counter can be believed.
std::uint64_t missed_frames(const plan::TrialPlan& plan, const trial::TrialResult& trial) {
    const bool known = plan.sink && plan.sink->driver.rx_missed != plan::Trust::absent;
    return known ? trial.counts.sink_device.rx_missed.value_or(0) : 0;
}

/// As much was outstanding as the window admits.
bool was_full(const plan::TrialPlan& plan, const trial::TrialResult& trial) {
    const flow::SenderSpec& sender = plan.transport->sender;
    const double most = metric_of("transfer.outstanding_max", trial);
    return sender.congestion.on || !sender.window.limit_bytes || most == 0 ||
           most >= flow::frames_admitted(sender, sender.max_outstanding);
}

/// All was sent, and its last ACKs were awaited. `used`: of the line rate.
MeasuredLimit never_full(const std::optional<double>& used) {
    return {
        used.value_or(0) > most_ratio ? limits::link : limits::unknown,
        fmt::format(
            "the window was never full: all was sent, and its last ACKs were awaited; {} of the "
            "line rate was used",
            used ? percent(*used) : "an unknown share"
        )};
}

/// What held a connection of the kernel's, by its own account and by what the ends did.
MeasuredLimit tcp_limit(const trial::TrialResult& trial) {
    const double receiver = metric_of("tcp.receive_window_ratio", trial);
    const double sender = metric_of("tcp.send_buffer_ratio", trial);
    const double windows = receiver + sender;
    const double writing = metric_of("tx.sending_ratio", trial);
    const double pacing = metric_of("tx.pacing_ratio", trial);
    const double reading = metric_of("rx.receiving_ratio", trial);
    const std::string spent = fmt::format(
        "of TCP's busy time the receiver's window held back {}, the send buffer {}; the sender "
        "spent {} of its time writing, the receiver {} reading; {} of the segments were sent again",
        percent(receiver),
        percent(sender),
        percent(writing),
        percent(reading),
        percent(metric_of("tcp.retransmit_ratio", trial))
    );
    return {
        pacing > most_ratio        ? limits::rate
        : reading > busy_end_ratio ? limits::sink_cpu
        : windows > window_ratio   ? limits::window
        : writing > busy_end_ratio ? limits::generator_cpu
                                   : limits::link,
        spent};
}

/// Most of the time went to what no other evidence can outweigh.
bool is_plain(const Share& most) {
    return most.ratio > most_ratio &&
           (most.cause->limit == limits::ack_timer || most.cause->limit == limits::rate);
}

}  // namespace

MeasuredLimit measured_limit(const plan::TrialPlan& plan, const trial::TrialResult& trial) {
    if (plan.is_tcp()) {
        return tcp_limit(trial);
    }
    const std::uint64_t missed = missed_frames(plan, trial);
    if (static_cast<double>(missed) > missed_ratio * static_cast<double>(trial.ledger.accepted)) {
        // Without a window nothing holds the generator back: the sink itself is too slow.
        return {
            plan.transport ? limits::sink_ring : limits::sink_cpu,
            fmt::format(
                "the sink's ring lacked room for {} of {} frames", missed, trial.ledger.accepted
            )};
    }
    const Share most = largest_share(plan, trial);
    const std::string spent = fmt::format(
        "{} of the {} time went to {}",
        percent(most.ratio),
        plan.transport ? "flows'" : "generator's",
        most.cause->what
    );
    if (is_plain(most)) {
        return {most.cause->limit, spent};
    }
    const auto line = line_bps(plan, trial);
    const double used = line ? metric_of("tx.bps_l1", trial) / *line : 0;
    if (used >= full_link_ratio) {
        return {
            limits::link, fmt::format("{} of the line rate was used; {}", percent(used), spent)};
    }
    const auto polling = maybe("rx.polling_ratio", trial);
    if (polling && *polling < busy_sink_polling_ratio) {
        return {
            limits::sink_cpu,
            fmt::format("the sink was idle for {} of its time; {}", percent(*polling), spent)};
    }
    if (most.cause->limit == limits::window && !was_full(plan, trial)) {
        return never_full(line ? std::optional(used) : std::nullopt);
    }
    return {most.cause->limit, spent};
}

}  // namespace gensink::experiment::detail
