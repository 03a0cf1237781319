// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/reader.hpp"

#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gensink::profile::detail {

namespace {

constexpr std::string_view structures[] = {"arms", "sweep", "expect"};

std::string join(std::string_view prefix, std::string_view key) {
    return prefix.empty() ? std::string(key) : fmt::format("{}.{}", prefix, key);
}

using Table = std::span<const KeySpec>;

bool is_section(Table table, std::string_view path) {
    const std::string prefix = fmt::format("{}.", path);
    return std::ranges::any_of(table, [&](const KeySpec& spec) {
        return spec.path.starts_with(prefix);
    });
}

std::string unknown_key_of(Table table, std::string_view path) {
    std::vector<std::string_view> candidates;
    std::set<std::string_view> sections;
    for (const KeySpec& spec : table) {
        candidates.push_back(spec.path);
        sections.insert(spec.path.substr(0, spec.path.find('.')));
    }
    if (path.find('.') == std::string_view::npos) {
        candidates.insert(candidates.begin(), sections.begin(), sections.end());
        if (table.data() == keys().data()) {
            candidates.insert(candidates.end(), std::begin(structures), std::end(structures));
        }
    }
    return unknown_key(path, candidates);
}

/// Reads the keys of a section and of the sections in it.
void read_section(
    const Node& map,
    std::string_view prefix,
    Table table,
    std::vector<Assignment>& out,
    Errors& errors
) {
    check_duplicates(map, prefix, errors);
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
        const Node& key = map.keys[i];
        const Node& value = map.items[i];
        const std::string path = join(prefix, key.scalar);
        if (prefix.empty() && table.data() == keys().data() &&
            std::ranges::find(structures, path) != std::end(structures)) {
            continue;
        }
        if (const auto index = find_key(table, path)) {
            if (const std::size_t dot = key.scalar.find('.'); dot != std::string::npos) {
                errors.add(
                    key.mark,
                    path,
                    fmt::format(
                        "write it as a map: `{}: {{{}: ...}}`",
                        key.scalar.substr(0, dot),
                        key.scalar.substr(dot + 1)
                    )
                );
                continue;
            }
            if (auto setting = read_setting(table[*index], value, errors)) {
                out.push_back({*index, std::move(*setting), value.mark});
            }
            continue;
        }
        if (!is_section(table, path)) {
            errors.add(key.mark, path, unknown_key_of(table, path));
        } else if (value.type == Node::Type::map) {
            read_section(value, path, table, out, errors);
        } else if (value.type != Node::Type::null) {
            errors.add(
                value.mark, path, fmt::format("is {}, but holds keys: write a map", describe(value))
            );
        }
    }
}

