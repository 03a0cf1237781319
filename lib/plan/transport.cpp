// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/transport.hpp"

#include "plan/detail/kernel.hpp"
#include "plan/detail/recipe.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

/// Frames that one flow, and that all flows of a generator, may have outstanding: each has a
/// record.
constexpr std::uint32_t max_flow_records = 65536;
constexpr std::uint32_t max_records = 1U << 22U;
constexpr std::uint32_t least_flow_records = 64;

bool is(const Settings& settings, profile::KeyOf<std::string> key, std::string_view value) {
    return settings.get(key) == value;
}

std::uint32_t number(const Settings& settings, profile::KeyOf<std::uint64_t> key) {
    return static_cast<std::uint32_t>(settings.get(key));
}

std::uint64_t flows_of(const TrialPlan& trial) {
    return std::uint64_t{trial.frames.flows} * trial.gen.queues;
}

flow::WindowSpec make_window(const Settings& settings) {
    flow::WindowSpec window;
    window.limit_bytes = settings.find<std::uint64_t>("window.limit");
    window.reserve_bytes = settings.get<std::uint64_t>("window.reserve");
    window.accounting = is(settings, "window.accounting", "payload") ? flow::Accounting::payload
                        : is(settings, "window.accounting", "frame") ? flow::Accounting::frame
                                                                     : flow::Accounting::truesize;
    window.truesize_bytes = number(settings, "window.truesize");
    window.admit = is(settings, "window.admit", "while_below") ? flow::Admit::while_below
                                                               : flow::Admit::must_fit;
    window.wake_ratio = settings.get<double>("window.wake");
    return window;
}

flow::CongestionSpec make_congestion(const Settings& settings, std::uint32_t frame_payload) {
    flow::CongestionSpec congestion;
    congestion.on = is(settings, "congestion.window", "on");
    congestion.initial_frames = number(settings, "congestion.initial");
    congestion.growth = settings.get<double>("congestion.growth");
    if (const auto bytes = settings.find<std::uint64_t>("congestion.ssthresh")) {
        const std::uint64_t frames = (*bytes + frame_payload - 1) / frame_payload;
        congestion.ssthresh_frames =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(frames, max_flow_records));
    }
    return congestion;
}

/// Blocks of each flow; absent where the measure phase ends the trial.
std::optional<std::uint64_t>
blocks_of(const Settings& settings, const TrialPlan& trial, const flow::BlockCut& block) {
    if (settings.find<std::uint64_t>("transfer.object_size")) {
        return settings.get<std::uint64_t>("transfer.repetitions");
    }
    const auto total = settings.find<std::uint64_t>("transfer.total");
    if (!total) {
        return std::nullopt;
    }
    const std::uint64_t each = flows_of(trial) * block.bytes();
    return (*total + each - 1) / each;
}

/// Records for each flow: what its window admits, within what all flows together may have.
std::uint32_t outstanding_of(
    const flow::SenderSpec& sender,
    const TrialPlan& trial,
    const Settings& settings,
    Problems& problems
) {
    const auto cap = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
        max_records / std::max<std::uint64_t>(flows_of(trial), 1),
        least_flow_records,
        max_flow_records
    ));
    const std::uint32_t frames = flow::most_frames_admitted(sender, cap + 1);
    if (frames == 0) {
        const std::uint64_t limit = *sender.window.limit_bytes;
        problems.add(
            settings.where("window.limit"),
            fmt::format(
                "no frame fits the window: of {} B, {} B are kept back by window.reserve, and a "
                "frame is charged {} B; raise window.limit, or send smaller frames",
                limit,
                std::min(limit, sender.window.reserve_bytes),
                flow::charge(sender.window, sender.block.bytes_of(0), sender.header_bytes)
            )
        );
        return 1;
    }
    if (frames > cap && sender.window.limit_bytes) {
        problems.add(
            settings.where("window.limit"),
            fmt::format(
                "the window admits more than {} frames in each of {} flows, which is all that can "
                "be kept track of: lower window.limit, or traffic.flows, or leave window.limit out",
                cap,
                flows_of(trial)
            )
        );
    }
    return std::min(frames, cap);
}

