// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include "profile/value.hpp"

#include <chrono>
#include <utility>
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

/// Value of an argument of a device, as "name,key=value"; whether it is there.
bool has_argument(const std::string& device, const std::string& key) {
    return (device + ",").find("," + key + "=") != std::string::npos;
}

}  // namespace

std::vector<Error>
as_typed(std::vector<Error> errors, const std::string& key, const std::string& port) {
    for (Error& error : errors) {
        if (error.where.starts_with("--set " + key + "=") || error.where.starts_with("--ports ")) {
            error.where = "--port " + port;
        }
    }
    return errors;
}

std::string deaf(const std::string& device) {
    if (device.starts_with("net_null")) {
        return "net_null makes frames up, and nothing that is sent comes in at it";
    }
    if (device.starts_with("net_ring")) {
        return "net_ring is a ring within one process, into which no other can send";
    }
    const bool on_interface = has_argument(device, "iface") || (has_argument(device, "rx_iface") &&
                                                                has_argument(device, "tx_iface"));
    if (device.starts_with("net_pcap") && !on_interface) {
        return "net_pcap on files has nobody at its other end: give it iface=, a kernel interface, "
               "or rx_iface= and tx_iface=";
    }
    return {};
}

void add_wait_options(Command command, WaitArguments& options) {
    command
        .add_option(
            "--port", options.port, "the DPDK device to receive on, or `kernel`: its sockets"
        )
        .value("DEV")
        .required()
        .not_empty();
    add_set_option(command, options.profile.set);
    command.add_option("--for", options.time, "end after so long, such as 5m (default: Ctrl-C)")
        .value("TIME")
        .not_empty();
}

Results<Planned> plan_waiting(WaitArguments& options, const std::string& name) {
    options.profile.profile = name;
    options.profile.text = waiting_profile;
    if (options.port == "kernel") {
        options.profile.set.push_back("wire.kind=kernel");
    } else {
        options.profile.set.push_back("wire.sink=" + options.port);
    }
    if (auto reason = deaf(options.port); !reason.empty()) {
        return tl::unexpected(std::vector{
            Error{ErrorKind::usage, std::move(reason), "--port " + options.port, 0}});
    }
    return make_plan(options.profile).map_error([&](std::vector<Error> errors) {
        return as_typed(std::move(errors), "wire.sink", options.port);
    });
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
