// SPDX-License-Identifier: BSD-3-Clause
#include "profile/value.hpp"

#include "profile/detail/number.hpp"
#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace gensink::profile {

namespace {

using Parsed = tl::expected<Value, std::string>;
using detail::Measure;
using detail::Unit;

struct KindText {
    std::span<const Unit> units;
    std::string_view what;     ///< "a size"
    std::string_view example;  ///< "64 KiB"
};

KindText text_of(Kind kind) {
    switch (kind) {
    case Kind::bytes:
        return {detail::byte_units, "a size", "64 KiB"};
    case Kind::ticks:
        return {detail::tick_units, "a number of ticks", "500 ticks"};
    case Kind::duration:
        return {detail::duration_units, "a duration", "44 ms"};
    case Kind::ratio:
        return {detail::percent_units, "a share", "2 %"};
    case Kind::margin:
        return {detail::percent_units, "a margin", "+-2.5 %"};
    case Kind::bit_rate:
        return {detail::bit_rate_units, "a bit rate", "1 Gbit/s"};
    case Kind::load:
        return {{}, "a load", "1.2 Mfps"};
    case Kind::amount:
        return {{}, "an amount", "64 frames"};
    case Kind::boolean:
        return {{}, "true or false", "true"};
    case Kind::count:
        return {{}, "a whole number without a unit", "32"};
    case Kind::number:
        return {{}, "a number without a unit", "1.5"};
    case Kind::mac:
        return {{}, "a MAC address", "02:00:00:00:00:01"};
    case Kind::ipv4:
        return {{}, "an IPv4 address", "198.18.0.1"};
    case Kind::cpus:
        return {{}, "a list of CPUs", "2-5,8"};
    case Kind::names:
        return {{}, "a list", "[rx.fps]"};
    case Kind::text:
    case Kind::choice:
        break;
    }
    return {{}, "a word", ""};
}

tl::unexpected<std::string> wrong(const KeySpec& spec, std::string_view text) {
    return tl::unexpected(fmt::format("`{}` is not {}", text, how_to_write(spec)));
}

/// The value in base units, its range checked.
tl::expected<double, std::string>
in_range(const KeySpec& spec, std::string_view text, double value) {
    const double slack = 1e-12 * std::abs(value);  // 0.1 % in binary is not exactly 0.001
    if (value + slack >= spec.min && value - slack <= spec.max) {
        return value;
    }
    if (spec.max >= unbounded) {
        return tl::unexpected(fmt::format(
            "`{}` is out of range: at least {}", text, write_number(spec.kind, spec.min)
        ));
    }
    return tl::unexpected(fmt::format(
        "`{}` is out of range: {} to {}",
        text,
        write_number(spec.kind, spec.min),
        write_number(spec.kind, spec.max)
    ));
}

tl::expected<double, std::string> measured(const KeySpec& spec, std::string_view text) {
    const KindText kind = text_of(spec.kind);
    std::string_view digits = text;
    if (spec.kind == Kind::margin && digits.starts_with("+-")) {
        digits.remove_prefix(2);
    }
    const std::optional<Measure> measure = detail::split_measure(digits);
    if (!measure) {
        return wrong(spec, text);
    }
    if (kind.units.empty() && !measure->unit.empty()) {
        return tl::unexpected(fmt::format("`{}`: takes no unit, write {}", text, how_to_write(spec))
        );
    }
    double factor = 1;
    if (!kind.units.empty()) {
        auto found = detail::unit_factor(measure->unit, kind.units, kind.example);
        if (!found) {
            return tl::unexpected(fmt::format("`{}`: {}", text, found.error()));
        }
        factor = *found;
    }
    return in_range(spec, text, measure->number * factor);
}

Parsed parse_whole(const KeySpec& spec, std::string_view text) {
    const auto value = measured(spec, text);
    if (!value) {
        return tl::unexpected(value.error());
    }
    const std::string_view unit = spec.kind == Kind::duration ? "ns"
                                  : spec.kind == Kind::bytes  ? "bytes"
                                  : spec.kind == Kind::ticks  ? "ticks"
                                                              : "units";
    const auto exact = detail::whole(*value, text, unit);
    if (!exact) {
        return tl::unexpected(exact.error());
    }
    if (spec.kind == Kind::duration) {
        return Value{Duration{static_cast<Duration::rep>(*exact)}};
    }
    return Value{static_cast<std::uint64_t>(*exact)};
}

Parsed parse_load(const KeySpec& spec, std::string_view text) {
    using flow::LoadUnit;
    if (text == "max") {
        return Value{flow::Load{}};
    }
    const std::optional<Measure> measure = detail::split_measure(text);
    if (!measure) {
        return wrong(spec, text);
    }
    if (measure->number <= 0) {
        return tl::unexpected(fmt::format("`{}`: a load is above 0", text));
    }
    std::string_view unit = measure->unit;
    if (unit == "%") {
        if (measure->number > 100) {
            return tl::unexpected(fmt::format("`{}` is more than the line carries", text));
        }
        return Value{flow::Load{LoadUnit::line_ratio, measure->number / 100}};
    }
    if (const auto fps = detail::unit_factor(unit, detail::fps_units, "1.2 Mfps")) {
        return Value{flow::Load{LoadUnit::fps, measure->number * *fps}};
    }
    const std::size_t space = unit.find(' ');
    const std::string_view layer =
        space == std::string_view::npos ? std::string_view{} : detail::trim(unit.substr(space));
    const auto bits =
        detail::unit_factor(unit.substr(0, space), detail::bit_rate_units, "1 Gbit/s l1");
    if (!bits) {
        return tl::unexpected(fmt::format(
            "`{}`: {}; a load is `max`, `1.2 Mfps`, `500 Mbit/s l2` (or l1, payload) or `80 %`",
            text,
            unit.empty() ? std::string("needs a unit") : bits.error()
        ));
    }
    const LoadUnit as = layer == "l1"        ? LoadUnit::bps_l1
                        : layer == "l2"      ? LoadUnit::bps_l2
                        : layer == "payload" ? LoadUnit::bps_payload
                                             : LoadUnit::max;
    if (as == LoadUnit::max) {
        return tl::unexpected(fmt::format(
            "`{}`: say at which layer, as in `{} {} l1` (with preamble and gap), `l2` (frames) or "
            "`payload`",
            text,
            measure->number,
            unit.substr(0, space)
        ));
    }
    return Value{flow::Load{as, measure->number * *bits}};
}

Parsed parse_amount(const KeySpec& spec, std::string_view text) {
    const std::optional<Measure> measure = detail::split_measure(text);
    if (!measure) {
        return wrong(spec, text);
    }
    const bool frames = measure->unit == "frames";
    const auto factor = frames ? tl::expected<double, std::string>(1.0)
                               : detail::unit_factor(measure->unit, detail::byte_units, "8192 B");
    if (!factor) {
        return tl::unexpected(fmt::format("`{}`: {}, or frames", text, factor.error()));
    }
    const auto exact = detail::whole(measure->number * *factor, text, "units");
    if (!exact) {
        return tl::unexpected(exact.error());
    }
    const auto value = in_range(spec, text, *exact);
    if (!value) {
        return tl::unexpected(value.error());
    }
    return Value{Amount{frames, static_cast<std::uint64_t>(*value)}};
}

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

Parsed parse_cpus(const KeySpec& spec, std::string_view text) {
    std::vector<std::string> items;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        items.emplace_back(detail::trim(rest.substr(0, comma)));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return parse_list(spec, items);
}

}  // namespace

