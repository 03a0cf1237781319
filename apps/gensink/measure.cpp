// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include "apart/generator.hpp"
#include "dpdk/datapath.hpp"
#include "dpdk/eal.hpp"
#include "kernel/datapath.hpp"
#include "model/datapath.hpp"
#include "trial/trial.hpp"
#include "worker/fleet.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <unistd.h>

namespace gensink::app {
namespace {

/// A sink elsewhere may have to be waited for, and then to open its device.
worker::Deadlines peer_deadlines(const plan::Plan& plan) {
    worker::Deadlines deadlines;
    const bool peer = std::ranges::any_of(plan.cells, [](const plan::Cell& cell) {
        return cell.trial.sink && cell.trial.sink->peer;
    });
    if (peer) {
        deadlines.open += std::chrono::seconds(30);
    }
    return deadlines;
}

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

/// Makes a worker's datapath; with the sink's end at the other end of the link, where it is
/// elsewhere.
worker::MakeForEnvironment make_datapath() {
    return [session = std::random_device{}()](const plan::Environment& environment) {
        auto datapath = make_local(environment);
        return datapath && environment.peer ? apart::make_generator(*std::move(datapath), session)
                                            : std::move(datapath);
    };
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

trial::TrialResult run_trial(
    worker::Fleet& fleet,
    Modelled& modelled,
    const plan::TrialPlan& trial,
    const trial::Request& request,
    const trial::Progress& show
) {
    if (trial.model) {
        return modelled.run(trial, request, show);
    }
    const auto datapath = fleet.datapath(request.cell);
    return datapath ? trial::run(**datapath, trial, request, show)
                    : trial::failed(request, datapath.error());
}

}  // namespace

Result<std::unique_ptr<trial::Datapath>> make_local(const plan::Environment& environment) {
    if (environment.kernel) {
        return kernel::make_datapath(environment);
    }
    return dpdk::make_datapath(environment);
}

void bury(pid_t worker) {
    dpdk::remove_traces(runtime_dir(), worker);
}

experiment::ExperimentResult
measure(const plan::Plan& plan, const Signals& signals, Progress& progress) {
    worker::Fleet fleet(plan.cells, make_datapath(), signals.fd(), peer_deadlines(plan), &bury);
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
        trial::TrialResult result = run_trial(fleet, modelled, trial, request, show);
        progress.done(result);
        return result;
    };
    dpdk::remove_leftovers(runtime_dir());  // of a run that was killed
    experiment::ExperimentResult result = experiment::run(plan, hooks);
    fleet.new_round();
    dpdk::remove_leftovers(runtime_dir());
    return result;
}

}  // namespace gensink::app
