// SPDX-License-Identifier: BSD-3-Clause
#include "saved_profile.hpp"

#include "profile/keys.hpp"
#include "profile/value.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gensink::app {
namespace {

/// What is compared is what a cell is, not how many rounds it got.
std::vector<report::Difference> differing(const profile::Settings& a, const profile::Settings& b) {
    const auto keys = profile::keys();
    const auto text = [](const profile::Setting& setting) {
        return setting.text.empty() ? std::string("(none)") : setting.text;
    };
    std::vector<report::Difference> found;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool counts = keys[i].scope == profile::Scope::cell;
        if (counts && !profile::same(a.at(i).value, b.at(i).value)) {
            found.push_back({std::string(keys[i].path), text(a.at(i)), text(b.at(i))});
        }
    }
    return found;
}

}  // namespace

ProfileOptions profile_of(const report::Saved& saved) {
    ProfileOptions options;
    options.profile = saved.plan.name + " (of the result)";
    options.text = saved.plan.profile_text;
    options.set = saved.plan.overrides;
    options.quick = saved.plan.quick;
    return options;
}

report::KeyDifferences key_differences(const report::Saved& a, const report::Saved& b) {
    auto left = load_profile(profile_of(a));
    auto right = load_profile(profile_of(b));
    if (!left || !right || left->cells.size() != a.plan.cells.size() ||
        right->cells.size() != b.plan.cells.size()) {
        return {};
    }
    using Profiles = std::pair<profile::Profile, profile::Profile>;
    const auto both = std::make_shared<const Profiles>(*std::move(left), *std::move(right));
    return [both](std::size_t x, std::size_t y) -> std::optional<std::vector<report::Difference>> {
        return differing(both->first.cells.at(x).settings, both->second.cells.at(y).settings);
    };
}

}  // namespace gensink::app
