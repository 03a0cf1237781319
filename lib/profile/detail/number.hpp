// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tl/expected.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gensink::profile::detail {

struct Unit {
    std::string_view name;
    double factor;
};

/// A number and whatever follows it, both trimmed; absent where no plain decimal number leads.
struct Measure {
    double number = 0;
    std::string_view unit;
};

[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::optional<Measure> split_measure(std::string_view text);

inline constexpr Unit byte_units[] = {
    {"B", 1},
    {"kB", 1e3},
    {"KiB", 1024},
    {"MB", 1e6},
    {"MiB", 1048576},
    {"GB", 1e9},
    {"GiB", 1073741824},
};
inline constexpr Unit duration_units[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
inline constexpr Unit bit_rate_units[] = {
    {"bit/s", 1}, {"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9}, {"Tbit/s", 1e12}};
inline constexpr Unit fps_units[] = {{"fps", 1}, {"kfps", 1e3}, {"Mfps", 1e6}, {"Gfps", 1e9}};
inline constexpr Unit percent_units[] = {{"%", 0.01}};
inline constexpr Unit tick_units[] = {{"ticks", 1}};

/// The unit's factor, or a message that says which units there are and which was meant.
[[nodiscard]] tl::expected<double, std::string>
unit_factor(std::string_view unit, std::span<const Unit> units, std::string_view example);

/// A whole number of the base unit, or a message.
[[nodiscard]] tl::expected<double, std::string>
whole(double value, std::string_view text, std::string_view unit);

}  // namespace gensink::profile::detail
