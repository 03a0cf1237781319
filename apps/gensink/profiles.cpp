// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "commands.hpp"
#include "planning.hpp"

namespace gensink::app {
namespace {

/// One line a profile: its name, how long it takes here, and what it asks.
Status list_profiles() {
    const auto files = bundled_profiles();
    if (!files) {
        return report_errors(std::span(&files.error(), 1));
    }
    Status status = Status::ok;
    fmt::print("{:<18} {:>12} {:>9}  {}\n", "profile", "about", "--quick", "question");
    for (const std::filesystem::path& file : *files) {
        ProfileOptions options;
        options.profile = file.string();
        const auto whole = make_plan(options);
        options.quick = true;
        const auto quick = make_plan(options);
        if (!whole || !quick) {
            status = report_errors(whole ? quick.error() : whole.error());
            continue;
        }
        fmt::print(
            "{:<18} {:>12} {:>9}  {}\n",
            file.stem().string(),
            plan::describe_duration(whole->plan.duration()),
            plan::describe_duration(quick->plan.duration()),
            whole->plan.summary
        );
    }
    if (!files->empty()) {
        fmt::print(
            "\nRun one with `gensink run NAME`; they are in {}\n",
            files->front().parent_path().string()
        );
    }
    return status;
}

}  // namespace

void add_profiles(Command root, Status& status) {
    Command command =
        root.add_command("profiles", "list the bundled profiles and how long each takes");
    command.callback([&status] { status = list_profiles(); });
}

}  // namespace gensink::app
