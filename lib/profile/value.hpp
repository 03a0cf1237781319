// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "flow/load.hpp"
#include "profile/keys.hpp"

#include <tl/expected.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gensink::profile {

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4Address = std::array<std::uint8_t, 4>;
using Cpus = std::vector<unsigned>;
using Names = std::vector<std::string>;

/// A limit in frames or in bytes.
struct Amount {
    bool frames = false;
    std::uint64_t value = 0;
    friend bool operator==(const Amount&, const Amount&) = default;
};

/// A parsed value; monostate where the key's word for "no value" stands. Sizes in bytes, rates in
/// bit/s, ratios 0..1.
using Value = std::variant<
    std::monostate,
    bool,
    std::uint64_t,
    double,
    Duration,
    std::string,
    flow::Load,
    MacAddress,
    Ipv4Address,
    Cpus,
    Names,
    Amount>;

/// Whether both mean the same, however they were written.
[[nodiscard]] bool same(const Value& left, const Value& right);

/// Parses what is written for a key and checks its range. The error says what is wrong with `text`
/// and how to write it; it names neither the key nor the place.
[[nodiscard]] tl::expected<Value, std::string>
parse_value(const KeySpec& spec, std::string_view text);

/// As parse_value, for keys that hold a list (Kind::names, Kind::cpus).
[[nodiscard]] tl::expected<Value, std::string>
parse_list(const KeySpec& spec, const std::vector<std::string>& items);

/// True where a list may be written.
[[nodiscard]] bool holds_list(Kind kind);

/// How a value of this key is written, for messages: "a size such as `64 KiB`".
[[nodiscard]] std::string how_to_write(const KeySpec& spec);

/// A number in the key's base unit, written as a profile would: 65536 of Kind::bytes is "64 KiB".
[[nodiscard]] std::string write_number(Kind kind, double value);

}  // namespace gensink::profile
