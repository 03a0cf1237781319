// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"
#include "trial/result.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace gensink::trial::detail {

/// Looks at a running trial now and then: some faults need not be waited out.
class Watch {
  public:
    /// `plan` outlives the watch.
    explicit Watch(const plan::TrialPlan& plan) : plan_(plan) {}

    /// `sent_for`: time since the warm-up began. Returns why the trial can end now, if it can.
    [[nodiscard]] std::optional<Reason> look(const Snapshot& counts, Duration sent_for);

  private:
    [[nodiscard]] std::optional<Reason> look_at_sink(const Snapshot& counts, Duration sent_for);
    [[nodiscard]] std::optional<Reason>
    look_at_generator(const Snapshot& counts, Duration sent_for);

    const plan::TrialPlan& plan_;
    std::optional<Duration> first_sent_at_;
    Duration moved_at_{0};
    std::array<std::uint64_t, counters::tx_causes> causes_at_move_{};
    std::uint64_t accepted_ = 0;
};

/// A link that is known to be down.
[[nodiscard]] std::optional<Reason> link_down(const Snapshot& counts);

}  // namespace gensink::trial::detail