flow::SenderSpec make_sender(const Settings& settings, const TrialPlan& trial, Problems& problems) {
    flow::SenderSpec sender;
    sender.block = make_block(settings, problems);
    sender.header_bytes = trial.frames.header_bytes;
    sender.window = make_window(settings);
    sender.congestion = make_congestion(settings, std::max(payload_room(settings), 1U));
    sender.recovery.policy = is(settings, "recovery.policy", "give_up")
                                 ? flow::Recovery::give_up
                                 : flow::Recovery::retransmit;
    sender.recovery.timeout = settings.get<Duration>("recovery.timeout");
    sender.sequential = settings.find<std::uint64_t>("transfer.object_size").has_value();
    sender.connect = is(settings, "transfer.connect", "per_object");
    sender.blocks = blocks_of(settings, trial, sender.block);
    sender.max_outstanding = outstanding_of(sender, trial, settings, problems);
    return sender;
}

flow::AckSpec make_ack(const Settings& settings, Problems& problems) {
    const profile::Names policy =
        settings.find<profile::Names>("ack.policy").value_or(profile::Names{"immediate"});
    const auto has = [&](std::string_view rule) {
        return std::ranges::find(policy, rule) != policy.end();
    };
    flow::AckSpec ack;
    if (has("every_n")) {
        ack.every_frames = number(settings, "ack.every");
    }
    if (has("immediate")) {
        ack.every_frames = 1;
    }
    if (has("bytes_over")) {
        ack.above_bytes = settings.get<std::uint64_t>("ack.bytes");
    }
    if (!has("delayed")) {
        return ack;
    }
    ack.delay = settings.get<Duration>("ack.delay");
    ack.delay_max = settings.find<Duration>("ack.delay_max");
    if (ack.delay_max && *ack.delay_max < *ack.delay) {
        problems.add(
            settings.where("ack.delay_max"),
            fmt::format(
                "{} is below ack.delay, {}: the delay adapts between both, ack.delay the shorter",
                settings.at("ack.delay_max").text,
                settings.at("ack.delay").text
            )
        );
    }
    return ack;
}

/// Keys of a transfer that contradict each other.
void check_transfer(const Settings& settings, const TransportPlan& plan, Problems& problems) {
    const bool objects = plan.sender.sequential;
    if (plan.sender.connect && !objects) {
        problems.add(
            settings.where("transfer.connect"),
            "per_object connects for each object, and there is none: set transfer.object_size"
        );
    }
    if (settings.get<std::uint64_t>("transfer.repetitions") > 1 && !objects) {
        problems.add(
            settings.where("transfer.repetitions"),
            "repeats an object, and there is none: set transfer.object_size, or transfer.total for "
            "the bytes of a trial"
        );
    }
    if (objects && settings.find<std::uint64_t>("transfer.total")) {
        problems.add(
            settings.where("transfer.total"),
            "transfer.object_size is set: say with transfer.repetitions how many objects a trial "
            "fetches"
        );
    }
    if (objects && plan.fan_out > 1) {
        problems.add(
            settings.where("transfer.fan_out"),
            "each flow fetches its own objects: fan-out needs traffic.block_size in place of "
            "transfer.object_size"
        );
    }
    if (const auto flows = settings.get<std::uint64_t>("traffic.flows"); plan.fan_out > flows) {
        problems.add(
            settings.where("transfer.fan_out"),
            fmt::format(
                "a block cannot go to {} of {} flows: raise traffic.flows", plan.fan_out, flows
            )
        );
    }
}

