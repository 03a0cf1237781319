// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <memory>

namespace gensink::apart {

/// Both ends as one datapath: `local` drives the generator, a `gensink sink` at the other end of
/// its link the sink. The sink's ticks are converted to the generator's. What the sink counts is
/// known once it has stopped; until then it is absent. `session`: the same in all processes of an
/// experiment, and in those of no other.
[[nodiscard]] std::unique_ptr<trial::Datapath>
make_generator(std::unique_ptr<trial::Datapath> local, std::uint32_t session);

/// A sink's report with all ticks multiplied by `ratio`.
[[nodiscard]] trial::CoreReport<counters::SinkCounts>
in_ticks(trial::CoreReport<counters::SinkCounts> report, double ratio);

}  // namespace gensink::apart
