// SPDX-License-Identifier: BSD-3-Clause
#include "planning.hpp"

#include "host/data_dir.hpp"
#include "host/topology.hpp"
#include "plan/make.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace gensink::app {
namespace {

Result<std::filesystem::path> find_profile(const std::string& name) {
    std::error_code ignored;
    std::error_code code;
    if (const auto file = std::filesystem::status(name, code); std::filesystem::exists(file)) {
        return std::filesystem::path(name);
    }
    const auto dir = host::data_dir("profiles");
    if (!dir) {
        return tl::unexpected<Error>(dir.error());
    }
    std::filesystem::path bundled = *dir / (name + ".yaml");
    if (name.find('/') == std::string::npos && std::filesystem::exists(bundled, ignored)) {
        return bundled;
    }
    // A loop of links, or a folder that may not be entered: the file may well be there.
    if (code && code != std::errc::no_such_file_or_directory &&
        code != std::errc::not_a_directory) {
        return fail(ErrorKind::usage, "cannot be read: " + code.message(), name);
    }
    return fail(
        ErrorKind::usage,
        "no such file, and no bundled profile of that name; `gensink profiles` lists them",
        name
    );
}

}  // namespace

Results<profile::Profile> load_profile(const ProfileOptions& options) {
    const profile::LoadOptions how{options.set, options.quick, options.ports};
    if (!options.text.empty()) {
        return profile::load(options.text, options.profile, how);
    }
    const auto file = find_profile(options.profile);
    return file ? profile::load_file(*file, how)
                : tl::unexpected<std::vector<Error>>(std::vector<Error>{file.error()});
}

void add_profile_options(Command command, ProfileOptions& options, bool required) {
    command.add_option("PROFILE", options.profile, "a YAML file, or the name of a bundled profile")
        .required(required);
    add_set_option(command, options.set);
    command.add_flag("--quick", options.quick, "shorter trials; the confidence stays");
}

void add_set_option(Command command, std::vector<std::string>& set) {
    command.add_option("--set", set, "change a key of the profile; may be repeated")
        .value("KEY=VALUE")
        .repeated();
}

void add_ports_option(Command command, ProfileOptions& options) {
    command
        .add_option(
            "--ports",
            options.ports,
            "two DPDK devices, generator and sink; B may be none, or peer: a `gensink sink` "
            "at the other end"
        )
        .value("A,B")
        .not_empty();
}

Result<std::vector<std::filesystem::path>> bundled_profiles() {
    const auto folder = host::data_dir("profiles");
    if (!folder) {
        return tl::unexpected<Error>(folder.error());
    }
    std::error_code code;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(*folder, code)) {
        if (entry.path().extension() == ".yaml") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

Results<Planned> make_plan(const ProfileOptions& options) {
    const auto one = [](Error error) {
        return tl::unexpected<std::vector<Error>>(std::vector<Error>{std::move(error)});
    };
    const auto folder = host::data_dir("drivers-config");
    if (!folder) {
        return one(folder.error());
    }
    auto drivers = profile::load_drivers(*folder);
    if (!drivers) {
        return tl::unexpected<std::vector<Error>>(drivers.error());
    }
    auto profile = load_profile(options);
    if (!profile) {
        return tl::unexpected<std::vector<Error>>(profile.error());
    }
    auto topology = host::topology();
    if (!topology) {
        return one(topology.error());
    }
    auto plan = plan::make(*profile, *topology, *drivers, std::to_string(getpid()));
    if (!plan) {
        return tl::unexpected<std::vector<Error>>(plan.error());
    }
    return Planned{
        std::move(*profile), std::move(*topology), std::move(*drivers), std::move(*plan)};
}

}  // namespace gensink::app
