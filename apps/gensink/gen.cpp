// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>

#include "commands.hpp"
#include "planning.hpp"
#include "run.hpp"
#include "streams.hpp"
#include "waiting.hpp"

namespace gensink::app {
namespace {

Status gen(const RunArguments& options, const std::string& port) {
    const auto planned = make_plan(options.profile);
    if (!planned) {
        return report_errors(as_typed(planned.error(), "wire.gen", port));
    }
    const auto& sink = planned->plan.cells.front().trial.sink;
    if (sink && sink->peer) {
        if (const std::string reason = deaf(port); !reason.empty()) {
            return report_errors({{{ErrorKind::usage, reason, "--port " + port, 0}}});
        }
        tell("asking for a `gensink sink` on the link; one that another generator uses, or died "
             "with, is waited for up to 15 s\n");
    }
    return run(options);
}

}  // namespace

void add_gen(Command root, Status& status) {
    struct Arguments {
        RunArguments run;
        std::string port;
    };

    auto options = std::make_shared<Arguments>();
    Command command = root.add_command(
        "gen", "run an experiment as its generator; `gensink sink` waits at the other end"
    );
    add_profile_options(command, options->run.profile);
    command
        .add_option("--port", options->port, "the DPDK device to send on, or `kernel`: its sockets")
        .value("DEV")
        .required()
        .not_empty();
    add_run_options(command, options->run);
    command.callback([options, &status] {
        options->run.profile.ports = options->port + ",peer";
        status = gen(options->run, options->port);
    });
}

}  // namespace gensink::app
