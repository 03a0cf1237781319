// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "counters/counts.hpp"
#include "host/cpu_meter.hpp"
#include "host/thread_meter.hpp"
#include "plan/plan.hpp"
#include "trial/cpu_report.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// What the kernel tells of a trial's threads and CPUs, as its report holds it.
namespace gensink::cores {

/// Without the core's clock, which the thread itself probes.
[[nodiscard]] trial::ThreadFacts facts_of(const host::ThreadUse& use, CpuId cpu);

/// The CPUs of both ends over the measure phase.
class EndsMeter {
  public:
    /// Follows the CPUs of the first so many cores of each end: those that have a thread here.
    void start(const plan::TrialPlan& plan, std::size_t gen_threads, std::size_t sink_threads);
    void enter(counters::Phase phase);
    void look();

    [[nodiscard]] std::vector<trial::CpuReport> gen() const;
    [[nodiscard]] std::vector<trial::CpuReport> sink() const;

  private:
    std::optional<host::CpuMeter> gen_;  ///< absent before start()
    std::optional<host::CpuMeter> sink_;
};

}  // namespace gensink::cores
