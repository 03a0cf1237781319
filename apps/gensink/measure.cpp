// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include "dpdk/datapath.hpp"
#include "dpdk/eal.hpp"
#include "model/datapath.hpp"
#include "trial/trial.hpp"
#include "worker/fleet.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace gensink::app {
namespace {

/// Where EAL keeps what its process shares.
std::filesystem::path runtime_dir() {
    for (const char* name : {"RUNTIME_DIRECTORY", getuid() == 0 ? "" : "XDG_RUNTIME_DIR"}) {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): the parent has one thread, and sets no variable
        if (const char* const dir = std::getenv(name); dir != nullptr) {
            return dir;
        }
    }
    return getuid() == 0 ? "/var/run" : "/tmp";
}

/// Trials of the model, each with its own luck: cells of a round share none, and a repeat is not
/// the same again.
class Modelled {
  public:
    Modelled(const plan::Plan& plan, const Signals& signals)
        : seed_(plan.stats.seed)
        , datapath_(model::make_datapath([&signals] { return signals.arrived(); })) {}

    trial::TrialResult
    run(plan::TrialPlan trial, const trial::Request& request, const trial::Progress& progress) {
        ++trials_;
        const std::array<std::uint64_t, 6> numbers{
            seed_,
            request.cell,
            request.round,
            request.attempt,
            static_cast<std::uint64_t>(request.load_kind),
            request.round == 0 ? trials_ : 0};  // outside of rounds the same may be asked twice
        trial.model->seed = model::seed_of(numbers);
        return trial::run(*datapath_, trial, request, progress);
    }

  private:
    std::uint64_t seed_;
    std::uint64_t trials_ = 0;
    std::unique_ptr<trial::Datapath> datapath_;
};

}  // namespace

experiment::ExperimentResult
measure(const plan::Plan& plan, const Signals& signals, Progress& progress) {
    const auto bury = [dir = runtime_dir()](pid_t worker) {
        dpdk::remove_traces(dir, worker);
    };
    worker::Fleet fleet(plan.cells, &dpdk::make_datapath, signals.fd(), {}, bury);
    Modelled modelled(plan, signals);
    experiment::Hooks hooks;
    hooks.begin_round = [&](unsigned) {
        fleet.new_round();
    };
    hooks.stopped = [&] {
        return signals.arrived();
    };
    hooks.progress = [&](unsigned done, unsigned total) {
        progress.step(done, total);
    };
    hooks.run_trial = [&](const trial::Request& request) {
        const plan::TrialPlan& trial = plan.cells[request.cell].trial;
        const trial::Progress show = [&](counters::Phase phase, const trial::Snapshot& s) {
            progress.show(request, phase, s);
        };
        if (trial.model) {
            return modelled.run(trial, request, show);
        }
        const auto datapath = fleet.datapath(request.cell);
        return datapath ? trial::run(**datapath, trial, request, show)
                        : trial::failed(request, datapath.error());
    };
    return experiment::run(plan, hooks);
}

}  // namespace gensink::app
