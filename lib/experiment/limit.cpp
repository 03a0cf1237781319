// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/limit.hpp"

#include "experiment/detail/text.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

namespace gensink::experiment::detail {

namespace {

/// Enforced line rates are met this closely by a saturated link.
constexpr double line_tolerance_ratio = 0.005;
/// A sink whose empty polls take less than this share of its ticks is never idle.
constexpr double occupied_polling_ratio = 0.02;
/// A generator that sends for this share of its ticks has no time left.
constexpr double busy_sending_ratio = 0.98;

std::optional<double> value_of(std::string_view metric, const trial::TrialResult& trial) {
    const trial::Metric* known = trial::find_metric(metric);
    return known == nullptr ? std::nullopt : known->value(trial);
}

std::string share_text(const std::optional<double>& ratio) {
    return ratio ? percent(*ratio) : "an unknown share";
}

struct Seen {
    std::uint64_t missed = 0;
    std::uint64_t refused = 0;
    std::optional<double> polling;
    std::optional<double> sending;
};

std::string unknown_text(const Seen& seen, const std::optional<double>& line_ratio) {
    std::string text = fmt::format(
        "sending took {} of the generator's ticks, empty polls {} of the sink's, {} frames were "
        "refused",
        share_text(seen.sending),
        share_text(seen.polling),
        seen.refused
    );
    if (line_ratio && *line_ratio > 1.0 + line_tolerance_ratio) {
        text +=
            fmt::format("; at {} of the line rate the link enforces none", percent(*line_ratio));
    }
    return text;
}

}  // namespace

std::optional<double> line_bps(const plan::TrialPlan& plan, const trial::TrialResult& trial) {
    if (trial.opened.gen_link_bps) {
        return static_cast<double>(*trial.opened.gen_link_bps);
    }
    if (trial.counts.gen_link.bps) {
        return static_cast<double>(*trial.counts.gen_link.bps);  // the link came up later
    }
    return plan.line_bps;
}

Limit find_limit(const plan::TrialPlan& plan, const trial::TrialResult& at_max) {
    const Seen seen{
        .missed = at_max.counts.sink_device.rx_missed.value_or(0) +
                  at_max.counts.sink_kernel.socket_dropped.value_or(0),
        .refused = at_max.ledger.refused,
        .polling = value_of("rx.polling_ratio", at_max),
        .sending = value_of("tx.sending_ratio", at_max),
    };
    Limit limit;
    const auto line = line_bps(plan, at_max);
    const auto offered_bps = value_of("tx.bps_l1", at_max);
    if (line && *line > 0.0 && offered_bps) {
        limit.line_ratio = *offered_bps / *line;
    }
    if (limit.line_ratio && std::abs(*limit.line_ratio - 1.0) <= line_tolerance_ratio) {
        limit.name = "link";
        limit.evidence =
            fmt::format("offered {} of the line rate at layer 1", percent(*limit.line_ratio));
    } else if (seen.missed > 0) {
        limit.name = "sink";
        limit.evidence = fmt::format("the sink's device missed {} frames", seen.missed);
    } else if (seen.refused > 0 && seen.polling && *seen.polling < occupied_polling_ratio) {
        limit.name = "sink";
        limit.evidence = fmt::format(
            "the wire refused {} frames, and the sink's polls were never empty ({} of its ticks)",
            seen.refused,
            percent(*seen.polling)
        );
    } else if (seen.refused == 0 && seen.sending && *seen.sending >= busy_sending_ratio) {
        limit.name = "generator CPU";
        limit.evidence = fmt::format(
            "sending took {} of the generator's ticks and no frame was refused; not proven, since "
            "no "
            "trial with another core was made",
            percent(*seen.sending)
        );
    } else {
        limit.name = "unknown";
        limit.evidence = unknown_text(seen, limit.line_ratio);
    }
    return limit;
}

}  // namespace gensink::experiment::detail
