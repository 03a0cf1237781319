// SPDX-License-Identifier: BSD-3-Clause
#include "profile/settings.hpp"

#include <algorithm>

namespace gensink::profile {

Settings::Settings() {
    settings_.reserve(keys().size());
    for (const KeySpec& spec : keys()) {
        Setting setting;
        if (!spec.fallback.empty()) {
            // A default that does not parse is caught by a unit test over the whole table.
            setting.value = parse_value(spec, spec.fallback).value_or(Value{});
            setting.text = spec.fallback;
        }
        settings_.push_back(std::move(setting));
    }
}

std::string Settings::where(std::string_view path) const {
    const Setting& setting = at(path);
    return setting.where.empty() ? std::string(path) + " (default)" : setting.where;
}

bool Settings::given(std::string_view prefix) const {
    const auto table = keys();
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].path.starts_with(prefix) && settings_[i].origin != Origin::fallback) {
            return true;
        }
    }
    return false;
}

bool Settings::is_default(std::string_view path) const {
    static const Settings defaults;
    return same(at(path).value, defaults.at(path).value);
}

const Setting& Settings::at(std::string_view path) const {
    return settings_[find_key(path).value_or(0)];
}

std::optional<std::size_t> find_key(std::span<const KeySpec> table, std::string_view path) {
    const auto at = std::find_if(table.begin(), table.end(), [&](const KeySpec& spec) {
        return spec.path == path;
    });
    if (at == table.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(at - table.begin());
}

std::optional<std::size_t> find_key(std::string_view path) {
    return find_key(keys(), path);
}

}  // namespace gensink::profile
