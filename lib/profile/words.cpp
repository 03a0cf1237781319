// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/parse.hpp"
#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace gensink::profile {

namespace detail {

namespace {

/// Numbers between separators, each at most `limit`, in `base`; false unless all N are there.
template <std::size_t N>
bool parse_octets(
    std::string_view text, char separator, int base, std::array<std::uint8_t, N>& out
) {
    for (std::size_t i = 0; i < N; ++i) {
        const std::size_t end = std::min(text.find(separator), text.size());
        const std::string_view part = text.substr(0, end);
        const auto [stop, error] =
            std::from_chars(part.data(), part.data() + part.size(), out.at(i), base);
        if (part.empty() || part.size() > 3 || error != std::errc{} ||
            stop != part.data() + part.size()) {
            return false;
        }
        if ((i + 1 == N) != (end == text.size())) {
            return false;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return true;
}

/// "2-5,8" into numbers; false where it is not of that form.
bool parse_cpu_range(std::string_view text, Cpus& out) {
    unsigned first = 0;
    const char* end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, first);
    if (error != std::errc{}) {
        return false;
    }
    unsigned last = first;
    if (stop != end && *stop == '-') {
        const auto range = std::from_chars(stop + 1, end, last);
        stop = range.ptr;
        error = range.ec;
    }
    if (error != std::errc{} || stop != end || last < first || last > 4095) {
        return false;
    }
    for (unsigned cpu = first; cpu <= last; ++cpu) {
        out.push_back(cpu);
    }
    return true;
}

Parsed parse_cpu_list(const KeySpec& spec, const std::vector<std::string>& items) {
    Cpus cpus;
    for (const std::string& item : items) {
        if (!parse_cpu_range(item, cpus)) {
            return wrong(spec, item);
        }
    }
    Cpus sorted = cpus;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
        return tl::unexpected(std::string("names a CPU twice"));
    }
    return Value{cpus};
}

Parsed parse_names(const KeySpec& spec, const std::vector<std::string>& items) {
    KeySpec one = spec;
    one.kind = spec.choices.empty() ? Kind::text : Kind::choice;
    for (const std::string& item : items) {
        if (std::ranges::count(items, item) > 1) {
            return tl::unexpected(fmt::format("names `{}` twice", item));
        }
        if (Parsed parsed = parse_value(one, item); !parsed) {
            return parsed;
        }
    }
    return Value{Names(items)};
}

}  // namespace

Parsed parse_address(const KeySpec& spec, std::string_view text) {
    if (spec.kind == Kind::mac) {
        MacAddress mac{};
        if (parse_octets(text, ':', 16, mac)) {
            return Value{mac};
        }
    } else {
        Ipv4Address ip{};
        if (parse_octets(text, '.', 10, ip)) {
            return Value{ip};
        }
    }
    return wrong(spec, text);
}

Parsed parse_choice(const KeySpec& spec, std::string_view text) {
    bool found = false;
    const auto match = [&](std::string_view choice) {
        found = found || choice == text;
    };
    for_each_choice(spec.choices, match);
    for_each_choice(spec.later, match);
    if (found) {
        return Value{std::string(text)};
    }
    std::vector<std::string_view> all;
    for_each_choice(spec.choices, [&](std::string_view choice) { all.push_back(choice); });
    for_each_choice(spec.later, [&](std::string_view choice) { all.push_back(choice); });
    const std::optional<std::string> meant = nearest(text, all);
    return tl::unexpected(fmt::format(
        "`{}` is not {}{}",
        text,
        how_to_write(spec),
        meant ? fmt::format(": did you mean `{}`?", *meant) : std::string()
    ));
}

Parsed parse_cpus(const KeySpec& spec, std::string_view text) {
    std::vector<std::string> items;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        items.emplace_back(trim(rest.substr(0, comma)));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return parse_list(spec, items);
}

}  // namespace detail

bool holds_list(Kind kind) {
    return kind == Kind::names || kind == Kind::cpus;
}

tl::expected<Value, std::string>
parse_list(const KeySpec& spec, const std::vector<std::string>& items) {
    if (items.empty()) {
        return tl::unexpected(fmt::format("is an empty list; write {}", how_to_write(spec)));
    }
    if (items.size() == 1 && !spec.absent.empty() && items.front() == spec.absent) {
        return Value{};
    }
    return spec.kind == Kind::cpus ? detail::parse_cpu_list(spec, items)
                                   : detail::parse_names(spec, items);
}

}  // namespace gensink::profile