bool same(const Value& left, const Value& right) {
    if (left.index() != right.index()) {
        return false;
    }
    return std::visit(
        [&](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            const T& other = std::get<T>(right);
            if constexpr (std::is_same_v<T, flow::Load>) {
                return value.unit == other.unit && value.value == other.value;
            } else {
                return value == other;
            }
        },
        left
    );
}

bool holds_list(Kind kind) {
    return kind == Kind::names || kind == Kind::cpus;
}

Parsed parse_value(const KeySpec& spec, std::string_view written) {
    const std::string_view text = detail::trim(written);
    if (!spec.absent.empty() && text == spec.absent) {
        return Value{};
    }
    switch (spec.kind) {
    case Kind::boolean:
        if (text == "true" || text == "false") {
            return Value{text == "true"};
        }
        return wrong(spec, text);
    case Kind::count:
    case Kind::bytes:
    case Kind::ticks:
    case Kind::duration:
        return parse_whole(spec, text);
    case Kind::ratio:
    case Kind::margin:
    case Kind::bit_rate:
    case Kind::number: {
        const auto value = measured(spec, text);
        return value ? Parsed(Value{*value}) : Parsed(tl::unexpected(value.error()));
    }
    case Kind::load:
        return parse_load(spec, text);
    case Kind::amount:
        return parse_amount(spec, text);
    case Kind::mac:
    case Kind::ipv4:
        return parse_address(spec, text);
    case Kind::choice:
        return parse_choice(spec, text);
    case Kind::cpus:
        return parse_cpus(spec, text);
    case Kind::names:
        return parse_list(spec, {std::string(text)});
    case Kind::text:
        break;
    }
    if (text.empty()) {
        return tl::unexpected(std::string("is empty"));
    }
    return Value{std::string(text)};
}

