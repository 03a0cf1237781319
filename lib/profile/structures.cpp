// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/reader.hpp"
#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::profile::detail {

namespace {

/// A key that arms and sweeps may set, by its dotted path; absent after an error.
std::optional<std::size_t>
cell_key(const YamlNode& key, std::string_view path, std::string_view user, Errors& errors) {
    const auto index = find_key(key.scalar);
    if (!index) {
        errors.add(key.mark, path, unknown_key(keys(), key.scalar));
        return std::nullopt;
    }
    if (keys()[*index].scope == Scope::experiment) {
        errors.add(
            key.mark,
            path,
            fmt::format("`{}` belongs to the whole experiment: {} cannot set it", key.scalar, user)
        );
        return std::nullopt;
    }
    return index;
}

void read_set(const YamlNode& set, std::string_view path, ArmText& arm, Errors& errors) {
    if (set.type == YamlNode::Type::null) {
        return;
    }
    if (set.type != YamlNode::Type::map) {
        errors.add(
            set.mark,
            path,
            fmt::format("is {}: write a map such as `{{tx.burst: 1}}`", describe(set))
        );
        return;
    }
    check_duplicates(set, path, errors);
    for (std::size_t i = 0; i < set.keys.size(); ++i) {
        const std::string key_path = fmt::format("{}.{}", path, set.keys[i].scalar);
        const auto index = cell_key(set.keys[i], key_path, "an arm", errors);
        if (!index) {
            continue;
        }
        if (auto setting = read_setting(keys()[*index], set.items[i], errors)) {
            setting->origin = Origin::arm;
            arm.set.push_back({*index, std::move(*setting), set.keys[i].mark, {}});
        }
    }
}

ArmText read_arm(const YamlNode& node, std::string_view path, Errors& errors) {
    ArmText arm;
    arm.mark = node.mark;
    if (node.type != YamlNode::Type::map) {
        errors.add(
            node.mark,
            path,
            fmt::format("is {}: write `{{name: ..., set: {{tx.burst: 1}}}}`", describe(node))
        );
        return arm;
    }
    check_duplicates(node, path, errors);
    static constexpr std::string_view known[] = {"name", "set"};
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const std::string key_path = fmt::format("{}.{}", path, node.keys[i].scalar);
        const YamlNode& value = node.items[i];
        if (node.keys[i].scalar == "name") {
            if (value.type != YamlNode::Type::scalar || value.scalar.empty()) {
                errors.add(value.mark, key_path, fmt::format("is {}, not a name", describe(value)));
                continue;
            }
            arm.name = value.scalar;
        } else if (node.keys[i].scalar == "set") {
            read_set(value, key_path, arm, errors);
        } else {
            errors.add(node.keys[i].mark, key_path, unknown_key(node.keys[i].scalar, known));
        }
    }
    if (arm.name.empty()) {
        errors.add(node.mark, path, "an arm needs a name");
    } else if (arm.name.find("(placebo)") != std::string::npos) {
        errors.add(node.mark, path, "\"(placebo)\" marks the baseline's copy: choose another name");
    }
    return arm;
}

std::vector<ArmText> read_arms(const YamlNode& node, Errors& errors) {
    std::vector<ArmText> arms;
    if (node.type != YamlNode::Type::sequence) {
        errors.add(node.mark, "arms", fmt::format("is {}: write a list of arms", describe(node)));
        return arms;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        ArmText arm = read_arm(node.items[i], fmt::format("arms[{}]", i), errors);
        const bool twice = std::ranges::any_of(arms, [&](const ArmText& other) {
            return !arm.name.empty() && other.name == arm.name;
        });
        if (twice) {
            errors.add(
                arm.mark, fmt::format("arms[{}]", i), fmt::format("a second arm `{}`", arm.name)
            );
        }
        arms.push_back(std::move(arm));
    }
    return arms;
}

