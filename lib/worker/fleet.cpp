// SPDX-License-Identifier: BSD-3-Clause
#include "worker/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gensink::worker {

namespace {

const char* role(const plan::Environment& environment) {
    if (environment.drives_gen && environment.drives_sink) {
        return "generator and sink";
    }
    return environment.drives_gen ? "generator" : "sink";
}

bool share_a_device(
    std::span<const plan::Environment> left, std::span<const plan::Environment> right
) {
    return std::ranges::any_of(left, [&](const plan::Environment& l) {
        return std::ranges::any_of(right, [&](const plan::Environment& r) {
            return std::ranges::find_first_of(l.devices, r.devices) != l.devices.end();
        });
    });
}

}  // namespace

Fleet::Fleet(
    std::span<const plan::Cell> cells,
    MakeForEnvironment make,
    int stop_fd,
    Deadlines deadlines,
    std::function<void(pid_t)> after_death
)
    : cells_(cells)
    , make_(std::move(make))
    , stop_fd_(stop_fd)
    , deadlines_(deadlines)
    , after_death_(std::move(after_death)) {}

Result<trial::Datapath*> Fleet::datapath(std::size_t cell) {
    if (cell >= cells_.size()) {
        return fail(ErrorKind::plan, fmt::format("the plan has no cell {}", cell), "workers");
    }
    const auto& environments = cells_[cell].environments;
    std::erase_if(running_, [&](Running& running) {
        (void)running.datapath->wait(Duration{0}
        );  // notices a worker that died since its last trial
        return !running.datapath->alive() || (running.environments != environments &&
                                              share_a_device(running.environments, environments));
    });
    auto found = std::ranges::find(running_, environments, &Running::environments);
    if (found == running_.end()) {
        auto started = start(environments);
        if (!started) {
            return tl::unexpected<Error>(std::move(started.error()));
        }
        running_.push_back({environments, *std::move(started)});
        found = std::prev(running_.end());
    }
    found->datapath->select(cell);
    return found->datapath.get();
}

void Fleet::new_round() {
    for (const Running& running : running_) {
        running.datapath->ask_to_quit();  // all at once, then each is waited for
    }
    running_.clear();
}

Result<std::unique_ptr<Process>> Fleet::spawn(const plan::Environment& environment) const {
    Purpose purpose;
    purpose.role = role(environment);
    purpose.netns = environment.netns;
    purpose.cells = cells_;
    purpose.make = [make = make_, environment] {
        return make(environment);
    };
    purpose.after_death = after_death_;
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
