// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace gensink::profile::detail {

namespace {

constexpr std::string_view spaces = " \t";

/// Spellings that other tools use, and what they are called here.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"KB", "kB (1000 B) or KiB (1024 B)"},
    {"K", "KiB (1024 B) or kB (1000 B)"},
    {"k", "KiB (1024 B) or kB (1000 B)"},
    {"kb", "kB (1000 B) or KiB (1024 B)"},
    {"M", "MiB or MB"},
    {"G", "GiB or GB"},
    {"b", "B"},
    {"byte", "B"},
    {"bytes", "B"},
    {"sec", "s"},
    {"secs", "s"},
    {"seconds", "s"},
    {"msec", "ms"},
    {"usec", "us"},
    {"µs", "us"},
    {"bps", "bit/s"},
    {"kbps", "kbit/s"},
    {"Mbps", "Mbit/s"},
    {"Gbps", "Gbit/s"},
    {"Mb/s", "Mbit/s"},
    {"Gb/s", "Gbit/s"},
    {"Mbit", "Mbit/s"},
    {"Gbit", "Gbit/s"},
    {"pps", "fps"},
    {"kpps", "kfps"},
    {"Mpps", "Mfps"},
    {"percent", "%"},
};

std::string list(std::span<const Unit> units) {
    std::string text;
    for (const Unit& unit : units) {
        text += text.empty() ? "" : ", ";
        text += unit.name;
    }
    return text;
}

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::optional<Measure> split_measure(std::string_view text) {
    text = trim(text);
    // from_chars would also take "inf", "nan" and exponents.
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view digits = text.substr(0, end);
    if (digits.empty() || digits.front() == '.' || digits.back() == '.' || digits.size() > 30) {
        return std::nullopt;
    }
    Measure measure;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), measure.number);
    if (error != std::errc{} || stop != digits.data() + digits.size()) {
        return std::nullopt;
    }
    measure.unit = trim(text.substr(end));
    return measure;
}

tl::expected<double, std::string>
unit_factor(std::string_view unit, std::span<const Unit> units, std::string_view example) {
    for (const Unit& candidate : units) {
        if (candidate.name == unit) {
            return candidate.factor;
        }
    }
    if (unit.empty()) {
        return tl::unexpected(fmt::format("needs a unit, such as `{}`", example));
    }
    for (const auto& [other, ours] : spellings) {
        if (other == unit) {
            return tl::unexpected(
                fmt::format("unit `{}` is not known here: did you mean {}?", unit, ours)
            );
        }
    }
    return tl::unexpected(
        fmt::format("unit `{}` does not fit; use one of {}, as in `{}`", unit, list(units), example)
    );
}

tl::expected<double, std::string>
whole(double value, std::string_view text, std::string_view unit) {
    const double rounded = std::round(value);
    // 1.1 MiB in binary floating point is off by far less than this; half a byte is far more.
    if (std::abs(value - rounded) > 1e-6 * std::max(1.0, std::abs(value) * 1e-6)) {
        return tl::unexpected(fmt::format("`{}` is not a whole number of {}", text, unit));
    }
    return rounded;
}

}  // namespace gensink::profile::detail
