// SPDX-License-Identifier: BSD-3-Clause
#include "host/doctor.hpp"

#include "host/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "commands.hpp"
#include "planning.hpp"
#include "probe.hpp"

namespace gensink::app {
namespace {

/// Judged when no profile is named: a cable run, which asks for the least.
constexpr const char* usual_profile = "xmit-batching";

void print(const host::Check& check, std::size_t width) {
    fmt::print("{:<8}{:<{}}  {}\n", host::name(check.status), check.name, width, check.found);
    if (!check.fix.empty()) {
        fmt::print("{:<8}{:<{}}  -> {}\n", "", "", width, check.fix);
    }
}

/// Virtual devices that drivers-config does not know may not exist at all: they are opened.
void check_unknown_devices(const plan::Plan& plan, std::vector<host::Check>& checks) {
    std::set<std::string> unknown;
    const auto look_at = [&](const plan::EndPlan& end) {
        if (end.driver.name == "default" && end.netns.empty() && end.device.starts_with("net_")) {
            unknown.insert(end.device);
        }
    };
    for (const plan::Cell& cell : plan.cells) {
        look_at(cell.trial.gen);
        if (cell.trial.sink) {
            look_at(*cell.trial.sink);
        }
    }
    for (const std::string& device : unknown) {
        const bool opens = opens_in_child(device);
        checks.push_back(
            {"device " + device,
             opens ? host::CheckStatus::ok : host::CheckStatus::fail,
             opens ? "opens" : "does not open",
             opens ? "" : fmt::format("gensink devices {}", device)}
        );
    }
}

/// Exit status 0: the run can be made; 3: something that fails stops it.
Status examine(ProfileOptions options) {
    if (options.profile.empty()) {
        options.profile = usual_profile;
    }
    const auto planned = make_plan(options);
    if (!planned) {
        return report_errors(planned.error());
    }
    if (std::ranges::all_of(planned->plan.cells, [](const plan::Cell& cell) {
            return cell.trial.wire == plan::WireKind::model;
        })) {
        fmt::print(
            "`gensink run {}` takes place on the model, in virtual time: any host will do\n",
            options.profile
        );
        return Status::ok;
    }
    const host::Need need = host::need(planned->plan, planned->topology);
    auto checks = host::checks(planned->topology, host::probes(), need);
    check_unknown_devices(planned->plan, checks);
    std::size_t width = 0;
    for (const host::Check& check : checks) {
        width = std::max(width, check.name.size());
    }
    fmt::print("This host for `gensink run {}`\n\n", options.profile);
    for (const host::Check& check : checks) {
        print(check, width);
    }
    const auto count = [&](host::CheckStatus status) {
        return std::count_if(checks.begin(), checks.end(), [status](const host::Check& check) {
            return check.status == status;
        });
    };
    const bool possible = host::can_run(checks);
    fmt::print(
        "\n{} ok, {} warn, {} fail, {} unknown: {}\n",
        count(host::CheckStatus::ok),
        count(host::CheckStatus::warn),
        count(host::CheckStatus::fail),
        count(host::CheckStatus::unknown),
        possible ? "the run can be made" : "the run cannot be made until what fails is fixed"
    );
    return possible ? Status::ok : Status::environment;
}

}  // namespace

void add_doctor(Command root, Status& status) {
    auto options = std::make_shared<ProfileOptions>();
    Command command = root.add_command(
        "doctor",
        "what stands between this host and a good measurement, each with the command that fixes it"
    );
    add_profile_options(command, *options, false);
    add_ports_option(command, *options);
    command.footer(
        "Exit status: 0 the run can be made, 2 the profile is wrong, 3 it cannot be made."
    );
    command.callback([options, &status] { status = examine(*options); });
}

}  // namespace gensink::app
