// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/parse.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace gensink::profile::detail {

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
    const std::optional<Measure> measure = split_measure(digits);
    if (!measure) {
        return wrong(spec, text);
    }
    if (kind.units.empty() && !measure->unit.empty()) {
        return tl::unexpected(fmt::format("`{}`: takes no unit, write {}", text, how_to_write(spec))
        );
    }
    double factor = 1;
    if (!kind.units.empty()) {
        auto found = unit_factor(measure->unit, kind.units, kind.example);
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
    const auto exact = whole(*value, text, unit);
    if (!exact) {
        return tl::unexpected(exact.error());
    }
    if (spec.kind == Kind::duration) {
        return Value{Duration{static_cast<Duration::rep>(*exact)}};
    }
    return Value{static_cast<std::uint64_t>(*exact)};
}

Parsed parse_amount(const KeySpec& spec, std::string_view text) {
    const std::optional<Measure> measure = split_measure(text);
    if (!measure) {
        return wrong(spec, text);
    }
    const bool frames = measure->unit == "frames";
    const auto factor = frames ? tl::expected<double, std::string>(1.0)
                               : unit_factor(measure->unit, byte_units, "8192 B");
    if (!factor) {
        return tl::unexpected(fmt::format("`{}`: {}, or frames", text, factor.error()));
    }
    const auto exact = whole(measure->number * *factor, text, "units");
    if (!exact) {
        return tl::unexpected(exact.error());
    }
    const auto value = in_range(spec, text, *exact);
    if (!value) {
        return tl::unexpected(value.error());
    }
    return Value{Amount{frames, static_cast<std::uint64_t>(*value)}};
}

}  // namespace gensink::profile::detail
