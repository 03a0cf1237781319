// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/cost_load.hpp"

#include "trial/metrics.hpp"

#include <algorithm>

namespace gensink::experiment::detail {

std::optional<double> carried_fps(const trial::TrialResult& trial) {
    const trial::Metric* offered = trial::find_metric("tx.fps");
    const trial::Metric* received = trial::find_metric("rx.fps");
    if (!trial.complete || offered == nullptr || received == nullptr) {
        return std::nullopt;
    }
    const auto offered_fps = offered->value(trial);
    const auto received_fps = received->value(trial);
    if (!offered_fps) {
        return std::nullopt;
    }
    const double carried = received_fps ? std::min(*offered_fps, *received_fps) : *offered_fps;
    return carried > 0.0 ? std::optional(carried) : std::nullopt;
}

}  // namespace gensink::experiment::detail
