// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/detail/errors.hpp"
#include "profile/detail/node.hpp"
#include "profile/profile.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// From the tree to values: each function reads one part and reports all that is wrong in it.
namespace gensink::profile::detail {

/// A value for the key at `key` of keys(), with its place.
struct Assignment {
    std::size_t key = 0;
    Setting setting;
    Mark mark;
    std::vector<Mark> items;  ///< of a list's values
};

struct ArmText {
    std::string name;
    std::vector<Assignment> set;
    Mark mark;
};

/// One swept key.
struct Axis {
    std::size_t key = 0;
    std::vector<Setting> values;
    std::vector<Mark> marks;  ///< of the values
    Mark mark;
};

struct SweepText {
    bool zip = false;  ///< values side by side; else every combination
    std::vector<Axis> axes;
    Mark mark;
};

/// The file's parts before arms and sweep are multiplied out.
struct Parts {
    std::vector<Assignment> common;
    std::vector<ArmText> arms;
    SweepText sweep;
    std::vector<Expect> expect;
};

[[nodiscard]] Parts read_parts(const YamlNode& root, Errors& errors);

/// Parses the value of a key; absent after an error.
[[nodiscard]] std::optional<Setting>
read_setting(const KeySpec& spec, const YamlNode& node, Errors& errors);

/// Reads every key of a table of keys from a nested map.
[[nodiscard]] std::vector<Assignment>
read_keys(const YamlNode& root, std::span<const KeySpec> table, Errors& errors);

/// Top-level keys that are no sections of the table.
inline constexpr std::string_view structures[] = {"arms", "sweep", "expect"};

/// "unknown key", with which key or section of the table was probably meant, or where all are
/// listed.
[[nodiscard]] std::string unknown_key(std::span<const KeySpec> table, std::string_view path);

/// "unknown key", with which of the candidates was probably meant, or all of them.
[[nodiscard]] std::string
unknown_key(std::string_view path, std::span<const std::string_view> candidates);

/// "unknown metric", with what was probably meant.
[[nodiscard]] std::string unknown_metric(std::string_view name);

/// Reports keys that are written twice in one map.
void check_duplicates(const YamlNode& map, std::string_view prefix, Errors& errors);

/// The sweep says which points there are.
[[nodiscard]] std::vector<Expect>
read_expect(const YamlNode& node, const SweepText& sweep, Errors& errors);

}  // namespace gensink::profile::detail
