// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/control.hpp"
#include "engine/specs.hpp"
#include "model/ends.hpp"
#include "plan/plan.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// From a plan to what each part of its model is told.
namespace gensink::model {

/// A turn of the model is as long as it says: none is interrupted, and counts are told at each
/// look.
inline constexpr engine::LoopSpec loop_spec{flow::never, flow::never, 0};

/// The model's clock ticks once a nanosecond.
[[nodiscard]] constexpr std::uint64_t ticks(Duration duration) {
    return duration.count() < 0 ? 0 : static_cast<std::uint64_t>(duration.count());
}

/// What a plan asks for and no model can do; empty: it can be opened.
[[nodiscard]] std::string refusal(const plan::TrialPlan& plan);

[[nodiscard]] std::optional<engine::ClosedLoopSpec>
closed_loop_spec(const plan::TrialPlan& plan, std::uint32_t run_id);

/// `closed`: of closed_loop_spec, or null.
[[nodiscard]] wire::FrameFields frame_fields(
    const plan::TrialPlan& plan, const engine::ClosedLoopSpec* closed, std::uint32_t run_id
);

/// `payload_bytes`: of the largest frame.
[[nodiscard]] LinkSpec link_spec(
    const plan::TrialPlan& plan, const engine::ClosedLoopSpec* closed, std::uint32_t payload_bytes
);

[[nodiscard]] GeneratorSpec
generator_spec(const plan::TrialPlan& plan, const wire::FrameFields& fields, std::uint32_t run_id);

[[nodiscard]] SinkSpec
sink_spec(const plan::TrialPlan& plan, const engine::ClosedLoopSpec* closed, std::uint32_t run_id);

/// A whole frame, and a whole ACK that answers it.
[[nodiscard]] std::vector<std::byte> frame_like(const wire::FrameFields& fields);
[[nodiscard]] std::vector<std::byte> ack_like(const wire::FrameFields& fields);

}  // namespace gensink::model