Parsed parse_list(const KeySpec& spec, const std::vector<std::string>& items) {
    if (items.empty()) {
        return tl::unexpected(fmt::format("is an empty list; write {}", how_to_write(spec)));
    }
    if (items.size() == 1 && !spec.absent.empty() && items.front() == spec.absent) {
        return Value{};
    }
    if (spec.kind == Kind::cpus) {
        Cpus cpus;
        for (const std::string& item : items) {
            if (!parse_cpu_range(item, cpus)) {
                return wrong(spec, item);
            }
        }
        Cpus sorted = cpus;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
            return tl::unexpected(std::string("names a CPU twice"));
        }
        return Value{cpus};
    }
    for (const std::string& item : items) {
        if (std::count(items.begin(), items.end(), item) > 1) {
            return tl::unexpected(fmt::format("names `{}` twice", item));
        }
        KeySpec one = spec;
        one.kind = spec.choices.empty() ? Kind::text : Kind::choice;
        if (const Parsed parsed = parse_value(one, item); !parsed) {
            return parsed;
        }
    }
    return Value{Names(items)};
}

std::string how_to_write(const KeySpec& spec) {
    const KindText kind = text_of(spec.kind);
    std::string text;
    if (spec.kind == Kind::choice || (spec.kind == Kind::names && !spec.choices.empty())) {
        const auto add = [&](std::string_view choice) {
            text += text.empty() ? "one of " : ", ";
            text += choice;
        };
        for_each_choice(spec.choices, add);
        for_each_choice(spec.later, add);
    } else if (kind.example.empty() || spec.kind == Kind::boolean) {
        text = kind.what;
    } else {
        text = fmt::format("{} such as `{}`", kind.what, kind.example);
    }
    if (!spec.absent.empty()) {
        text += fmt::format(" (or `{}`)", spec.absent);
    }
    return text;
}

std::string write_number(Kind kind, double value) {
    const KindText text = text_of(kind);
    if (kind == Kind::ratio || kind == Kind::margin) {
        return fmt::format("{:g} %", value * 100);
    }
    const Unit* best = nullptr;
    for (const Unit& unit : text.units) {
        const double scaled = value / unit.factor;
        // The largest unit that leaves a short whole number reads best.
        if (best == nullptr || (scaled >= 1 && scaled == std::floor(scaled))) {
            best = &unit;
        }
    }
    if (best != nullptr) {
        return fmt::format("{:.15g} {}", value / best->factor, best->name);
    }
    return fmt::format("{:.15g}", value);
}

}  // namespace gensink::profile
