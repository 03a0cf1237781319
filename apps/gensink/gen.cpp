// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>

#include "commands.hpp"
#include "planning.hpp"
#include "run.hpp"

namespace gensink::app {

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
    command.add_option("--port", options->port, "DEV: the DPDK device to send on")
        .required()
        .not_empty();
    add_run_options(command, options->run);
    command.callback([options, &status] {
        options->run.profile.ports = options->port + ",peer";
        status = run(options->run);
    });
}

}  // namespace gensink::app
