// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"
#include "worker/process.hpp"
#include "worker/remote.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <sys/types.h>
#include <vector>

namespace gensink::worker {

/// Makes the datapath of one environment; called in a fresh child process, once.
using MakeForEnvironment =
    std::function<Result<std::unique_ptr<trial::Datapath>>(const plan::Environment&)>;

/// The workers of an experiment: started when a cell needs them, kept for later cells of the round
/// with equal environments. Those that name a device of the next cell's end before it starts.
/// The calling process must have no other thread.
class Fleet {
  public:
    /// `cells` outlives the fleet. `stop_fd` and `after_death` as in Purpose.
    Fleet(
        std::span<const plan::Cell> cells,
        MakeForEnvironment make,
        int stop_fd = -1,
        Deadlines deadlines = {},
        std::function<void(pid_t)> after_death = {}
    );

    /// The datapath for a cell, its workers ready; valid until the next call. Dead workers are
    /// replaced. Errors: environment, device, measurement (a worker died while starting).
    [[nodiscard]] Result<trial::Datapath*> datapath(std::size_t cell);

    /// Ends all workers: the next cell gets fresh ones.
    void new_round();

  private:
    [[nodiscard]] Result<std::unique_ptr<Process>> spawn(const plan::Environment& environment
    ) const;
    Result<std::unique_ptr<CellDatapath>> start(std::span<const plan::Environment> environments);

    std::span<const plan::Cell> cells_;
    MakeForEnvironment make_;
    int stop_fd_;
    Deadlines deadlines_;
    std::function<void(pid_t)> after_death_;

    struct Running {
        std::vector<plan::Environment> environments;
        std::unique_ptr<CellDatapath> datapath;
    };

    std::vector<Running> running_;
};

}  // namespace gensink::worker
