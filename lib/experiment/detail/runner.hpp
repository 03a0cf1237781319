// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/detail/layout.hpp"
#include "experiment/experiment.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gensink::experiment::detail {

/// Makes the trials of an experiment; judges only whether to repeat, stop or go on.
class Runner {
  public:
    Runner(const plan::Plan& plan, const Hooks& hooks, ExperimentResult& result);

    /// Calibration, pilot, rounds, search; returns early when stopped.
    void run();

  private:
    /// Load of a cell's cost trials; unknown where no arm of the point could be calibrated.
    struct CostLoad {
        bool known = false;
        std::optional<double> fps;  ///< absent: max
    };

    enum class RoundEnd { whole, disturbed, stopped };

    void calibrate();
    void calibrate_point(const Point& point, const std::vector<std::size_t>& cells);
    std::optional<double> calibrate_cell(std::size_t cell);
    void set_cost_load(const Point& point, std::optional<double> fps);
    void use_written_cost_load(const flow::Load& load);

    void size_by_pilot();

    void play_rounds();
    RoundEnd play(unsigned round, unsigned attempt, const std::vector<Slot>& slots);

    void search();
    void search_cell(std::size_t cell);

    /// A request with the load that the cell's kind of trial asks for.
    [[nodiscard]] trial::Request request(const Slot& slot, unsigned round, unsigned attempt) const;

    /// Runs one trial and keeps its result, whose index it returns; absent once stopped.
    std::optional<std::size_t> run_trial(const trial::Request& request);

    /// The same outside rounds: again, a few times, while it dies or an external cause spoils it.
    std::optional<std::size_t> run_retried(const trial::Request& request);

    void stop_without_link(const trial::TrialResult& made);

    void begin_round(unsigned round);

    [[nodiscard]] bool stopped() const { return result_.partial || result_.failed; }

    const plan::Plan& plan_;
    const Hooks& hooks_;
    ExperimentResult& result_;
    std::vector<Slot> slots_;
    std::vector<CostLoad> cost_loads_;  ///< by cell
    unsigned rounds_ = 0;
    unsigned repeats_left_ = 0;
    unsigned deaths_in_a_row_ = 0;
    unsigned lost_links_in_a_row_ = 0;
    bool worker_lost_ = false;  ///< the next trial needs fresh workers
    unsigned begun_round_ = 0;
    unsigned done_ = 0;
    unsigned total_ = 0;
};

}  // namespace gensink::experiment::detail
