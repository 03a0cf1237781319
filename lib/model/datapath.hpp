// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/datapath.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace gensink::model {

/// Generator, path and sink of trials whose plan has a model, in this process and in virtual time:
/// waiting takes no longer than what happens in it. The same plan and run id, the same counts.
/// `stopped` is asked at each wait: true ends it with error measurement, os_code EINTR.
[[nodiscard]] std::unique_ptr<trial::Datapath> make_datapath(std::function<bool()> stopped = {});

/// A seed for ModelPlan from numbers that tell one trial from another.
[[nodiscard]] std::uint64_t seed_of(std::span<const std::uint64_t> numbers);

}  // namespace gensink::model
