// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands.hpp"
#include "planning.hpp"

namespace gensink::app {

struct RunArguments {
    ProfileOptions profile;
    std::string out;
    std::string budget;
    std::string junit;
    std::string prometheus;
    std::optional<std::uint64_t> seed;
    bool yes = false;
    bool json_stream = false;
};

/// Adds --out, --seed, --budget, --junit, --prometheus, --json-stream and --yes.
void add_run_options(Command command, RunArguments& options);

/// Runs the experiment, writes its result and prints it.
[[nodiscard]] Status run(const RunArguments& options);

}  // namespace gensink::app
