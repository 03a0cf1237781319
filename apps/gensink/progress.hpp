// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "report/progress.hpp"
#include "trial/trial.hpp"

#include <optional>

#include "exporter/exporter.hpp"

namespace gensink::app {

/// What is going on: on stderr, and, if asked for, as a JSON line a second on
/// stdout and to Prometheus. `exporter` may be null, and outlives it.
class Progress {
  public:
    Progress(const plan::Plan& plan, bool json_stream, const exporter::Exporter* exporter);

    /// Before trial `done` + 1 of about `total`.
    void step(unsigned done, unsigned total);
    void show(const trial::Request& request, counters::Phase phase, const trial::Snapshot& counts);

    void done(const trial::TrialResult& trial);

    void finish() { view_.clear(); }

  private:
    using Clock = report::ProgressView::Clock;

    const plan::Plan& plan_;
    bool json_stream_;
    const exporter::Exporter* exporter_;
    report::ProgressView view_;
    report::ProgressState state_;
    Clock::time_point start_ = Clock::now();
    std::optional<Clock::time_point> last_line_;

    /// What was shown last of this trial, for rates.
    trial::Snapshot last_;
    Clock::time_point last_show_;
};

}  // namespace gensink::app