std::optional<Axis> read_axis(
    const YamlNode& key, const YamlNode& values, std::string_view path, bool zip, Errors& errors
) {
    const auto index = cell_key(key, path, "a sweep", errors);
    if (!index) {
        return std::nullopt;
    }
    if (values.type != YamlNode::Type::sequence || values.items.empty()) {
        const bool empty = values.type == YamlNode::Type::sequence;
        errors.add(
            values.mark,
            path,
            fmt::format(
                "is {}: write the list of values to run", empty ? "an empty list" : describe(values)
            )
        );
        return std::nullopt;
    }
    Axis axis;
    axis.key = *index;
    axis.mark = key.mark;
    for (const YamlNode& item : values.items) {
        auto setting = read_setting(keys()[*index], item, errors);
        if (!setting) {
            continue;
        }
        setting->origin = Origin::sweep;
        setting->where = errors.where(item.mark, path);
        const bool twice = std::ranges::any_of(axis.values, [&](const Setting& other) {
            return same(other.value, setting->value);
        });
        if (twice && !zip) {
            errors.add(item.mark, path, fmt::format("value `{}` twice", setting->text));
        }
        axis.values.push_back(std::move(*setting));
        axis.marks.push_back(item.mark);
    }
    return axis;
}

void read_axes(const YamlNode& map, std::string_view path, SweepText& sweep, Errors& errors) {
    if (map.type != YamlNode::Type::map) {
        errors.add(
            map.mark,
            path,
            fmt::format("is {}: write a map such as `{{tx.burst: [1, 32]}}`", describe(map))
        );
        return;
    }
    check_duplicates(map, path, errors);
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
        const std::string key_path = fmt::format("{}.{}", path, map.keys[i].scalar);
        if (auto axis = read_axis(map.keys[i], map.items[i], key_path, sweep.zip, errors)) {
            sweep.axes.push_back(std::move(*axis));
        }
    }
    const auto uneven = std::ranges::find_if(sweep.axes, [&](const Axis& axis) {
        return sweep.zip && axis.values.size() != sweep.axes.front().values.size();
    });
    if (uneven != sweep.axes.end()) {
        errors.add(
            uneven->mark,
            path,
            fmt::format(
                "zip puts values side by side, but `{}` has {} and `{}` has {}",
                keys()[sweep.axes.front().key].path,
                sweep.axes.front().values.size(),
                keys()[uneven->key].path,
                uneven->values.size()
            )
        );
    }
}

SweepText read_sweep(const YamlNode& node, Errors& errors) {
    SweepText sweep;
    if (node.type == YamlNode::Type::null) {
        return sweep;
    }
    if (node.type != YamlNode::Type::map || node.keys.size() != 1) {
        errors.add(
            node.mark,
            "sweep",
            "write either `cross: {key: [values]}` (every combination) or `zip: {key: [values]}` "
            "(side by side)"
        );
    }
    static constexpr std::string_view known[] = {"cross", "zip"};
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const std::string& mode = node.keys[i].scalar;
        const std::string path = fmt::format("sweep.{}", mode);
        if (std::ranges::find(known, mode) != std::end(known)) {
            sweep = {};
            sweep.zip = mode == "zip";
            read_axes(node.items[i], path, sweep, errors);
        } else if (node.keys.size() == 1) {
            errors.add(node.keys[i].mark, path, unknown_key(mode, known));
        }
    }
    return sweep;
}

}  // namespace

Parts read_parts(const YamlNode& root, Errors& errors) {
    Parts parts;
    parts.common = read_keys(root, keys(), errors);
    for (std::size_t i = 0; i < root.keys.size(); ++i) {
        const std::string& key = root.keys[i].scalar;
        if (key == "arms") {
            parts.arms = read_arms(root.items[i], errors);
        } else if (key == "sweep") {
            parts.sweep = read_sweep(root.items[i], errors);
            parts.sweep.mark = root.keys[i].mark;
        }
    }
    for (std::size_t i = 0; i < root.keys.size(); ++i) {
        if (root.keys[i].scalar == "expect") {
            parts.expect = read_expect(root.items[i], parts.sweep, errors);
        }
    }
    return parts;
}

}  // namespace gensink::profile::detail
