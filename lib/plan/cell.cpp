// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/cell.hpp"

#include "plan/detail/ends.hpp"
#include "plan/detail/kernel.hpp"
#include "plan/detail/memory.hpp"
#include "plan/detail/model.hpp"
#include "plan/detail/payload.hpp"
#include "plan/detail/recipe.hpp"
#include "plan/detail/transport.hpp"
#include "plan/make.hpp"
#include "profile/keys.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

/// What a measure phase that the profile leaves open lasts at most.
constexpr Duration open_measure{1'000'000'000};
constexpr Duration transfer_cap{60'000'000'000};
constexpr Duration model_transfer_cap{3600'000'000'000};

constexpr std::array<std::string_view, 5> thresholds{
    "tx.rs_thresh", "tx.free_thresh", "tx.pthresh", "tx.hthresh", "tx.wthresh"};

void plan_phases(TrialPlan& trial, const Settings& settings) {
    const Duration gen = trial.gen.driver.settle;
    const Duration sink = trial.sink ? trial.sink->driver.settle : Duration{0};
    trial.phases.settle = settings.find<Duration>("run.settle").value_or(std::max(gen, sink));
    trial.phases.warmup = settings.get<Duration>("run.warmup");
    const bool finite = trial.transport && trial.transport->finite();
    if (finite) {
        trial.phases.warmup = Duration{0};  // a transfer is measured from its first frame on
    }
    const Duration open = !finite                         ? open_measure
                          : trial.wire == WireKind::model ? model_transfer_cap
                                                          : transfer_cap;
    trial.phases.measure = settings.find<Duration>("run.measure").value_or(open);
    trial.phases.quiet = settings.get<Duration>("run.quiet");
    trial.phases.drain_cap = settings.get<Duration>("run.drain_cap");
    if (trial.wire == WireKind::model) {
        // Frames may be under way for a whole round trip while nothing arrives.
        const Duration rtt = settings.get<Duration>("path.rtt");
        trial.phases.quiet += rtt;
        trial.phases.drain_cap += 2 * rtt;
    }
    trial.validity.turn_limit = settings.get<Duration>("run.turn_limit");
    trial.validity.run_delay_ratio = settings.get<double>("validity.run_delay");
    trial.validity.clock_ratio = settings.get<double>("validity.clock");
    trial.validity.offered_ratio = settings.get<double>("validity.offered");
    trial.validity.burst_ratio = settings.get<double>("validity.burst");
}

FaultPlan plan_fault(const Settings& settings) {
    const auto value = [&](profile::KeyOf<std::uint64_t> path) {
        return static_cast<std::uint32_t>(settings.get(path));
    };
    FaultPlan fault;
    fault.drop_every = value("sink.fault.drop_every");
    fault.duplicate_every = value("sink.fault.duplicate_every");
    fault.reorder_every = value("sink.fault.reorder_every");
    fault.reorder_depth = value("sink.fault.reorder_depth");
    fault.corrupt_every = value("sink.fault.corrupt_every");
    fault.foreign_every = value("sink.fault.foreign_every");
    fault.slow_ticks = value("sink.fault.slow");
    return fault;
}

void warn_above_line(Cell& cell) {
    const TrialPlan& trial = cell.trial;
    if (!trial.line_bps || !trial.intended_fps) {
        return;
    }
    const double line = wire::line_fps(*trial.line_bps, trial.mean_frame_bytes());
    // A load written as the line's own rate may round to a little more.
    if (*trial.intended_fps > 1.0001 * line) {
        warn(
            cell.warnings,
            fmt::format(
                "the load of {:.6g} fps is above the {:.6g} fps that a line of {:.4g} bit/s "
                "carries "
                "in frames of {:.4g} B: less will be offered than intended, and the trials will "
                "be INVALID; lower traffic.load, or set wire.line_rate",
                *trial.intended_fps,
                line,
                *trial.line_bps,
                trial.mean_frame_bytes()
            )
        );
    }
}

/// Rate of the link at layer 1, if anything tells it.
std::optional<double> line_of(const TrialPlan& trial, const Device& gen, const Settings& settings) {
    std::optional<double> line = settings.find<double>("wire.line_rate");
    if (!line && trial.gen.driver.line_bps) {
        line = static_cast<double>(*trial.gen.driver.line_bps);
    }
    if (!line && gen.nic != nullptr && gen.nic->speed_bps) {
        line = static_cast<double>(*gen.nic->speed_bps);
    }
    return line;
}

/// Load and pacing; the line must be known.
void plan_load(Cell& cell, const Settings& settings, Problems& problems) {
    TrialPlan& trial = cell.trial;
    trial.load = settings.get<flow::Load>("traffic.load");
    trial.fill = settings.get<std::string>("tx.fill") == "due" ? flow::Fill::due : flow::Fill::full;
    trial.flush_after = settings.find<Duration>("tx.flush_after").value_or(Duration{0});
    trial.behind = settings.get<std::string>("tx.behind") == "skip" ? flow::Behind::skip
                                                                    : flow::Behind::catch_up;
    const auto fps = intended_fps(
        trial.load, trial.mean_frame_bytes(), trial.mean_payload_bytes(), trial.line_bps
    );
    if (!fps) {
        problems.add(settings.where("traffic.load"), fps.error().message);
        return;
    }
    trial.intended_fps = *fps;
    warn_above_line(cell);
    if (!trial.intended_fps || trial.fill != flow::Fill::full || trial.flush_after.count() > 0) {
        return;
    }
    const double fill_s = trial.gen.burst * trial.gen.queues / *trial.intended_fps;
    if (fill_s > 0.05 * seconds(trial.phases.measure)) {
        warn(
            cell.warnings,
            fmt::format(
                "a burst of {} takes {:.3g} s to fill at {:.6g} fps: set tx.flush_after, or "
                "tx.fill: due",
                trial.gen.burst,
                fill_s,
                *trial.intended_fps
            )
        );
    }
}

bool is_lossless(const Settings& settings, const Ends& ends) {
    const std::string& written = settings.get<std::string>("wire.lossless");
    return written == "auto" ? ends.lossless() : written == "true";
}

void plan_pools(TrialPlan& trial, const Settings& settings, Problems& problems) {
    trial.gen.pool_frames = static_cast<std::uint32_t>(
        settings.find<std::uint64_t>("tx.pool").value_or(tx_pool_frames(trial))
    );
    if (trial.gen.pool_frames < trial.gen.burst) {
        problems.add(
            settings.where("tx.pool"),
            fmt::format(
                "a pool of {} never holds a burst of {}: leave tx.pool out, or give it {} or more",
                trial.gen.pool_frames,
                trial.gen.burst,
                tx_pool_frames(trial)
            )
        );
    }
    if (trial.sink) {
        trial.sink->pool_frames = static_cast<std::uint32_t>(
            settings.find<std::uint64_t>("sink.pool").value_or(rx_pool_frames(trial, *trial.sink))
        );
    }
}

void advise(Cell& cell, const Settings& settings) {
    const TrialPlan& trial = cell.trial;
    const bool cable = trial.wire == WireKind::cable;
    if (!cable && trial.gen.burst * 4U > trial.gen.descriptors) {
        warn(
            cell.warnings,
            fmt::format(
                "a burst of {} is more than a quarter of the transmit ring of {}: the driver may "
                "reclaim in lumps; raise tx.ring",
                trial.gen.burst,
                trial.gen.descriptors
            )
        );
    }
    if (cable && settings.given("wire.gen")) {
        warn(cell.warnings, "wire.gen and wire.sink are not used on the cable");
    }
    if (cable && std::ranges::any_of(thresholds, [&](auto key) { return settings.given(key); })) {
        warn(
            cell.warnings, fmt::format("{} mean nothing on the cable", fmt::join(thresholds, ", "))
        );
    }
    if (cable && settings.given("sink.ring")) {
        warn(cell.warnings, "sink.ring is not used on the cable, whose one ring is tx.ring");
    }
    if (trial.gen.driver.name == "default") {
        warn(
            cell.warnings,
            fmt::format(
                "{}: no entry of drivers-config fits, so limits and counters are taken with "
                "caution",
                trial.gen.device
            )
        );
    }
    if (const std::uint32_t needed = tx_pool_frames(trial); trial.gen.pool_frames < needed) {
        warn(
            cell.warnings,
            fmt::format(
                "tx.pool of {} may run dry: rings and caches can hold {}",
                trial.gen.pool_frames,
                needed
            )
        );
    }
    if (trial.fault.any()) {
        warn(cell.warnings, "sink.fault plants faults on purpose: this is a test of gensink");
    }
}

void warn_of_unseen_changes(Cell& cell) {
    const TrialPlan& trial = cell.trial;
    if (trial.sink && trial.verify == Verify::full &&
        trial.frames.udp_checksum == UdpChecksum::zero) {
        warn(
            cell.warnings,
            "sink.verify: full sees changed payload by UDP's checksum, which is zero here: only "
            "headers are checked; choose tx.payload: copy_checksum or template, or say "
            "sink.verify: header"
        );
    }
}

/// Keys that only this end heeds.
bool is_own(const profile::KeySpec& key) {
    constexpr std::array<std::string_view, 5> keys{
        "traffic.load", "traffic.direction", "tx.cores", "tx.ring", "tx.pool"};
    return key.path.starts_with("wire.") || key.path.starts_with("host.") ||
           std::ranges::find(keys, key.path) != keys.end() ||
           std::ranges::find(thresholds, key.path) != thresholds.end();
}

/// What a sink elsewhere must know: it plans for its own device and CPUs.
std::vector<std::string> for_peer(const Settings& settings) {
    std::vector<std::string> told;
    const auto keys = profile::keys();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const profile::Setting& setting = settings.at(i);
        if (keys[i].scope == profile::Scope::cell && !is_own(keys[i]) &&
            setting.origin != profile::Origin::fallback) {
            told.push_back(fmt::format("{}={}", keys[i].path, setting.text));
        }
    }
    return told;
}

/// What a cell says before any device is looked at.
Cell begin_cell(const profile::Cell& written, Problems& problems) {
    const Settings& settings = written.settings;
    Cell cell;
    cell.arm = written.arm;
    cell.point = written.point;
    cell.placebo = written.placebo;
    TrialPlan& trial = cell.trial;
    const std::string& kind = settings.get<std::string>("wire.kind");
    trial.wire = kind == "cable"    ? WireKind::cable
                 : kind == "model"  ? WireKind::model
                 : kind == "kernel" ? WireKind::kernel
                                    : WireKind::ports;
    const std::string& pauses = settings.get<std::string>("wire.flow_control");
    trial.flow_control = pauses == "on"    ? FlowControl::on
                         : pauses == "off" ? FlowControl::off
                                           : FlowControl::leave;
    trial.frames = make_recipe(settings, problems);
    trial.verify =
        settings.get<std::string>("sink.verify") == "header" ? Verify::header : Verify::full;
    trial.fault = plan_fault(settings);
    return cell;
}

/// A window's worth arrives once a round trip: what the edges of a short phase cut off shows.
void warn_of_edges(Cell& cell) {
    const TrialPlan& trial = cell.trial;
    if (!trial.transport || trial.transport->finite()) {
        return;
    }
    const double rtt_s = seconds(trial.transport->rtt);
    const double rounds = seconds(trial.phases.measure) / rtt_s;
    if (rtt_s > 0 && rounds < 50) {
        warn(
            cell.warnings,
            fmt::format(
                "run.measure holds {:.3g} round trips of path.rtt: its edges may falsify a rate by "
                "{:.2g} %; lengthen it, or set transfer.total",
                rounds,
                100.0 / rounds
            )
        );
    }
    if (seconds(trial.phases.warmup) < rtt_s) {
        warn(
            cell.warnings,
            "run.warmup is shorter than path.rtt: no window is full when the measure phase begins"
        );
    }
}

/// A cell without devices, CPUs and workers.
void complete_model_cell(Cell& cell, const Settings& settings, Problems& problems) {
    TrialPlan& trial = cell.trial;
    plan_model_ends(trial, settings, problems);
    plan_payload(trial, settings, problems);
    plan_transport(cell, settings, problems);
    plan_phases(trial, settings);
    trial.line_bps = settings.find<double>("path.rate");
    plan_load(cell, settings, problems);
    warn_of_edges(cell);
    plan_model(cell, settings, problems);
}

/// A cell of sockets: workers without EAL, pools or devices.
void complete_kernel_cell(
    Cell& cell, const Settings& settings, Surroundings& surroundings, Problems& problems
) {
    TrialPlan& trial = cell.trial;
    plan_kernel(trial, settings, problems);
    const Placement placement = plan_kernel_ends(trial, settings, surroundings, problems);
    surroundings.shared_cores = surroundings.shared_cores || placement.shared;
    trial.virtual_machine = surroundings.topology.virtual_machine;
    trial.for_peer = trial.sink->peer ? for_peer(settings) : std::vector<std::string>{};
    plan_payload(trial, settings, problems);
    plan_phases(trial, settings);
    plan_load(cell, settings, problems);
    cell.environments =
        make_environments(cell, settings, surroundings, placement.control, !trial.kernel->loopback);
}

}  // namespace

Cell make_cell(const profile::Cell& written, Surroundings& surroundings, Problems& problems) {
    const Settings& settings = written.settings;
    Cell cell = begin_cell(written, problems);
    if (cell.trial.wire == WireKind::model) {
        complete_model_cell(cell, settings, problems);
        return cell;
    }
    if (cell.trial.wire == WireKind::kernel) {
        complete_kernel_cell(cell, settings, surroundings, problems);
        return cell;
    }
    Ends ends = find_ends(settings, surroundings, problems);
    if (!ends.known()) {
        return cell;
    }
    TrialPlan& trial = cell.trial;
    plan_ends(ends, trial.frames, settings, surroundings, problems);
    const Placement placement = place_ends(ends, settings, surroundings.topology, problems);
    surroundings.shared_cores = surroundings.shared_cores || placement.shared;
    trial.lossless = is_lossless(settings, ends);
    trial.virtual_machine = surroundings.topology.virtual_machine;
    trial.gen = ends.gen.plan;
    if (ends.sink) {
        trial.sink = ends.sink->plan;
        trial.for_peer = ends.sink->is_peer() ? for_peer(settings) : std::vector<std::string>{};
    }
    plan_payload(trial, settings, problems);
    plan_transport(cell, settings, problems);
    plan_phases(trial, settings);
    trial.line_bps = line_of(trial, ends.gen.device, settings);
    plan_load(cell, settings, problems);
    warn_of_edges(cell);
    plan_pools(trial, settings, problems);
    advise(cell, settings);
    warn_of_unseen_changes(cell);
    if (ends.needs_root() && !surroundings.topology.root) {
        warn(cell.warnings, "these devices need root: run it with sudo");
    }
    cell.environments =
        make_environments(cell, settings, surroundings, placement.control, ends.apart());
    return cell;
}

}  // namespace gensink::plan::detail
