// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "profile/settings.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A profile as written: every value parsed, every cell of arms and sweep with all its settings.
namespace gensink::profile {

/// What the user turned into a check.
struct Expect {
    std::string metric;  ///< empty: the verdict, or the limit alone
    std::string arm;     ///< empty: every arm
    /// Points it is about: swept key, value as the sweep writes it; empty: every point.
    std::vector<std::pair<std::string, std::string>> at;
    std::string limit;             ///< one of limit_names; empty: not asked
    std::string verdict;           ///< gain | loss | no_difference | inconclusive
    std::optional<double> equals;  ///< in the metric's unit
    std::optional<double> at_least;
    std::optional<double> at_most;
    double within_ratio = 0;
    std::string where;
};

/// What may set a rate, as reports name it.
inline constexpr std::string_view limit_names =
    "window|ack timer|rate|link|sink ring|sink CPU|generator CPU";

/// An arm at a point of the sweep.
struct Cell {
    std::string arm;
    std::vector<std::pair<std::string, std::string>> point;  ///< swept key, value as written
    bool placebo = false;
    Settings settings;
};

struct Profile {
    std::string file;
    std::string text;
    std::string digest;                  ///< XXH3-64 of text and overrides, 16 hex digits
    std::vector<std::string> overrides;  ///< "key=value", with what --ports stands for
    bool quick = false;
    Settings common;                 ///< without arms and sweep
    std::vector<std::string> arms;   ///< in written order, placebo excluded
    std::vector<std::string> swept;  ///< keys of the sweep
    std::vector<Cell> cells;         ///< arm-major over points, then the placebo's
    std::vector<Expect> expect;
};

struct LoadOptions {
    std::vector<std::string> set;  ///< "key=value", checked as the file is
    bool quick = false;            ///< shortens trials as run.quick says
    std::string ports;             ///< "A,B": wire.kind ports with generator A and sink B
};

/// Name of the only arm of a profile that has no arms.
inline constexpr std::string_view only_arm = "run";

/// Label of the baseline's second copy.
[[nodiscard]] std::string placebo_label(std::string_view baseline);

/// Parses and checks a profile. Returns every error found, each with its place; kinds: profile,
/// and usage for a malformed option.
[[nodiscard]] Results<Profile>
load(std::string_view text, std::string_view file, const LoadOptions& options = {});

/// As load, from a file. Error: usage where it cannot be read.
[[nodiscard]] Results<Profile>
load_file(const std::filesystem::path& file, const LoadOptions& options = {});

}  // namespace gensink::profile
