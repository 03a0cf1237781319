// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"
#include "plan/topology.hpp"
#include "profile/driver_config.hpp"
#include "profile/profile.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace gensink::app {

/// How a command line names a profile and changes it.
struct ProfileOptions {
    std::string profile;  ///< a path, or the name of a bundled profile
    std::string text;     ///< the profile itself, where it is in no file
    std::vector<std::string> set;
    std::string ports;
    bool quick = false;
};

/// Adds PROFILE, --set and --quick.
void add_profile_options(Command command, ProfileOptions& options, bool required = true);

/// Adds --set.
void add_set_option(Command command, std::vector<std::string>& set);

/// Adds --ports.
void add_ports_option(Command command, ProfileOptions& options);

/// Files of the bundled profiles, by name.
[[nodiscard]] Result<std::vector<std::filesystem::path>> bundled_profiles();

struct Planned {
    profile::Profile profile;
    plan::Topology topology;
    std::vector<profile::DriverConfig> drivers;
    plan::Plan plan;
};

/// What PROFILE, --set, --ports and --quick stand for, or every error in it.
[[nodiscard]] Results<profile::Profile> load_profile(const ProfileOptions& options);

/// Profile, host and driver files -> plan, or every error there is.
[[nodiscard]] Results<Planned> make_plan(const ProfileOptions& options);

}  // namespace gensink::app
