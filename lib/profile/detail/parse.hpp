// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/detail/number.hpp"
#include "profile/value.hpp"

#include <tl/expected.hpp>

#include <span>
#include <string>
#include <string_view>

/// What parse_value is made of: a function for each way of writing.
namespace gensink::profile::detail {

using Parsed = tl::expected<Value, std::string>;

struct KindText {
    std::span<const Unit> units;
    std::string_view what;     ///< "a size"
    std::string_view example;  ///< "64 KiB"
};

[[nodiscard]] KindText text_of(Kind kind);

/// "`x` is not a size such as `64 KiB`".
[[nodiscard]] tl::unexpected<std::string> wrong(const KeySpec& spec, std::string_view text);

/// The value, if it is in the key's range.
[[nodiscard]] tl::expected<double, std::string>
in_range(const KeySpec& spec, std::string_view text, double value);

/// A number with the key's unit, in the base unit, its range checked.
[[nodiscard]] tl::expected<double, std::string>
measured(const KeySpec& spec, std::string_view text);

[[nodiscard]] Parsed parse_whole(const KeySpec& spec, std::string_view text);
[[nodiscard]] Parsed parse_load(const KeySpec& spec, std::string_view text);
[[nodiscard]] Parsed parse_amount(const KeySpec& spec, std::string_view text);
[[nodiscard]] Parsed parse_address(const KeySpec& spec, std::string_view text);
[[nodiscard]] Parsed parse_choice(const KeySpec& spec, std::string_view text);
[[nodiscard]] Parsed parse_cpus(const KeySpec& spec, std::string_view text);

}  // namespace gensink::profile::detail
