// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/reader.hpp"

#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gensink::profile::detail {

namespace {

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

bool is_structure(Table table, std::string_view path) {
    return table.data() == keys().data() &&
           std::ranges::find(structures, path) != std::end(structures);
}

/// Reads the keys of a section and of the sections in it.
class SectionReader {
  public:
    SectionReader(Table table, std::vector<Assignment>& out, Errors& errors)
        : table_(table), out_(out), errors_(errors) {}

    void read(const YamlNode& map, std::string_view prefix) {
        check_duplicates(map, prefix, errors_);
        for (std::size_t i = 0; i < map.keys.size(); ++i) {
            const std::string path = join(prefix, map.keys[i].scalar);
            if (prefix.empty() && is_structure(table_, path)) {
                continue;
            }
            if (const auto index = find_key(table_, path)) {
                read_key(map.keys[i], map.items[i], *index);
            } else if (is_section(table_, path)) {
                read_subsection(map.items[i], path);
            } else {
                errors_.add(map.keys[i].mark, path, unknown_key(table_, path));
            }
        }
    }

  private:
    void read_key(const YamlNode& key, const YamlNode& value, std::size_t index) {
        if (const std::size_t dot = key.scalar.find('.'); dot != std::string::npos) {
            errors_.add(
                key.mark,
                table_[index].path,
                fmt::format(
                    "write it as a map: `{}: {{{}: ...}}`",
                    key.scalar.substr(0, dot),
                    key.scalar.substr(dot + 1)
                )
            );
        } else if (auto setting = read_setting(table_[index], value, errors_)) {
            Assignment assignment{index, std::move(*setting), value.mark, {}};
            for (const YamlNode& item : value.items) {
                assignment.items.push_back(item.mark);
            }
            out_.push_back(std::move(assignment));
        }
    }

    void read_subsection(const YamlNode& value, const std::string& path) {
        if (value.type == YamlNode::Type::map) {
            read(value, path);
        } else if (value.type != YamlNode::Type::null) {
            errors_.add(
                value.mark, path, fmt::format("is {}, but holds keys: write a map", describe(value))
            );
        }
    }

    Table table_;
    std::vector<Assignment>& out_;
    Errors& errors_;
};

}  // namespace

std::string unknown_key(std::string_view path, std::span<const std::string_view> candidates) {
    const auto meant = nearest_path(path, candidates);
    return meant ? fmt::format("unknown key: did you mean `{}`?", *meant)
                 : fmt::format("unknown key: there are {}", join_words(candidates));
}

std::string unknown_key(std::span<const KeySpec> table, std::string_view path) {
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
    const auto meant = nearest_path(path, candidates);
    if (meant) {
        return fmt::format("unknown key: did you mean `{}`?", *meant);
    }
    return table.data() == keys().data()
               ? "unknown key: `gensink schema reference` and profiles/README.md list all"
               : "unknown key: drivers-config/README.md lists all";
}

void check_duplicates(const YamlNode& map, std::string_view prefix, Errors& errors) {
    std::set<std::string_view> seen;
    for (const YamlNode& key : map.keys) {
        if (!seen.insert(key.scalar).second) {
            errors.add(key.mark, join(prefix, key.scalar), "written twice: keep one");
        }
    }
}

std::optional<Setting> read_setting(const KeySpec& spec, const YamlNode& node, Errors& errors) {
    Setting setting;
    setting.origin = node.mark.override_index >= 0 ? Origin::command_line : Origin::profile;
    setting.where = errors.where(node.mark, spec.path);
    const auto refuse = [&](std::string message) {
        errors.add(node.mark, spec.path, std::move(message));
        return std::nullopt;
    };
    if (node.type == YamlNode::Type::scalar) {
        auto value = parse_value(spec, node.scalar);
        if (!value) {
            return refuse(std::move(value.error()));
        }
        setting.value = std::move(*value);
        setting.text = node.scalar;
        return setting;
    }
    if (node.type == YamlNode::Type::sequence && holds_list(spec.kind)) {
        std::vector<std::string> items;
        for (const YamlNode& item : node.items) {
            if (item.type != YamlNode::Type::scalar) {
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

std::vector<Assignment> read_keys(const YamlNode& root, Table table, Errors& errors) {
    std::vector<Assignment> all;
    SectionReader(table, all, errors).read(root, "");
    return all;
}

}  // namespace gensink::profile::detail
