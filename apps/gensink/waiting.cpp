// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include "profile/value.hpp"

#include <chrono>
#include <variant>

namespace gensink::app {
namespace {

using Clock = std::chrono::steady_clock;

/// A generator's profile is laid over it. The memory is for jumbo frames: it cannot grow later.
constexpr const char* waiting_profile = R"(gensink: 1
name: sink
wire: {kind: ports, gen: peer}
host: {memory: 256 MiB}
)";

}  // namespace

void add_wait_options(Command command, WaitArguments& options) {
    command.add_option("--port", options.port, "DEV: the DPDK device to receive on")
        .required()
        .not_empty();
    add_set_option(command, options.profile);
    command.add_option("--for", options.time, "end after so long, such as 5m (default: Ctrl-C)")
        .not_empty();
}

Results<Planned> plan_waiting(WaitArguments& options, const std::string& name) {
    options.profile.profile = name;
    options.profile.text = waiting_profile;
    options.profile.set.push_back("wire.sink=" + options.port);
    return make_plan(options.profile);
}

Result<std::optional<Duration>> read_time(const WaitArguments& options) {
    if (options.time.empty()) {
        return std::nullopt;
    }
    const auto value =
        profile::parse_value({.path = "--for", .kind = profile::Kind::duration}, options.time);
    if (!value) {
        return fail(ErrorKind::usage, value.error(), "--for " + options.time);
    }
    return std::get<Duration>(*value);
}

worker::Deadlines waiting_deadlines() {
    worker::Deadlines deadlines;
    deadlines.call += std::chrono::seconds(20);
    return deadlines;
}

Status serve(
    trial::Datapath& datapath,
    const Signals& signals,
    std::optional<Duration> time,
    const std::function<void(const trial::Snapshot&)>& show
) {
    const auto start = Clock::now();
    while (!signals.arrived() && (!time || Clock::now() - start < *time)) {
        const auto counts = datapath.snapshot();
        if (counts) {
            show(*counts);
        } else if (!signals.arrived()) {
            return report_errors({{counts.error()}});
        }
    }
    if (const auto last = datapath.stop()) {
        show(*last);
    }
    (void)datapath.close();
    return Status::ok;
}

}  // namespace gensink::app
