// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "cores/loops.hpp"
#include "cores/reports.hpp"
#include "cores/thread.hpp"
#include "counters/counts.hpp"
#include "engine/control.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace gensink::cores {

/// The loops of the ends that are here, on their threads, over one trial. Control thread only.
class Ends {
  public:
    /// One a core of the plan, or none where the end is elsewhere; set before start().
    std::vector<std::unique_ptr<GenLoop>> gen_loops;
    std::vector<std::unique_ptr<SinkLoop>> sink_loops;

    /// Ticks a second of the loops' clocks.
    explicit Ends(std::uint64_t tsc_hz) : tsc_hz_(tsc_hz) {}

    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    Ends(Ends&&) = delete;
    Ends& operator=(Ends&&) = delete;
    ~Ends();  ///< stops and joins

    /// The sink's loops, then the generator's. Error environment.
    Result<void> start(const plan::TrialPlan& plan, const Launch& launch);
    /// The sink's loops change phase first, and into drain have done so when the generator's do.
    void enter(counters::Phase phase);
    /// The generator's loops end, then the sink's; all are joined.
    void stop();

    [[nodiscard]] counters::Phase phase() const;
    /// False: none was started, or all have ended.
    [[nodiscard]] bool gen_runs() const;
    [[nodiscard]] bool sink_runs() const;

    /// Cores, streams, CPUs and flows. `ended`: after stop(), so that the reports are complete.
    [[nodiscard]] trial::Snapshot snapshot(const plan::TrialPlan& plan, bool ended);

  private:
    void add_generator(const plan::TrialPlan& plan, bool ended, trial::Snapshot& s) const;
    void add_sink(const plan::TrialPlan& plan, bool ended, trial::Snapshot& s) const;

    std::uint64_t tsc_hz_;
    engine::Control gen_control_;
    engine::Control sink_control_;
    EndsMeter cpus_;
    std::vector<std::unique_ptr<Thread>> gen_threads_;
    std::vector<std::unique_ptr<Thread>> sink_threads_;
};

}  // namespace gensink::cores
