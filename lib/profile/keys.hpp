// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

/// The one declaration of every key that a profile may hold. Parsing, validation, suggestions, the
/// JSON Schema, the reference in profiles/README.md and `gensink plan` all read this table.
namespace gensink::profile {

/// How a value is written, and what it becomes.
enum class Kind {
    boolean,   ///< true | false
    count,     ///< a whole number without unit
    bytes,     ///< `128 B`, `64 KiB`, `9 kB`
    ticks,     ///< `500 ticks`
    duration,  ///< `44 ms`
    ratio,     ///< `2 %`
    margin,    ///< `+-2.5 %`; the sign may be left out
    bit_rate,  ///< `1 Gbit/s`
    load,      ///< `max`, `1.2 Mfps`, `500 Mbit/s l2`, `80 %`
    number,    ///< `0.5`
    text,
    choice,  ///< one of `choices`
    mac,     ///< `02:00:00:00:00:01`
    ipv4,    ///< `198.18.0.1`
    cpus,    ///< `2-5,8` or a list of numbers
    names,   ///< a list of words
    amount,  ///< `64 frames` or `8192 B`
};

/// cell: an arm or a sweep may set it. experiment: one value for the whole file.
enum class Scope { cell, experiment };

inline constexpr double unbounded = 1e18;

struct KeySpec {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order of writing
    std::string_view path;  ///< "tx.burst"
    Kind kind = Kind::text;
    std::string_view fallback = {};  ///< the default, as it would be written; empty: must be given
    std::string_view doc = {};       ///< one line, no full stop needed
    double min = 0;                  ///< inclusive, in the base unit: bytes, ns, bit/s, ratio, ...
    double max = unbounded;
    std::string_view choices = {};  ///< "full|due"; for names: what each may be, or empty
    std::string_view later = {};    ///< further choices that parse but are not available yet
    std::string_view absent = {};   ///< the word that means "no value", e.g. "auto" or "none"
    Scope scope = Scope::cell;
};

/// All keys, in the order in which they are documented and printed.
[[nodiscard]] std::span<const KeySpec> keys();

/// Calls `use` with each part of "a|b|c".
template <class Use>
constexpr void for_each_choice(std::string_view choices, Use use) {
    while (!choices.empty()) {
        const std::size_t bar = choices.find('|');
        use(choices.substr(0, bar));
        choices = bar == std::string_view::npos ? std::string_view{} : choices.substr(bar + 1);
    }
}

}  // namespace gensink::profile
