// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/datapath.hpp"
#include "worker/process.hpp"

#include <cstddef>
#include <memory>

namespace gensink::worker {

/// A Datapath that lives in a child, opened by cell.
class CellDatapath : public trial::Datapath {
  public:
    /// The cell whose plan the next `open` uses, with load and peer of the plan given there.
    virtual void select(std::size_t cell) = 0;
    /// False once a child has died: the datapath is of no further use.
    [[nodiscard]] virtual bool alive() const = 0;
    /// Waits until the children hold their environments. Errors: environment, device, measurement.
    [[nodiscard]] virtual Result<void> ready() = 0;
    /// Tells the children to quit; destruction then waits less.
    virtual void ask_to_quit() = 0;
};

/// One child: both ends, or one of them.
class RemoteDatapath final : public CellDatapath {
  public:
    explicit RemoteDatapath(std::unique_ptr<Process> process) : process_(std::move(process)) {}

    void select(std::size_t cell) override { cell_ = cell; }

    [[nodiscard]] bool alive() const override { return process_->alive(); }

    Result<void> ready() override { return process_->ready(); }

    void ask_to_quit() override { process_->ask_to_quit(); }

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override;
    Result<void> start() override;
    Result<void> enter(counters::Phase phase) override;
    Result<void> wait(Duration duration) override;
    Result<trial::Snapshot> snapshot() override;
    Result<trial::Snapshot> stop() override;
    Result<void> close() override;

    [[nodiscard]] Process& process() { return *process_; }

  private:
    Result<void> ask(Call what, const Bytes& payload = {});
    Result<trial::Snapshot> ask_for_snapshot(Call what);
    [[nodiscard]] Error nonsense(Call what) const;

    std::unique_ptr<Process> process_;
    std::size_t cell_ = 0;
};

/// The generator in one child, the sink in another. The sink opens, starts and changes phase
/// first; into drain too, so that its measure interval does not outlast the frames.
class Pair final : public CellDatapath {
  public:
    Pair(std::unique_ptr<Process> gen, std::unique_ptr<Process> sink)
        : gen_(std::move(gen)), sink_(std::move(sink)) {}

    void select(std::size_t cell) override;

    [[nodiscard]] bool alive() const override { return gen_.alive() && sink_.alive(); }

    Result<void> ready() override;
    void ask_to_quit() override;

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override;
    Result<void> start() override;
    Result<void> enter(counters::Phase phase) override;
    Result<void> wait(Duration duration) override;
    Result<trial::Snapshot> snapshot() override;
    Result<trial::Snapshot> stop() override;
    Result<void> close() override;

  private:
    RemoteDatapath gen_;
    RemoteDatapath sink_;
};

/// Generator's cores and sent frames of one end, sink's cores and seen frames of the other.
[[nodiscard]] trial::Snapshot merge(trial::Snapshot gen, trial::Snapshot sink);

}  // namespace gensink::worker
