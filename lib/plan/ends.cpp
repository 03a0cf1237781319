// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/ends.hpp"

#include "plan/detail/direction.hpp"
#include "plan/detail/kernel.hpp"
#include "plan/detail/recipe.hpp"
#include "plan/detail/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

std::uint16_t count(const Settings& settings, profile::KeyOf<std::uint64_t> key) {
    return static_cast<std::uint16_t>(settings.get(key));
}

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

std::optional<std::uint8_t> narrow(std::optional<std::uint64_t> value) {
    return value ? std::optional(static_cast<std::uint8_t>(*value)) : std::nullopt;
}

/// When the driver hears that frames have left, and gives their buffers back.
void plan_thresholds(End& end, const Settings& settings, Problems& problems) {
    const auto rs = settings.find<std::uint64_t>("tx.rs_thresh");
    const auto free = settings.find<std::uint64_t>("tx.free_thresh");
    end.plan.rs_thresh = static_cast<std::uint16_t>(rs.value_or(0));
    end.plan.free_thresh = static_cast<std::uint16_t>(free.value_or(0));
    end.plan.pthresh = narrow(settings.find<std::uint64_t>("tx.pthresh"));
    end.plan.hthresh = narrow(settings.find<std::uint64_t>("tx.hthresh"));
    end.plan.wthresh = narrow(settings.find<std::uint64_t>("tx.wthresh"));
    for (const auto& [path, value] : {std::pair{"tx.rs_thresh", rs}, {"tx.free_thresh", free}}) {
        if (value && *value >= end.plan.descriptors) {
            problems.add(
                settings.where(path),
                fmt::format(
                    "{} of a ring of {}: no driver takes as many; lower it, or raise tx.ring",
                    *value,
                    end.plan.descriptors
                )
            );
        }
    }
    if (rs && free && *rs > *free) {
        problems.add(
            settings.where("tx.rs_thresh"),
            fmt::format("{} is above tx.free_thresh, {}: drivers refuse that", *rs, *free)
        );
    }
    if (rs.value_or(1) > 1 && end.plan.wthresh.value_or(0) > 0) {
        problems.add(
            settings.where("tx.wthresh"),
            fmt::format(
                "above 0 beside a tx.rs_thresh of {}: drivers refuse that; set it to 1", *rs
            )
        );
    }
}

/// A receive call costs the same whatever it brings: few and large ones keep the sink from being
/// the limit. Drivers that give less at a time do so.
constexpr std::uint64_t default_sink_burst = 256;

void plan_sink(End& end, const End& gen, bool cable, const Settings& settings, Problems& problems) {
    const profile::DriverConfig& config = *end.device.config;
    end.plan.driver = facts_of(config);
    if (config.invents_frames) {
        problems.add(
            settings.where("wire.sink"),
            fmt::format(
                "{} receives frames that nobody sent, and no sent one: write `sink: none`",
                end.device.name
            )
        );
    }
    end.plan.queues = static_cast<std::uint16_t>(
        settings.find<std::uint64_t>("sink.queues")
            .value_or(std::min<std::uint64_t>(gen.plan.queues, config.max_queues))
    );
    end.plan.descriptors = static_cast<std::uint16_t>(
        settings.find<std::uint64_t>("sink.ring").value_or(config.rx_descriptors)
    );
    end.plan.burst = static_cast<std::uint16_t>(
        settings.find<std::uint64_t>("sink.burst")
            .value_or(std::min<std::uint64_t>(
                default_sink_burst, cable ? gen.plan.descriptors : end.plan.descriptors
            ))
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
    end.plan.device_written = end.device.name;
    end.plan.netns = end.device.netns;
    end.plan.peer = end.is_peer();
}

CoreWish wish_of(const End& end, const Settings& settings, Problems& problems) {
    CoreWish wish;
    wish.cores = end.is_peer() ? 0 : cores_of(end, settings, problems);
    wish.queues = end.plan.queues;
    wish.socket = end.device.nic == nullptr ? std::nullopt : end.device.nic->socket;
    return wish;
}

}  // namespace

bool Ends::known() const {
    return gen.device.config != nullptr && (!sink || sink->device.config != nullptr);
}

bool Ends::apart() const {
    return sink &&
           (gen.is_peer() || sink->is_peer() || gen.device.config->separate_workers ||
            sink->device.config->separate_workers || gen.device.netns != sink->device.netns);
}

bool Ends::needs_root() const {
    return gen.device.config->needs_root || (sink && sink->device.config->needs_root);
}

bool Ends::lossless() const {
    return gen.device.config->lossless && sink && sink->device.config->lossless;
}

