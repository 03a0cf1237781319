// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/cell.hpp"

#include "plan/detail/device.hpp"
#include "plan/detail/memory.hpp"
#include "plan/detail/placement.hpp"
#include "plan/detail/recipe.hpp"
#include "plan/make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

std::uint16_t count(const Settings& settings, profile::KeyOf<std::uint64_t> key) {
    return static_cast<std::uint16_t>(settings.get(key));
}

/// One end while it is planned.
struct End {
    Side side = Side::gen;
    std::string_view section;  ///< "tx" or "sink": where its keys are
    Device device;
    EndPlan plan;
};

std::string key(const End& end, std::string_view name) {
    return fmt::format("{}.{}", end.section, name);
}

void check_limits(
    const End& end, const FrameRecipe& recipe, const Settings& settings, Problems& problems
) {
    const DeviceLimits& limits = end.plan.driver.limits;
    const std::string name = end.device.name.empty() ? "the cable" : end.device.name;
    if (end.plan.queues > limits.max_queues) {
        problems.add(
            settings.where(key(end, "queues")),
            fmt::format(
                "{} queues, but {} has at most {}", end.plan.queues, name, limits.max_queues
            )
        );
    }
    if (end.plan.descriptors < limits.min_descriptors ||
        end.plan.descriptors > limits.max_descriptors) {
        problems.add(
            settings.where(key(end, "ring")),
            fmt::format(
                "{} descriptors, but {} takes {} to {}",
                end.plan.descriptors,
                name,
                limits.min_descriptors,
                limits.max_descriptors
            )
        );
    }
    if (end.plan.burst > end.plan.descriptors) {
        problems.add(
            settings.where(key(end, "burst")),
            fmt::format(
                "a burst of {} does not fit a ring of {}: raise {}",
                end.plan.burst,
                end.plan.descriptors,
                key(end, "ring")
            )
        );
    }
    if (const std::uint32_t frame = largest_frame(recipe); frame > limits.max_frame_bytes) {
        const char* path = settings.find<std::uint64_t>("traffic.frame_size") ? "traffic.frame_size"
                                                                              : "traffic.mtu";
        problems.add(
            settings.where(path),
            fmt::format(
                "frames of {} B, but {} ({}) carries at most {} B",
                frame,
                name,
                end.plan.driver.name,
                limits.max_frame_bytes
            )
        );
    }
}

unsigned cores_of(const End& end, const Settings& settings, Problems& problems) {
    const std::uint16_t cores =
        end.side == Side::gen ? count(settings, "tx.cores") : count(settings, "sink.cores");
    if (cores > end.plan.queues) {
        problems.add(
            settings.where(key(end, "cores")),
            fmt::format("{} cores for {} queues: a core needs a queue", cores, end.plan.queues)
        );
        return end.plan.queues;
    }
    return cores;
}

void plan_gen(End& end, const Settings& settings) {
    const profile::DriverConfig& config = *end.device.config;
    end.plan.driver = facts_of(config);
    end.plan.queues = count(settings, "tx.queues");
    end.plan.burst = count(settings, "tx.burst");
    end.plan.descriptors = static_cast<std::uint16_t>(
        settings.find<std::uint64_t>("tx.ring").value_or(config.tx_descriptors)
    );
}

/// A receive call costs the same whatever it brings: few and large ones keep the sink from being
/// the limit. Drivers that give less at a time do so.
constexpr std::uint64_t default_sink_burst = 256;

void plan_sink(End& end, const End& gen, bool cable, const Settings& settings, Problems& problems) {
    const profile::DriverConfig& config = *end.device.config;
    end.plan.driver = facts_of(config);
    end.plan.queues = static_cast<std::uint16_t>(
        settings.find<std::uint64_t>("sink.queues")
            .value_or(std::min<std::uint64_t>(gen.plan.queues, config.max_queues))
    );
    end.plan.descriptors = static_cast<std::uint16_t>(
        settings.find<std::uint64_t>("sink.ring").value_or(config.rx_descriptors)
    );
    end.plan.burst = static_cast<std::uint16_t>(
        settings.find<std::uint64_t>("sink.burst")
            .value_or(std::min<std::uint64_t>(default_sink_burst, end.plan.descriptors))
    );
    if (!cable) {
        return;
    }
    if (end.plan.queues != gen.plan.queues) {
        problems.add(
            settings.where("sink.queues"),
            fmt::format(
                "the cable joins queue to queue: {} at the sink, {} at the generator",
                end.plan.queues,
                gen.plan.queues
            )
        );
    }
    end.plan.descriptors = gen.plan.descriptors;  // one ring, seen from both ends
}

