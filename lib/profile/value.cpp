// SPDX-License-Identifier: BSD-3-Clause
#include "profile/value.hpp"

#include "profile/detail/parse.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gensink::profile {

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

tl::expected<Value, std::string> parse_value(const KeySpec& spec, std::string_view written) {
    const std::string_view text = detail::trim(written);
    if (!spec.absent.empty() && text == spec.absent) {
        return Value{};
    }
    switch (spec.kind) {
    case Kind::boolean:
        if (text == "true" || text == "false") {
            return Value{text == "true"};
        }
        return detail::wrong(spec, text);
    case Kind::count:
    case Kind::bytes:
    case Kind::ticks:
    case Kind::duration:
        return detail::parse_whole(spec, text);
    case Kind::ratio:
    case Kind::margin:
    case Kind::bit_rate:
    case Kind::number: {
        const auto value = detail::measured(spec, text);
        return value ? detail::Parsed(Value{*value})
                     : detail::Parsed(tl::unexpected(value.error()));
    }
    case Kind::load:
        return detail::parse_load(spec, text);
    case Kind::amount:
        return detail::parse_amount(spec, text);
    case Kind::mac:
    case Kind::ipv4:
        return detail::parse_address(spec, text);
    case Kind::choice:
        return detail::parse_choice(spec, text);
    case Kind::cpus:
        return detail::parse_cpus(spec, text);
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

std::string how_to_write(const KeySpec& spec) {
    const detail::KindText kind = detail::text_of(spec.kind);
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
    const detail::KindText text = detail::text_of(kind);
    if (kind == Kind::ratio || kind == Kind::margin) {
        return fmt::format("{:g} %", value * 100);
    }
    const detail::Unit* best = nullptr;
    for (const detail::Unit& unit : text.units) {
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
