// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/model.hpp"

#include "plan/detail/recipe.hpp"
#include "plan/make.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

/// The model's rings and pools hold records, not memory that a device must reach.
constexpr std::uint16_t model_frames = 65535;
constexpr std::uint16_t default_descriptors = 1024;
constexpr std::uint16_t modelled_sink_burst = 256;

/// Keys that name what only a real wire has.
constexpr const char* real_keys[] = {
    "wire.gen",
    "wire.sink",
    "wire.gen_netns",
    "wire.sink_netns",
    "wire.gen_driver",
    "wire.sink_driver",
    "tx.rs_thresh",
    "tx.free_thresh",
    "tx.pthresh",
    "tx.hthresh",
    "tx.wthresh",
    "wire.line_rate",
    "wire.lossless",
    "wire.flow_control",
    "sink.fault.drop_every",
    "sink.fault.duplicate_every",
    "sink.fault.reorder_every",
    "sink.fault.corrupt_every",
    "sink.fault.foreign_every",
    "sink.fault.slow",
};

/// Keys of which the model knows one only.
constexpr const char* single_keys[] = {"tx.queues", "tx.cores", "sink.queues", "sink.cores"};

std::string_view way_out(std::string_view key) {
    if (key == "wire.line_rate") {
        return "wire.line_rate: set path.rate";
    }
    if (key == "wire.lossless") {
        return "wire.lossless: set path.loss";
    }
    if (key.starts_with("sink.fault")) {
        return "sink.fault: set path.loss or model.timeouts";
    }
    return "devices: leave the key out, or set wire.kind";
}

void refuse_real_keys(const Settings& settings, Problems& problems) {
    for (const char* path : real_keys) {
        if (!settings.is_default(path)) {
            problems.add(settings.where(path), fmt::format("the model has no {}", way_out(path)));
        }
    }
    for (const char* path : single_keys) {
        const auto* count = std::get_if<std::uint64_t>(&settings.at(path).value);
        if (count != nullptr && *count > 1) {
            problems.add(
                settings.where(path), fmt::format("the model has one, not {}: set 1", *count)
            );
        }
    }
}

DriverFacts model_facts() {
    DriverFacts facts;
    facts.name = "model";
    facts.tx_frames = Trust::exact;
    facts.rx_frames = Trust::exact;
    facts.rx_missed = Trust::exact;
    facts.tx_errors = Trust::exact;
    facts.doorbell = "per_call";
    facts.limits = {wire::max_frame_bytes, 1, 1, model_frames, true};
    return facts;
}

EndPlan model_end(std::uint16_t burst, unsigned lcore) {
    EndPlan end;
    end.driver = model_facts();
    end.burst = burst;
    end.descriptors = default_descriptors;
    end.cores = {{LcoreId{lcore}, CpuId{}, {QueueId{0}}}};
    end.pool_frames = model_frames;
    return end;
}

std::optional<RingLimit> ring_of(const Settings& settings) {
    const auto written = settings.find<profile::Amount>("model.sink_ring");
    if (!written) {
        return std::nullopt;
    }
    return RingLimit{written->value, written->frames};
}

void check_ring(const TrialPlan& trial, const Settings& settings, Problems& problems) {
    const std::uint32_t frame = largest_frame(trial.frames);
    const auto& ring = trial.model->sink_ring;
    if (ring && !ring->frames && ring->value < frame) {
        problems.add(
            settings.where("model.sink_ring"),
            fmt::format(
                "a ring of {} B takes no frame of {} B with FCS: raise it, or send smaller frames",
                ring->value,
                frame
            )
        );
    }
}

/// Timeouts are dealt over blocks, of which there must be enough.
void check_timeouts(const TrialPlan& trial, const Settings& settings, Problems& problems) {
    const unsigned timeouts = trial.model->timeouts;
    if (timeouts == 0) {
        return;
    }
    const std::string where = settings.where("model.timeouts");
    if (!trial.transport || !trial.transport->finite()) {
        problems.add(
            where,
            "timeouts are spread over the blocks of a trial: set transfer.object_size with "
            "transfer.repetitions, or transfer.total, which say how many there are"
        );
        return;
    }
    const std::uint64_t blocks = *trial.transport->sender.blocks * trial.frames.flows;
    if (timeouts > blocks) {
        problems.add(where, fmt::format("{} timeouts in {} blocks: lower it", timeouts, blocks));
    }
}

/// A path that is shorter than its own bottleneck takes to pass a frame has no room for distance.
void warn_of_serialisation(Cell& cell, const Settings& settings) {
    const ModelPlan& model = *cell.trial.model;
    if (!model.rate_bps || model.rtt.count() == 0) {
        return;
    }
    const double frame = wire::wire_bytes(largest_frame(cell.trial.frames));
    const double frame_s = frame * 8.0 / *model.rate_bps;
    if (frame_s > seconds(model.rtt)) {
        warn(
            cell.warnings,
            fmt::format(
                "path.rtt of {} is shorter than the {:.4g} ms that a full frame takes at path.rate",
                settings.at("path.rtt").text,
                frame_s * 1e3
            )
        );
    }
}

}  // namespace

void plan_model_ends(TrialPlan& trial, const Settings& settings, Problems& problems) {
    refuse_real_keys(settings, problems);
    trial.gen = model_end(static_cast<std::uint16_t>(settings.get<std::uint64_t>("tx.burst")), 1);
    if (const auto ring = settings.find<std::uint64_t>("tx.ring")) {
        trial.gen.descriptors = static_cast<std::uint16_t>(*ring);
    }
    if (trial.gen.burst > trial.gen.descriptors) {
        problems.add(
            settings.where("tx.burst"),
            fmt::format(
                "a burst of {} does not fit a ring of {}: raise tx.ring",
                trial.gen.burst,
                trial.gen.descriptors
            )
        );
    }
    trial.sink = model_end(
        static_cast<std::uint16_t>(
            settings.find<std::uint64_t>("sink.burst").value_or(modelled_sink_burst)
        ),
        2
    );
}

void plan_model(Cell& cell, const Settings& settings, Problems& problems) {
    TrialPlan& trial = cell.trial;
    ModelPlan& model = trial.model.emplace();
    model.frame_ticks = settings.get<std::uint64_t>("model.frame_ticks");
    model.call_ticks = settings.get<std::uint64_t>("model.call_ticks");
    model.rtt = settings.get<Duration>("path.rtt");
    model.rate_bps = settings.find<double>("path.rate");
    model.loss_ratio = settings.get<double>("path.loss");
    model.ack_loss_ratio = settings.get<double>("path.ack_loss");
    model.sink_ring = ring_of(settings);
    model.timeouts = static_cast<unsigned>(settings.get<std::uint64_t>("model.timeouts"));
    model.seed = settings.get<std::uint64_t>("stats.seed");
    const auto sink_fps = intended_fps(
        settings.get<flow::Load>("model.sink_rate"),
        trial.mean_frame_bytes(),
        trial.mean_payload_bytes(),
        model.rate_bps
    );
    if (sink_fps) {
        model.sink_fps = *sink_fps;
    } else {
        problems.add(
            settings.where("model.sink_rate"),
            "a share of the line needs the line's rate: set path.rate"
        );
    }
    trial.lossless = model.loss_ratio == 0 && !model.sink_ring && model.timeouts == 0;
    check_ring(trial, settings, problems);
    check_timeouts(trial, settings, problems);
    warn_of_serialisation(cell, settings);
}

}  // namespace gensink::plan::detail
