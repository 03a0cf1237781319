// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace gensink::apart {

/// Tells whether the sink still lives while a trial's loops run. In the open loop it says so
/// itself; in the closed loop its ACKs do, where it was given a reason to send one.
class Pulse {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// unknown: what came may have been lost unheard.
    enum class Sign { none, alive, unknown };

    /// The trial's loops start.
    Pulse(const plan::TrialPlan& plan, Time now);

    /// `sign`: what was heard since the last look; the counts are the generator's. Returns for how
    /// long the sink should have been heard and was not, once that is too long.
    [[nodiscard]] std::optional<Duration> look(const trial::Snapshot& counts, Sign sign, Time now);

  private:
    [[nodiscard]] Sign sign_of(const trial::Snapshot& counts);

    bool closed_;
    std::uint64_t frames_unasked_ = 0;  ///< so many may be sent, and ask for no ACK
    Duration patience_;
    Time silent_since_;
    std::uint64_t acks_ = 0;           ///< at the last look
    std::uint64_t accepted_ = 0;       ///< when the last ACK was seen
    std::uint64_t retransmitted_ = 0;  ///< then
};

}  // namespace gensink::apart
