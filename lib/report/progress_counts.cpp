// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/names.hpp"
#include "report/progress.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace gensink::report {

namespace {

template <class Reports, class Member>
[[nodiscard]] std::uint64_t total_of(const Reports& cores, Member member) {
    std::uint64_t sum = 0;
    for (const auto& core : cores) {
        sum += core.total.*member;
    }
    return sum;
}

/// What a count rose by; absent where it did not, or is not one trial's.
template <class Reports, class Member>
[[nodiscard]] std::optional<double> rise(const Reports& before, const Reports& now, Member member) {
    const std::uint64_t old = total_of(before, member);
    const std::uint64_t fresh = total_of(now, member);
    return fresh >= old ? std::optional(static_cast<double>(fresh - old)) : std::nullopt;
}

[[nodiscard]] std::optional<double>
per(std::optional<double> value, std::optional<double> base, double factor = 1) {
    return value && base && *base > 0 ? std::optional(*value * factor / *base) : std::nullopt;
}

/// Calls that moved frames: the histogram's first place counts those that moved none.
[[nodiscard]] std::uint64_t
moving_calls(const std::vector<trial::CoreReport<counters::SinkCounts>>& cores) {
    std::uint64_t calls = 0;
    for (const auto& core : cores) {
        for (std::size_t i = 1; i < core.total.burst_received.size(); ++i) {
            calls += core.total.burst_received.at(i);
        }
    }
    return calls;
}

template <class Counts, std::size_t N>
void add_shares(
    ProgressState& state,
    const char* end,
    const std::vector<trial::CoreReport<Counts>>& before,
    const std::vector<trial::CoreReport<Counts>>& now,
    const std::array<const char*, N>& names
) {
    for (std::size_t i = 0; i < now.size(); ++i) {
        CoreShares core{fmt::format("{} core {}", end, now[i].lcore.value), {}};
        std::array<double, N> ticks{};
        double all = 0;
        for (std::size_t cause = 0; cause < N; ++cause) {
            const std::uint64_t old = i < before.size() ? before[i].total.cause_ticks.at(cause) : 0;
            const std::uint64_t fresh = now[i].total.cause_ticks.at(cause);
            ticks.at(cause) = fresh > old ? static_cast<double>(fresh - old) : 0;
            all += ticks.at(cause);
        }
        for (std::size_t cause = 0; cause < N && all > 0; ++cause) {
            core.shares.emplace_back(names.at(cause), ticks.at(cause) / all);
        }
        if (all > 0) {
            state.cores.push_back(std::move(core));
        }
    }
}

}  // namespace

void add_counts(
    ProgressState& state,
    const trial::Snapshot& before,
    const trial::Snapshot& now,
    Duration between,
    bool stream
) {
    using counters::SinkCounts;
    using counters::TxCounts;
    const double seconds = std::chrono::duration<double>(between).count();
    const auto sent =
        rise(before.gen, now.gen, stream ? &TxCounts::payload_bytes : &TxCounts::frames_accepted);
    const auto got = rise(before.sink, now.sink, &SinkCounts::frames);
    if (seconds <= 0 || !sent || !got || *sent == 0) {
        return;
    }
    state.offered_bps = per(rise(before.gen, now.gen, &TxCounts::payload_bytes), seconds, 8);
    add_shares(state, "gen", before.gen, now.gen, detail::tx_cause_names);
    add_shares(state, "sink", before.sink, now.sink, detail::sink_cause_names);
    const bool hears = !now.sink.empty();
    if (hears) {
        state.received_bps =
            per(rise(before.sink, now.sink, &SinkCounts::payload_bytes), seconds, 8);
    }
    if (stream) {
        return;
    }
    const auto calls = rise(before.gen, now.gen, &TxCounts::send_calls);
    state.offered_fps = per(sent, seconds);
    state.burst_asked = per(rise(before.gen, now.gen, &TxCounts::frames_asked), calls);
    state.burst_accepted = per(sent, calls);
    if (hears) {
        state.received_fps = per(got, seconds);
        const std::uint64_t moving = moving_calls(now.sink) - moving_calls(before.sink);
        state.burst_received = per(got, static_cast<double>(moving));
        state.unseen = static_cast<std::int64_t>(total_of(now.gen, &TxCounts::frames_accepted)) -
                       static_cast<std::int64_t>(total_of(now.sink, &SinkCounts::frames));
    }
}

TrialOutcome outcome_of(
    const trial::TrialResult& trial, std::vector<std::pair<std::string, std::string>> point
) {
    const auto value = [&](const char* metric) {
        const trial::Metric* found = trial::find_metric(metric);
        return found != nullptr ? found->value(trial) : std::nullopt;
    };
    TrialOutcome outcome;
    outcome.arm = trial.arm;
    outcome.point = std::move(point);
    outcome.complete = trial.complete;
    outcome.valid = trial.valid();
    outcome.offered_fps = value("tx.fps");
    outcome.received_fps = value("rx.fps");
    outcome.received_bps = value("rx.bps_payload");
    if (trial.complete && trial.ledger.has_sink) {
        outcome.lost = trial.ledger.lost;
    }
    return outcome;
}

}  // namespace gensink::report
