// SPDX-License-Identifier: BSD-3-Clause
#include "worker/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gensink::worker {

namespace {

const char* role(const plan::Environment& environment) {
    if (environment.drives_gen && environment.drives_sink) {
        return "generator and sink";
    }
    return environment.drives_gen ? "generator" : "sink";
}

}  // namespace

Fleet::Fleet(
    std::span<const plan::Cell> cells, MakeForEnvironment make, int stop_fd, Deadlines deadlines
)
    : cells_(cells), make_(std::move(make)), stop_fd_(stop_fd), deadlines_(deadlines) {}

Result<trial::Datapath*> Fleet::datapath(std::size_t cell) {
    if (cell >= cells_.size()) {
        return fail(ErrorKind::plan, fmt::format("the plan has no cell {}", cell), "workers");
    }
    const auto& environments = cells_[cell].environments;
    if (running_) {
        (void)running_->wait(Duration{0});  // notices a worker that died since its last trial
    }
    if (running_ && (!running_->alive() || running_for_ != environments)) {
        new_round();
    }
    if (!running_) {
        auto started = start(environments);
        if (!started) {
            return tl::unexpected<Error>(std::move(started.error()));
        }
        running_ = *std::move(started);
        running_for_ = environments;
    }
    running_->select(cell);
    return running_.get();
}

void Fleet::new_round() {
    if (running_) {
        running_->ask_to_quit();
    }
    running_.reset();
    running_for_.clear();
}

Result<std::unique_ptr<Process>> Fleet::spawn(const plan::Environment& environment) const {
    Purpose purpose;
    purpose.role = role(environment);
    purpose.netns = environment.netns;
    purpose.cells = cells_;
    purpose.make = [make = make_, environment] {
        return make(environment);
    };
    purpose.stop_fd = stop_fd_;
    purpose.deadlines = deadlines_;
    return Process::spawn(std::move(purpose));
}

Result<std::unique_ptr<CellDatapath>> Fleet::start(std::span<const plan::Environment> environments
) {
    if (environments.empty() || environments.size() > 2) {
        return fail(
            ErrorKind::plan,
            fmt::format("a cell needs one or two workers, not {}", environments.size()),
            "workers"
        );
    }
    auto first = spawn(environments.front());
    if (!first) {
        return tl::unexpected<Error>(std::move(first.error()));
    }
    std::unique_ptr<CellDatapath> datapath;
    if (environments.size() == 1) {
        datapath = std::make_unique<RemoteDatapath>(*std::move(first));
    } else {
        auto second = spawn(environments.back());  // both start at the same time
        if (!second) {
            return tl::unexpected<Error>(std::move(second.error()));
        }
        datapath = std::make_unique<Pair>(*std::move(first), *std::move(second));
    }
    if (auto ready = datapath->ready(); !ready) {
        return tl::unexpected<Error>(std::move(ready.error()));
    }
    return datapath;
}

}  // namespace gensink::worker
