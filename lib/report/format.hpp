// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Numbers as a person reads them. Absent and undefined values are "-", never 0.
namespace gensink::report {

/// Four significant digits: "27.83 Mfps", "0 fps".
[[nodiscard]] std::string fps(std::optional<double> value);
/// "14.25 Gbit/s"; the caller says which layer.
[[nodiscard]] std::string bits_per_second(std::optional<double> value);
/// A plain quantity with three or four significant digits: "7.25", "103.2", "12,345".
[[nodiscard]] std::string number(std::optional<double> value);
/// A ratio as signed percent: "+34.12 %"; what is not 0 never prints as 0.
[[nodiscard]] std::string gain(std::optional<double> ratio);
/// A ratio as unsigned percent: "98.7 %", "100 %"; what is not 0 never prints as 0.
[[nodiscard]] std::string percent(std::optional<double> ratio);
/// "+33.01 .. +35.20 %".
[[nodiscard]] std::string gain_range(double low_ratio, double high_ratio);
/// "1,234,567".
[[nodiscard]] std::string count(std::uint64_t value);
[[nodiscard]] std::string signed_count(std::int64_t value);
/// Loss as a ratio that is never rounded to 0, and as frames: "3e-9 (3)", "0", "-" when `of` is 0.
[[nodiscard]] std::string loss(std::int64_t lost, std::uint64_t of);
/// "850 ns", "12.3 us", "350 ms", "1.25 s", "2 min 03 s", "1 h 02 min".
[[nodiscard]] std::string duration(Duration value);

/// Terminal columns of UTF-8 text, one per code point.
[[nodiscard]] std::size_t columns(std::string_view text);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
/// At most `width` columns; what is cut shows as "...".
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);
[[nodiscard]] std::string join(const std::vector<std::string>& texts, std::string_view between);
/// Breaks at spaces into lines of at most `width` columns; continuation lines start with `indent`.
/// Lines of the text stay lines.
[[nodiscard]] std::string
wrap(std::string_view text, std::size_t width, std::string_view indent = "");

}  // namespace gensink::report