/// What the wire must bring back.
void check_ends(const Settings& settings, const TrialPlan& trial, Problems& problems) {
    if (!trial.sink) {
        problems.add(
            settings.where("wire.sink"),
            "the closed loop (window, ack, congestion, transfer) needs a sink that acknowledges: "
            "set wire.sink, or leave these keys out"
        );
    }
    if (trial.wire == WireKind::ports && trial.gen.cores.size() > 1) {
        problems.add(
            settings.where("tx.cores"),
            fmt::format(
                "{} cores: a device may bring an ACK to a core that does not have its flow; set "
                "tx.cores: 1 (several work on the cable only)",
                trial.gen.cores.size()
            )
        );
    }
}

/// Frames at a flow's end that no rule of the sink answers wait for the recovery's timeout.
void warn_of_silence(Cell& cell) {
    const TransportPlan& plan = *cell.trial.transport;
    const bool at_once = plan.ack.every_frames == 1U;
    if (!at_once && !plan.ack.delay) {
        warn(
            cell.warnings,
            fmt::format(
                "ack.policy has no `delayed`: frames that fill neither ack.every nor ack.bytes are "
                "acknowledged only after recovery.timeout ({:g} s), as a loss",
                seconds(plan.sender.recovery.timeout)
            )
        );
    }
}

/// An ACK that takes longer than the sender waits is a loss to it.
void warn_of_early_timeout(Cell& cell) {
    const TransportPlan& plan = *cell.trial.transport;
    const Duration held =
        std::max(plan.ack.delay.value_or(Duration{0}), plan.ack.delay_max.value_or(Duration{0}));
    if (plan.rtt + held >= plan.sender.recovery.timeout) {
        warn(
            cell.warnings,
            fmt::format(
                "an ACK may take {:g} s (path.rtt and ack.delay), and recovery.timeout is {:g} s: "
                "frames that were not lost are sent again; raise recovery.timeout",
                seconds(plan.rtt + held),
                seconds(plan.sender.recovery.timeout)
            )
        );
    }
}

}  // namespace

bool closes_loop(const Settings& settings) {
    if (is_kernel(settings)) {
        return false;  // what sockets do is the kernel's affair
    }
    return settings.find<std::uint64_t>("window.limit") ||
           settings.find<profile::Names>("ack.policy") || is(settings, "congestion.window", "on") ||
           settings.find<std::uint64_t>("transfer.object_size") ||
           settings.find<std::uint64_t>("transfer.total") ||
           settings.get<std::uint64_t>("transfer.fan_out") > 1 ||
           settings.get<std::uint64_t>("transfer.repetitions") > 1 ||
           is(settings, "transfer.connect", "per_object");
}

Outliers outliers_of(const Settings& settings) {
    const std::string& rule = settings.get<std::string>("stats.outliers");
    Outliers outliers;
    outliers.rule = rule == "trim_high"   ? OutlierRule::trim_high
                    : rule == "trim_both" ? OutlierRule::trim_both
                    : rule == "mad"       ? OutlierRule::mad
                                          : OutlierRule::none;
    outliers.trim = number(settings, "stats.trim");
    return outliers;
}

void plan_transport(Cell& cell, const Settings& settings, Problems& problems) {
    if (!closes_loop(settings)) {
        return;
    }
    TrialPlan& trial = cell.trial;
    TransportPlan& plan = trial.transport.emplace();
    plan.sender = make_sender(settings, trial, problems);
    plan.ack = make_ack(settings, problems);
    plan.fan_out = number(settings, "transfer.fan_out");
    plan.rtt = settings.get<Duration>("path.rtt");
    plan.outliers = plan.sender.sequential ? outliers_of(settings) : Outliers{};
    if (trial.wire != WireKind::model && plan.rtt > Duration{0}) {
        plan.ack.path_delay = plan.rtt;
        plan.ack.line_records = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(flows_of(trial) * plan.sender.max_outstanding, max_line_records)
        );
    }
    check_transfer(settings, plan, problems);
    check_ends(settings, trial, problems);
    warn_of_silence(cell);
    warn_of_early_timeout(cell);
}

}  // namespace gensink::plan::detail
