// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"
#include "trial/result.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gensink::trial::detail {

/// When a trial was looked at.
struct Moment {
    counters::Phase phase = counters::Phase::settle;
    Duration in_phase{0};
    Duration sent_for{0};  ///< since the warm-up began
};

/// Looks at a running trial now and then: some faults need not be waited out.
class Watch {
  public:
    /// `plan` outlives the watch.
    explicit Watch(const plan::TrialPlan& plan) : plan_(plan) {}

    /// Returns why the trial can end now, if it can.
    [[nodiscard]] std::optional<Reason> look(const Snapshot& counts, const Moment& moment);

    /// The last look, once the loops have ended: a queue that was stuck when the phase ended.
    [[nodiscard]] std::optional<Reason> look_back(const Snapshot& counts, Duration sent_for);

  private:
    struct Queue {
        counters::TxQueueState state;
        std::uint64_t calls = 0;  ///< of the core that serves it
        Duration refused_for{0};  ///< all that was offered, since it last accepted
    };

    [[nodiscard]] std::optional<Reason> look_at_sink(const Snapshot& counts, Duration sent_for);
    [[nodiscard]] std::optional<Reason>
    look_at_generator(const Snapshot& counts, Duration sent_for);
    [[nodiscard]] std::optional<Reason>
    look_at_queues(const Snapshot& counts, Duration sent_for, Duration patience);
    [[nodiscard]] bool may_be_silent(const Snapshot& counts) const;

    const plan::TrialPlan& plan_;
    std::optional<Duration> first_sent_at_;
    Duration moved_at_{0};
    Duration looked_at_{0};
    std::array<std::uint64_t, counters::tx_causes> causes_at_move_{};
    std::uint64_t accepted_ = 0;
    std::vector<Queue> queues_;  ///< by place in Snapshot::streams
};

/// A link that is known to be down, with end, device and moment.
[[nodiscard]] std::optional<Reason>
link_down(const plan::TrialPlan& plan, const Snapshot& counts, const Moment& moment);

}  // namespace gensink::trial::detail
