// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make.hpp"
#include "wire/size.hpp"

namespace gensink::plan {

Result<std::optional<double>> intended_fps(
    const flow::Load& load,
    double mean_frame_bytes,
    double mean_payload_bytes,
    std::optional<double> line_bps
) {
    using flow::LoadUnit;
    switch (load.unit) {
    case LoadUnit::max:
        return std::optional<double>{};
    case LoadUnit::fps:
        return std::optional(load.value);
    case LoadUnit::bps_l1:
        return std::optional(wire::line_fps(load.value, mean_frame_bytes));
    case LoadUnit::bps_l2:
        return std::optional(load.value / (8.0 * mean_frame_bytes));
    case LoadUnit::bps_payload:
        return std::optional(load.value / (8.0 * mean_payload_bytes));
    case LoadUnit::line_ratio:
        break;
    }
    if (!line_bps) {
        return fail(
            ErrorKind::plan,
            "a share of the line needs the line's rate, which is not known here: set wire.line_rate"
        );
    }
    return std::optional(load.value * wire::line_fps(*line_bps, mean_frame_bytes));
}

}  // namespace gensink::plan