void plan_phases(TrialPlan& trial, const Settings& settings) {
    const Duration gen = trial.gen.driver.settle;
    const Duration sink = trial.sink ? trial.sink->driver.settle : Duration{0};
    trial.phases.settle = settings.find<Duration>("run.settle").value_or(std::max(gen, sink));
    trial.phases.warmup = settings.get<Duration>("run.warmup");
    trial.phases.measure = settings.get<Duration>("run.measure");
    trial.phases.quiet = settings.get<Duration>("run.quiet");
    trial.phases.drain_cap = settings.get<Duration>("run.drain_cap");
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

/// Load, pacing and what the link carries.
void plan_load(Cell& cell, const Device& gen, const Settings& settings, Problems& problems) {
    TrialPlan& trial = cell.trial;
    trial.load = settings.get<flow::Load>("traffic.load");
    trial.fill = settings.get<std::string>("tx.fill") == "due" ? flow::Fill::due : flow::Fill::full;
    trial.flush_after = settings.find<Duration>("tx.flush_after").value_or(Duration{0});
    trial.behind = settings.get<std::string>("tx.behind") == "skip" ? flow::Behind::skip
                                                                    : flow::Behind::catch_up;
    trial.line_bps = settings.find<double>("wire.line_rate");
    if (!trial.line_bps && trial.gen.driver.line_bps) {
        trial.line_bps = static_cast<double>(*trial.gen.driver.line_bps);
    }
    if (!trial.line_bps && gen.nic != nullptr && gen.nic->speed_bps) {
        trial.line_bps = static_cast<double>(*gen.nic->speed_bps);
    }
    const auto fps = intended_fps(
        trial.load, trial.mean_frame_bytes(), trial.mean_payload_bytes(), trial.line_bps
    );
    if (!fps) {
        problems.add(settings.where("traffic.load"), fps.error().message);
        return;
    }
    trial.intended_fps = *fps;
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

bool is_lossless(const Settings& settings, const End& gen, const std::optional<End>& sink) {
    const std::string& written = settings.get<std::string>("wire.lossless");
    if (written != "auto") {
        return written == "true";
    }
    return gen.device.config->lossless && sink && sink->device.config->lossless;
}

/// Both ends' devices; the sink is absent for `sink: none`.
std::pair<End, std::optional<End>>
find_ends(const Settings& settings, const Surroundings& surroundings, Problems& problems) {
    const bool cable = settings.get<std::string>("wire.kind") == "cable";
    End gen{Side::gen, "tx", {}, {}};
    gen.device =
        find_device(Side::gen, settings, surroundings.topology, surroundings.drivers, problems);
    std::optional<End> sink;
    if (cable || settings.find<std::string>("wire.sink")) {
        sink = End{Side::sink, "sink", {}, {}};
        sink->device = find_device(
            Side::sink, settings, surroundings.topology, surroundings.drivers, problems
        );
    }
    if (!cable && gen.device.name.empty()) {
        problems.add(
            settings.where("wire.kind"), "wire.kind: ports needs wire.gen, the generator's device"
        );
    }
    return {std::move(gen), std::move(sink)};
}

void complete(End& end, const Settings& settings, const Surroundings& surroundings) {
    if (end.device.name.empty()) {
        return;
    }
    ArgumentFacts facts;
    facts.queues = end.plan.queues;
    const char* ring = end.side == Side::gen ? "tx.ring" : "sink.ring";
    if (settings.at(ring).origin != profile::Origin::fallback) {
        facts.ring = end.plan.descriptors;
    }
    facts.frame_bytes = surroundings.largest_frame_bytes;
    facts.socket = surroundings.socket;
    end.plan.device = complete_device(end.device, end.side, facts);
    end.plan.netns = end.device.netns;
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

}  // namespace

Cell make_cell(const profile::Cell& written, Surroundings& surroundings, Problems& problems) {
    const Settings& settings = written.settings;
    Cell cell;
    cell.arm = written.arm;
    cell.point = written.point;
    cell.placebo = written.placebo;
    TrialPlan& trial = cell.trial;
    trial.wire =
        settings.get<std::string>("wire.kind") == "cable" ? WireKind::cable : WireKind::ports;
    trial.frames = make_recipe(settings, problems);
    trial.verify =
        settings.get<std::string>("sink.verify") == "header" ? Verify::header : Verify::full;
    trial.fault = plan_fault(settings);

    auto [gen, sink] = find_ends(settings, surroundings, problems);
    if (gen.device.config == nullptr || (sink && sink->device.config == nullptr)) {
        return cell;
    }
    plan_gen(gen, settings);
    check_limits(gen, trial.frames, settings, problems);
    CoreWish gen_wish{cores_of(gen, settings, problems), gen.plan.queues, {}};
    gen_wish.socket = gen.device.nic == nullptr ? std::nullopt : gen.device.nic->socket;
    std::optional<CoreWish> sink_wish;
    if (sink) {
        plan_sink(*sink, gen, trial.wire == WireKind::cable, settings, problems);
        check_limits(*sink, trial.frames, settings, problems);
        sink_wish = CoreWish{cores_of(*sink, settings, problems), sink->plan.queues, {}};
        sink_wish->socket = sink->device.nic == nullptr ? std::nullopt : sink->device.nic->socket;
        complete(*sink, settings, surroundings);
    }
    complete(gen, settings, surroundings);
    const Placement placement =
        place(settings, surroundings.topology, gen_wish, sink_wish, problems);
    surroundings.shared_cores = surroundings.shared_cores || placement.shared;
    gen.plan.cores = placement.gen;
    trial.lossless = is_lossless(settings, gen, sink);
    trial.gen = std::move(gen.plan);
    if (sink) {
        sink->plan.cores = placement.sink;
        trial.sink = std::move(sink->plan);
    }
    plan_phases(trial, settings);
    plan_load(cell, gen.device, settings, problems);
    trial.gen.pool_frames = static_cast<std::uint32_t>(
        settings.find<std::uint64_t>("tx.pool").value_or(tx_pool_frames(trial))
    );
    if (trial.sink) {
        trial.sink->pool_frames = static_cast<std::uint32_t>(
            settings.find<std::uint64_t>("sink.pool").value_or(rx_pool_frames(trial, *trial.sink))
        );
    }
    advise(cell, settings);
    const bool apart =
        sink && (gen.device.config->separate_workers || sink->device.config->separate_workers ||
                 gen.device.netns != sink->device.netns);
    cell.environments = make_environments(cell, settings, surroundings, placement.control, apart);
    if (gen.device.config->needs_root || (sink && sink->device.config->needs_root)) {
        if (!surroundings.topology.root) {
            warn(cell.warnings, "these devices need root: run it with sudo");
        }
    }
    return cell;
}

}  // namespace gensink::plan::detail
