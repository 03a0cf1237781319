// SPDX-License-Identifier: BSD-3-Clause
#include "model/detail/specs.hpp"

#include "wire/ack.hpp"
#include "wire/size.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gensink::model {
namespace {

constexpr double hz = static_cast<double>(plan::model_hz);
/// Locally administered.
constexpr plan::MacAddress gen_mac{0x02, 0x67, 0x73, 0, 0, 1};
constexpr plan::MacAddress sink_mac{0x02, 0x67, 0x73, 0, 0, 2};

/// Sequences of the first data frames of blocks, spread evenly over all blocks of the trial.
std::vector<std::uint64_t> first_frames(const engine::ClosedLoopSpec& loop, std::uint64_t wanted) {
    const std::uint64_t blocks = loop.sender.blocks.value_or(0) * loop.flows;
    const std::uint64_t connects = loop.sender.connect ? 1 : 0;
    const std::uint64_t frames_per_block = loop.sender.block.frames + connects;
    const auto flow_bits = std::countr_zero(std::bit_ceil(loop.flows));
    const std::uint64_t n = std::min(wanted, blocks);
    std::vector<std::uint64_t> sequences;
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t block = (2 * i + 1) * blocks / (2 * n);
        const std::uint64_t number = block / loop.flows * frames_per_block + connects;
        sequences.push_back(number << flow_bits | block % loop.flows);
    }
    return sequences;
}

}  // namespace

std::string refusal(const plan::TrialPlan& plan) {
    if (!plan.model) {
        return "the plan describes no model";
    }
    if (plan.gen.queues != 1 || (plan.sink && plan.sink->queues != 1)) {
        return "a model has one queue at each end: set tx.queues to 1";
    }
    if (plan.fault.any()) {
        return "a model plants no faults: use path.loss, path.ack_loss and model.timeouts";
    }
    if (plan.transport && !plan.sink) {
        return "nothing answers where there is no sink: set sink, or take the window away";
    }
    if (plan.model->timeouts != 0 && !(plan.transport && plan.transport->finite())) {
        return "model.timeouts counts blocks of a finite transfer: set transfer.repetitions";
    }
    return {};
}

std::optional<engine::ClosedLoopSpec>
closed_loop_spec(const plan::TrialPlan& plan, std::uint32_t run_id) {
    if (!plan.transport) {
        return std::nullopt;
    }
    engine::ClosedLoopSpec spec{
        .sender = plan.transport->sender,
        .ack = plan.transport->ack,
        .flows = plan.frames.flows,
        .fan_out = plan.transport->fan_out,
        .paced = plan.intended_fps.has_value(),
        .run_id = run_id,
        .ticks_per_second = hz,
    };
    spec.ack.path_delay = Duration{0};  // the path itself takes its time
    return spec;
}

wire::FrameFields frame_fields(
    const plan::TrialPlan& plan, const engine::ClosedLoopSpec* closed, std::uint32_t run_id
) {
    const plan::FrameRecipe& f = plan.frames;
    wire::FrameFields fields;
    fields.source_mac = f.source_mac.value_or(gen_mac);
    fields.destination_mac = f.destination_mac.value_or(sink_mac);
    fields.source_ip = f.source_ip;
    fields.destination_ip = f.destination_ip;
    fields.source_port = f.source_port;
    fields.destination_port = f.destination_port;
    fields.payload_bytes = closed != nullptr ? engine::largest_payload(*closed)
                                             : *std::ranges::max_element(f.payload_bytes);
    fields.run_id = run_id;
    return fields;
}

LinkSpec link_spec(
    const plan::TrialPlan& plan, const engine::ClosedLoopSpec* closed, std::uint32_t payload_bytes
) {
    const plan::ModelPlan& model = *plan.model;
    LinkSpec spec;
    spec.rate_bps = model.rate_bps;
    spec.descriptors = plan.gen.descriptors;
    spec.loss_ratio = model.loss_ratio;
    spec.ack_loss_ratio = model.ack_loss_ratio;
    spec.sink_ring = model.sink_ring;
    spec.has_sink = plan.sink.has_value();
    spec.seed = model.seed;
    if (model.timeouts != 0) {
        spec.lose_once = first_frames(*closed, model.timeouts);
    }
    // The RTT counts a full-size frame's serialisation in.
    const double bits = 8.0 * wire::wire_bytes(wire::frame_bytes(payload_bytes));
    const double serialisation = model.rate_bps ? bits * hz / *model.rate_bps : 0;
    const double propagation = std::max(0.0, static_cast<double>(ticks(model.rtt)) - serialisation);
    const auto whole = static_cast<std::uint64_t>(std::llround(propagation));
    spec.forth_ticks = whole / 2;
    spec.back_ticks = whole - spec.forth_ticks;
    return spec;
}

GeneratorSpec
generator_spec(const plan::TrialPlan& plan, const wire::FrameFields& fields, std::uint32_t run_id) {
    GeneratorSpec spec;
    spec.frame_ticks = plan.model->frame_ticks;
    spec.call_ticks = plan.model->call_ticks;
    spec.paced = plan.intended_fps.has_value();
    if (spec.paced) {
        spec.pacer = flow::share(hz, *plan.intended_fps, 1, 0);
    }
    spec.pacer.burst = plan.gen.burst;
    spec.pacer.fill = plan.fill;
    spec.pacer.flush_after_ticks = ticks(plan.flush_after);
    spec.pacer.behind = plan.behind;
    spec.stream = {run_id, 0, plan.frames.flows, plan.frames.payload_bytes, fields};
    spec.closed = closed_loop_spec(plan, run_id);
    return spec;
}

SinkSpec
sink_spec(const plan::TrialPlan& plan, const engine::ClosedLoopSpec* closed, std::uint32_t run_id) {
    SinkSpec spec;
    spec.fps = plan.model->sink_fps;
    if (closed != nullptr) {
        spec.sink = engine::sink_spec(*closed, plan.frames.destination_port, plan.sink->burst);
        spec.acker = engine::acker_spec(*closed, plan.sink->burst);
    } else {
        spec.sink = {
            .run_id = run_id,
            .destination_port = plan.frames.destination_port,
            .streams = 1,
            .flows = plan.frames.flows,
            .burst = plan.sink->burst,
        };
    }
    return spec;
}

std::vector<std::byte> frame_like(const wire::FrameFields& fields) {
    std::vector<std::byte> frame(wire::frame_bytes_without_fcs(fields.payload_bytes));
    wire::write_frame(frame, fields);
    return frame;
}

std::vector<std::byte> ack_like(const wire::FrameFields& fields) {
    std::vector<std::byte> ack(wire::ack_frame_bytes_without_fcs);
    wire::write_ack_template(ack, engine::ack_fields(fields));
    return ack;
}

}  // namespace gensink::model
