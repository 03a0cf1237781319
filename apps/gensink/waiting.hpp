// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "trial/datapath.hpp"
#include "worker/fleet.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "planning.hpp"
#include "signals.hpp"

/// What the commands that wait for another host's frames share.
namespace gensink::app {

struct WaitArguments {
    std::string port;
    ProfileOptions profile;  ///< its --set only
    std::string time;
};

/// Adds --port, --set and --for.
void add_wait_options(Command command, WaitArguments& options);

/// Names --port where errors name the key of the profile, or the option, that it is short for.
[[nodiscard]] std::vector<Error>
as_typed(std::vector<Error> errors, const std::string& key, const std::string& port);

/// Why nothing that another host or process sends can come in at a device; empty: it may.
[[nodiscard]] std::string deaf(const std::string& device);

/// A plan whose sink is the port, and whose generator is elsewhere. `name`: of the command, for
/// messages. Its profile is left in `options`.
[[nodiscard]] Results<Planned> plan_waiting(WaitArguments& options, const std::string& name);

/// Value of --for; absent: no limit.
[[nodiscard]] Result<std::optional<Duration>> read_time(const WaitArguments& options);

/// Deadlines for a worker that may have to open a device, which takes its time, within one call.
[[nodiscard]] worker::Deadlines waiting_deadlines();

/// Asks for counts until a signal comes or the time is over, and shows them; then stops the
/// datapath, and shows its last.
[[nodiscard]] Status serve(
    trial::Datapath& datapath,
    const Signals& signals,
    std::optional<Duration> time,
    const std::function<void(const trial::Snapshot&)>& show
);

}  // namespace gensink::app
