// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/direction.hpp"

#include <string_view>
#include <utility>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

/// Where an end is; how it sends or receives stays with the role.
constexpr std::pair<std::string_view, std::string_view> places[] = {
    {"wire.gen", "wire.sink"},
    {"wire.gen_netns", "wire.sink_netns"},
    {"wire.gen_driver", "wire.sink_driver"},
    {"traffic.source_mac", "traffic.destination_mac"},
    {"traffic.source_ip", "traffic.destination_ip"},
    {"host.gen_cpus", "host.sink_cpus"},
};

profile::Setting& setting_of(Settings& settings, std::string_view path) {
    return settings.at(profile::find_key(path).value_or(0));
}

}  // namespace

bool is_reverse(const Settings& settings) {
    return settings.get<std::string>("traffic.direction") == "reverse";
}

profile::Profile facing(profile::Profile profile) {
    for (profile::Cell& cell : profile.cells) {
        if (!is_reverse(cell.settings)) {
            continue;
        }
        for (const auto& [gen, sink] : places) {
            std::swap(setting_of(cell.settings, gen), setting_of(cell.settings, sink));
        }
    }
    return profile;
}

}  // namespace gensink::plan::detail
