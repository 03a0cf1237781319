// SPDX-License-Identifier: BSD-3-Clause
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gensink::report {

namespace {

constexpr const char* absent = "-";

[[nodiscard]] bool defined(std::optional<double> value) {
    return value.has_value() && std::isfinite(*value);
}

/// Decimals that leave four significant digits of a value below 1000.
[[nodiscard]] int decimals_of(double magnitude) {
    if (magnitude < 9.9995) {
        return 3;
    }
    return magnitude < 99.995 ? 2 : 1;
}

[[nodiscard]] std::string with_prefix(std::optional<double> value, std::string_view unit) {
    if (!defined(value)) {
        return absent;
    }
    constexpr std::array<const char*, 5> prefixes{"", "k", "M", "G", "T"};
    double scaled = *value;
    std::size_t prefix = 0;
    while (std::fabs(scaled) >= 999.95 && prefix + 1 < prefixes.size()) {
        scaled /= 1000.0;
        ++prefix;
    }
    if (scaled == 0.0) {
        return fmt::format("0 {}", unit);
    }
    if (prefix == 0 && scaled == std::trunc(scaled)) {
        return fmt::format("{:.0f} {}", scaled, unit);
    }
    const int decimals = decimals_of(std::fabs(scaled));
    return fmt::format("{:.{}f} {}{}", scaled, decimals, prefixes.at(prefix), unit);
}

/// "3e-09" is "3e-9", "8e+14" is "8e14".
[[nodiscard]] std::string short_exponent(std::string text) {
    const std::size_t at = text.find('e');
    if (at == std::string::npos) {
        return text;
    }
    std::size_t digits = at + 1;
    if (text[digits] == '+') {
        text.erase(digits, 1);
    } else if (text[digits] == '-') {
        ++digits;
    }
    while (digits + 1 < text.size() && text[digits] == '0') {
        text.erase(digits, 1);
    }
    return text;
}

[[nodiscard]] std::string grouped(std::string digits) {
    const std::size_t first = !digits.empty() && digits.front() == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

[[nodiscard]] std::string gain_number(double ratio) {
    const double percents = ratio * 100.0;
    if (percents != 0.0 && std::fabs(percents) < 0.005) {
        return short_exponent(fmt::format("{:+.1g}", percents));
    }
    if (std::fabs(percents) >= 1e5) {
        return short_exponent(fmt::format("{:+.2g}", percents));
    }
    return fmt::format("{:+.2f}", percents);
}

[[nodiscard]] bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

std::string fps(std::optional<double> value) {
    return with_prefix(value, "fps");
}

std::string bits_per_second(std::optional<double> value) {
    return with_prefix(value, "bit/s");
}

std::string number(std::optional<double> value) {
    if (!defined(value)) {
        return absent;
    }
    const double magnitude = std::fabs(*value);
    if (magnitude == 0.0) {
        return "0";
    }
    if (magnitude < 0.1) {
        return short_exponent(fmt::format("{:.3g}", *value));
    }
    if (magnitude < 9.995) {
        return fmt::format("{:.2f}", *value);
    }
    if (magnitude < 999.95) {
        return fmt::format("{:.1f}", *value);
    }
    if (magnitude < 1e15) {
        return grouped(fmt::format("{:.0f}", *value));
    }
    return short_exponent(fmt::format("{:.4g}", *value));
}

std::string gain(std::optional<double> ratio) {
    return defined(ratio) ? gain_number(*ratio) + " %" : absent;
}

std::string percent(std::optional<double> ratio) {
    if (!defined(ratio)) {
        return absent;
    }
    return short_exponent(fmt::format("{:.3g} %", *ratio * 100.0));
}

std::string gain_range(double low_ratio, double high_ratio) {
    if (!std::isfinite(low_ratio) || !std::isfinite(high_ratio)) {
        return absent;
    }
    return fmt::format("{} .. {} %", gain_number(low_ratio), gain_number(high_ratio));
}

std::string count(std::uint64_t value) {
    return grouped(fmt::format("{}", value));
}

std::string signed_count(std::int64_t value) {
    return grouped(fmt::format("{}", value));
}

std::string loss(std::int64_t lost, std::uint64_t of) {
    if (of == 0) {
        return lost == 0 ? absent : fmt::format("({})", signed_count(lost));
    }
    if (lost == 0) {
        return "0";
    }
    const double ratio = static_cast<double>(lost) / static_cast<double>(of);
    const std::string shown =
        std::fabs(ratio) >= 1e-3 ? percent(ratio) : short_exponent(fmt::format("{:.3g}", ratio));
    return fmt::format("{} ({})", shown, signed_count(lost));
}

std::string duration(Duration value) {
    const double ns = static_cast<double>(value.count());
    const double magnitude = std::fabs(ns);
    if (magnitude < 999.5) {
        return fmt::format("{} ns", value.count());
    }
    if (magnitude < 999.5e3) {
        return fmt::format("{:.3g} us", ns / 1e3);
    }
    if (magnitude < 999.5e6) {
        return fmt::format("{:.3g} ms", ns / 1e6);
    }
    if (magnitude < 119.5e9) {
        return fmt::format("{:.3g} s", ns / 1e9);
    }
    const auto whole = static_cast<std::int64_t>(std::llround(ns / 1e9));
    if (whole < 3600) {
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    }
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::size_t columns(std::string_view text) {
    std::size_t width = 0;
    for (const char byte : text) {
        width += continues(byte) ? 0U : 1U;
    }
    return width;
}

std::string pad_left(std::string_view text, std::size_t width) {
    const std::size_t have = columns(text);
    return std::string(width > have ? width - have : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
    const std::size_t have = columns(text);
    return std::string(text).append(width > have ? width - have : 0, ' ');
}

std::string shorten(std::string_view text, std::size_t width) {
    if (columns(text) <= width) {
        return std::string(text);
    }
    const std::size_t mark = width < 3 ? width : 3;
    std::size_t end = 0;
    std::size_t taken = 0;
    while (end < text.size() && (taken < width - mark || continues(text[end]))) {
        taken += continues(text[end]) ? 0U : 1U;
        ++end;
    }
    return std::string(text.substr(0, end)).append(mark, '.');
}

std::string join(const std::vector<std::string>& texts, std::string_view between) {
    std::string joined;
    for (const std::string& text : texts) {
        joined.append(joined.empty() ? "" : between).append(text);
    }
    return joined;
}

namespace {

std::string wrap_line(std::string_view text, std::size_t width, std::string_view indent) {
    std::string wrapped;
    // Leading spaces are the first line's own indent.
    std::size_t at = std::min(text.find_first_not_of(' '), text.size());
    std::string line(at, ' ');
    bool empty = true;
    while (at < text.size()) {
        std::size_t space = text.find(' ', at);
        while (space != std::string_view::npos && text.substr(space + 1).starts_with('%')) {
            space = text.find(' ', space + 1);  // a number keeps its percent sign
        }
        const std::string_view word = text.substr(at, space - at);
        at = space == std::string_view::npos ? text.size() : space + 1;
        if (!empty && columns(line) + 1 + columns(word) > width) {
            wrapped.append(line).append("\n");
            line = indent;
            empty = true;
        }
        line.append(empty ? "" : " ").append(word);
        empty = false;
    }
    return wrapped.append(line);
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::string_view indent) {
    std::string wrapped;
    while (true) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        wrapped += wrap_line(text.substr(0, end), width, indent);
        if (end == text.size()) {
            return wrapped;
        }
        wrapped += '\n';
        text.remove_prefix(end + 1);
    }
}

}  // namespace gensink::report