namespace {

/// An end elsewhere leaves one here, and decides itself where its device is.
void check_elsewhere(const Ends& ends, const Settings& settings, Problems& problems) {
    const bool gen = ends.gen.is_peer();
    const bool sink = ends.sink && ends.sink->is_peer();
    if ((gen || sink) && is_reverse(settings)) {
        problems.add(
            settings.where("traffic.direction"),
            "reverse exchanges ends that are both here: start `gensink sink` at the other host"
        );
    }
    if (gen && !ends.sink) {
        problems.add(settings.where("wire.sink"), "both ends are elsewhere: name a device here");
    } else if (gen && sink) {
        problems.add(settings.where("wire.sink"), "both ends are a peer: name a device for one");
    }
    for (const auto& [is_peer, end] : {std::pair{gen, "gen"}, std::pair{sink, "sink"}}) {
        for (const char* const key : {"netns", "driver"}) {
            const std::string path = fmt::format("wire.{}_{}", end, key);
            if (is_peer && settings.given(path)) {
                problems.add(
                    settings.where(path),
                    "is for a device here: leave it out, or give it to the peer's gensink"
                );
            }
        }
    }
}

/// One port can be both ends where a device in the middle, or `gensink reflect`, sends back what
/// comes: but then ACKs would come back to the sink.
void check_one_port(const Ends& ends, const Settings& settings, Problems& problems) {
    const auto name = [](const End& end) {
        return std::string_view(end.device.name).substr(0, end.device.name.find(','));
    };
    const bool same = ends.sink && !ends.gen.device.name.empty() && !ends.apart() &&
                      name(ends.gen) == name(*ends.sink);
    if (same && closes_loop(settings)) {
        problems.add(
            settings.where("wire.sink"),
            "the closed loop needs ACKs, which a port that is both ends cannot tell from data: "
            "give the "
            "sink a device of its own"
        );
    }
}

/// A device that joins two processes sends nothing while no peer is there.
void check_partner(const Ends& ends, const Settings& settings, Problems& problems) {
    const Device& gen = ends.gen.device;
    if (ends.sink || gen.config == nullptr || !gen.config->separate_workers ||
        has_any_of(gen.name, gen.config->arguments.gen)) {
        return;
    }
    const std::string_view name = std::string_view(gen.name).substr(0, gen.name.find(','));
    problems.add(
        settings.where("wire.sink"),
        fmt::format(
            "{0} ({1}) needs a peer at the sink: use --ports {0},{0}, or write the arguments by "
            "which it finds another's",
            name,
            gen.config->driver
        )
    );
}

}  // namespace

Ends find_ends(const Settings& settings, const Surroundings& surroundings, Problems& problems) {
    const bool cable = settings.get<std::string>("wire.kind") == "cable";
    End gen{Side::gen, "tx", {}, {}};
    gen.device = find_device(
        Side::gen,
        netns_of(true, settings, surroundings, problems),
        settings,
        surroundings.topology,
        surroundings.drivers,
        problems
    );
    std::optional<End> sink;
    if (cable || settings.find<std::string>("wire.sink")) {
        sink = End{Side::sink, "sink", {}, {}};
        sink->device = find_device(
            Side::sink,
            netns_of(false, settings, surroundings, problems),
            settings,
            surroundings.topology,
            surroundings.drivers,
            problems
        );
    }
    if (!cable && gen.device.name.empty()) {
        problems.add(
            settings.where("wire.kind"), "wire.kind: ports needs wire.gen, the generator's device"
        );
    }
    if (sink && sink->is_peer() && settings.get<bool>("wire.unattended")) {
        sink.reset();
    }
    Ends ends{std::move(gen), std::move(sink)};
    check_elsewhere(ends, settings, problems);
    check_partner(ends, settings, problems);
    if (ends.known()) {
        check_one_port(ends, settings, problems);
    }
    return ends;
}

void plan_ends(
    Ends& ends,
    const FrameRecipe& frames,
    const Settings& settings,
    const Surroundings& surroundings,
    Problems& problems
) {
    const bool cable = settings.get<std::string>("wire.kind") == "cable";
    plan_gen(ends.gen, settings);
    plan_thresholds(ends.gen, settings, problems);
    check_limits(ends.gen, frames, settings, problems);
    complete(ends.gen, settings, surroundings);
    if (ends.sink) {
        plan_sink(*ends.sink, ends.gen, cable, settings, problems);
        check_limits(*ends.sink, frames, settings, problems);
        complete(*ends.sink, settings, surroundings);
    }
}

Placement
place_ends(Ends& ends, const Settings& settings, const Topology& topology, Problems& problems) {
    const CoreWish gen = wish_of(ends.gen, settings, problems);
    const std::optional<CoreWish> sink =
        ends.sink ? std::optional(wish_of(*ends.sink, settings, problems)) : std::nullopt;
    Placement placement = place(settings, topology, gen, sink, problems);
    ends.gen.plan.cores = placement.gen;
    if (ends.sink) {
        ends.sink->plan.cores = placement.sink;
    }
    return placement;
}

}  // namespace gensink::plan::detail
