// SPDX-License-Identifier: BSD-3-Clause
#include "worker/remote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gensink::worker {

Error RemoteDatapath::nonsense(Call what) const {
    return {
        ErrorKind::measurement,
        fmt::format(
            "worker (pid {}, {}) gave an answer to '{}' that makes no sense",
            process_->pid(),
            process_->purpose().role,
            name(what)
        ),
        "worker",
        0};
}

Result<void> RemoteDatapath::ask(Call what, const Bytes& payload) {
    return process_->call(what, payload, process_->purpose().deadlines.call).map([](const Bytes&) {
    });
}

Result<trial::Snapshot> RemoteDatapath::ask_for_snapshot(Call what) {
    auto bytes = process_->call(what, {}, process_->purpose().deadlines.call);
    if (!bytes) {
        return tl::unexpected<Error>(std::move(bytes.error()));
    }
    auto snapshot = decode_snapshot(*bytes);
    if (!snapshot) {
        return tl::unexpected<Error>(nonsense(what));
    }
    return *std::move(snapshot);
}

Result<trial::Opened> RemoteDatapath::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    const OpenCall call{cell_, run_id, plan.load, plan.intended_fps, plan.frames.destination_mac};
    auto bytes = process_->call(Call::open, encode(call), process_->purpose().deadlines.open);
    if (!bytes) {
        return tl::unexpected<Error>(std::move(bytes.error()));
    }
    auto opened = decode_opened(*bytes);
    if (!opened) {
        return tl::unexpected<Error>(nonsense(Call::open));
    }
    return *std::move(opened);
}

Result<void> RemoteDatapath::start() {
    return ask(Call::start);
}

Result<void> RemoteDatapath::enter(counters::Phase phase) {
    return ask(Call::enter, encode(phase));
}

Result<void> RemoteDatapath::wait(Duration duration) {
    const std::array<Process*, 1> processes{process_.get()};
    return wait_with(processes, duration);
}

Result<trial::Snapshot> RemoteDatapath::snapshot() {
    return ask_for_snapshot(Call::snapshot);
}

Result<trial::Snapshot> RemoteDatapath::stop() {
    return ask_for_snapshot(Call::stop);
}

Result<void> RemoteDatapath::close() {
    return ask(Call::close);
}

}  // namespace gensink::worker
