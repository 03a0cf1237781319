// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "planning.hpp"

namespace gensink::app {
namespace {

/// The errors of a profile that would be slow to find one run at a time, or the whole plan.
Status show_plan(const ProfileOptions& options) {
    const auto planned = make_plan(options);
    if (!planned) {
        return report_errors(planned.error());
    }
    const plan::Plan& plan = planned->plan;
    fmt::print("{}{}{}\n", plan.name, plan.summary.empty() ? "" : ": ", plan.summary);
    fmt::print("profile {}, digest {}\n\n", planned->profile.file, plan.profile_digest);
    fmt::print("{}\n", plan::describe_keys(planned->profile));
    fmt::print("{}", plan::describe_cells(plan, planned->topology));
    fmt::print("{}", plan::describe_experiment(plan));
    for (const std::string& warning : plan.warnings) {
        fmt::print("warning: {}\n", warning);
    }
    return Status::ok;
}

}  // namespace

void add_plan(Command root, Status& status) {
    Command command = root.add_command(
        "plan", "validate a profile; print every key, the plan, trials and time (no EAL, no root)"
    );
    auto options = std::make_shared<ProfileOptions>();
    add_profile_options(command, *options);
    add_ports_option(command, *options);
    command.callback([options, &status] { status = show_plan(*options); });
}

}  // namespace gensink::app