/// A key that arms and sweeps may set, by its dotted path; absent after an error.
std::optional<std::size_t>
cell_key(const Node& key, std::string_view path, std::string_view user, Errors& errors) {
    const auto index = find_key(key.scalar);
    if (!index) {
        errors.add(key.mark, path, unknown_key_of(keys(), key.scalar));
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

void read_set(const Node& set, std::string_view path, ArmText& arm, Errors& errors) {
    if (set.type == Node::Type::null) {
        return;
    }
    if (set.type != Node::Type::map) {
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
            arm.set.push_back({*index, std::move(*setting), set.keys[i].mark});
        }
    }
}

ArmText read_arm(const Node& node, std::string_view path, Errors& errors) {
    ArmText arm;
    arm.mark = node.mark;
    if (node.type != Node::Type::map) {
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
        const Node& value = node.items[i];
        if (node.keys[i].scalar == "name") {
            if (value.type != Node::Type::scalar || value.scalar.empty()) {
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

std::vector<ArmText> read_arms(const Node& node, Errors& errors) {
    std::vector<ArmText> arms;
    if (node.type != Node::Type::sequence) {
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

std::optional<Axis>
read_axis(const Node& key, const Node& values, std::string_view path, Errors& errors) {
    const auto index = cell_key(key, path, "a sweep", errors);
    if (!index) {
        return std::nullopt;
    }
    if (values.type != Node::Type::sequence || values.items.empty()) {
        errors.add(
            values.mark,
            path,
            fmt::format("is {}: write the list of values to run", describe(values))
        );
        return std::nullopt;
    }
    Axis axis;
    axis.key = *index;
    axis.mark = key.mark;
    for (const Node& item : values.items) {
        auto setting = read_setting(keys()[*index], item, errors);
        if (!setting) {
            continue;
        }
        setting->origin = Origin::sweep;
        setting->where = errors.where(item.mark, path);
        for (const Setting& other : axis.values) {
            if (same(other.value, setting->value)) {
                errors.add(item.mark, path, fmt::format("value `{}` twice", setting->text));
            }
        }
        axis.values.push_back(std::move(*setting));
    }
    return axis;
}

void read_axes(const Node& map, std::string_view path, SweepText& sweep, Errors& errors) {
    if (map.type != Node::Type::map) {
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
        if (auto axis = read_axis(map.keys[i], map.items[i], key_path, errors)) {
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

SweepText read_sweep(const Node& node, Errors& errors) {
    SweepText sweep;
    if (node.type == Node::Type::null) {
        return sweep;
    }
    if (node.type != Node::Type::map || node.keys.size() != 1) {
        errors.add(
            node.mark,
            "sweep",
            "write either `cross: {key: [values]}` (every combination) or `zip: {key: [values]}` "
            "(side by side)"
        );
        return sweep;
    }
    static constexpr std::string_view known[] = {"cross", "zip"};
    const std::string& mode = node.keys.front().scalar;
    const std::string path = fmt::format("sweep.{}", mode);
    if (std::ranges::find(known, mode) == std::end(known)) {
        errors.add(node.keys.front().mark, path, unknown_key(mode, known));
        return sweep;
    }
    sweep.zip = mode == "zip";
    read_axes(node.items.front(), path, sweep, errors);
    return sweep;
}

}  // namespace

std::string unknown_key(std::string_view path, std::span<const std::string_view> candidates) {
    const auto meant = nearest_path(path, candidates);
    return meant ? fmt::format("unknown key: did you mean `{}`?", *meant) : "unknown key";
}

void check_duplicates(const Node& map, std::string_view prefix, Errors& errors) {
    std::set<std::string_view> seen;
    for (const Node& key : map.keys) {
        if (!seen.insert(key.scalar).second) {
            errors.add(key.mark, join(prefix, key.scalar), "written twice: keep one");
        }
    }
}

std::optional<Setting> read_setting(const KeySpec& spec, const Node& node, Errors& errors) {
    Setting setting;
    setting.origin = node.mark.override_index >= 0 ? Origin::command_line : Origin::profile;
    setting.where = errors.where(node.mark, spec.path);
    const auto refuse = [&](std::string message) {
        errors.add(node.mark, spec.path, std::move(message));
        return std::nullopt;
    };
    if (node.type == Node::Type::scalar) {
        auto value = parse_value(spec, node.scalar);
        if (!value) {
            return refuse(std::move(value.error()));
        }
        setting.value = std::move(*value);
        setting.text = node.scalar;
        return setting;
    }
    if (node.type == Node::Type::sequence && holds_list(spec.kind)) {
        std::vector<std::string> items;
        for (const Node& item : node.items) {
            if (item.type != Node::Type::scalar) {
                return refuse(fmt::format("holds {}; write {}", describe(item), how_to_write(spec))
                );
            }
            items.push_back(item.scalar);
        }
        auto value = parse_list(spec, items);
        if (!value) {
            return refuse(std::move(value.error()));
        }
        setting.value = std::move(*value);
        setting.text = fmt::format("[{}]", join_words(items));
        return setting;
    }
    return refuse(fmt::format("is {}; write {}", describe(node), how_to_write(spec)));
}

std::vector<Assignment> read_keys(const Node& root, Table table, Errors& errors) {
    std::vector<Assignment> all;
    read_section(root, "", table, all, errors);
    return all;
}

Parts read_parts(const Node& root, Errors& errors) {
    Parts parts;
    parts.common = read_keys(root, keys(), errors);
    for (std::size_t i = 0; i < root.keys.size(); ++i) {
        const std::string& key = root.keys[i].scalar;
        if (key == "arms") {
            parts.arms = read_arms(root.items[i], errors);
        } else if (key == "sweep") {
            parts.sweep = read_sweep(root.items[i], errors);
        } else if (key == "expect") {
            parts.expect = read_expect(root.items[i], errors);
        }
    }
    return parts;
}

}  // namespace gensink::profile::detail
