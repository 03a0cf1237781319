// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "report/progress.hpp"
#include "trial/trial.hpp"

#include <chrono>
#include <cstddef>

namespace gensink::app {

/// What is going on, on stderr.
class Progress {
  public:
    explicit Progress(const plan::Plan& plan);

    /// Before trial `done` + 1 of about `total`.
    void step(unsigned done, unsigned total);
    void show(const trial::Request& request, counters::Phase phase, const trial::Snapshot& counts);

    void finish() { line_.clear(); }

  private:
    using Clock = report::ProgressLine::Clock;

    const plan::Plan& plan_;
    report::ProgressLine line_;
    report::ProgressState state_;
    Clock::time_point start_ = Clock::now();

    /// The last counts shown, for rates.
    struct Sample {
        Clock::time_point when;
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
    };

    Sample last_;
};

}  // namespace gensink::app
