// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/parse.hpp"

#include <fmt/format.h>

#include <optional>

namespace gensink::profile::detail {

namespace {

using flow::LoadUnit;

/// "l1" of "Mbit/s l1"; absent where no known layer is named.
std::optional<LoadUnit> layer_of(std::string_view unit) {
    const std::size_t space = unit.find(' ');
    if (space == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view layer = trim(unit.substr(space));
    if (layer == "l1") {
        return LoadUnit::bps_l1;
    }
    if (layer == "l2") {
        return LoadUnit::bps_l2;
    }
    return layer == "payload" ? std::optional(LoadUnit::bps_payload) : std::nullopt;
}

Parsed parse_share(std::string_view text, double percent) {
    if (percent > 100) {
        return tl::unexpected(fmt::format("`{}` is more than the line carries", text));
    }
    return Value{flow::Load{LoadUnit::line_ratio, percent / 100}};
}

Parsed parse_bits(std::string_view text, const Measure& measure) {
    const std::string_view unit = measure.unit.substr(0, measure.unit.find(' '));
    const auto factor = unit_factor(unit, bit_rate_units, "1 Gbit/s l1");
    if (!factor) {
        return tl::unexpected(fmt::format(
            "`{}`: {}; a load is `max`, `1.2 Mfps`, `500 Mbit/s l2` (or l1, payload) or `80 %`",
            text,
            unit.empty() ? std::string("needs a unit") : factor.error()
        ));
    }
    const std::optional<LoadUnit> layer = layer_of(measure.unit);
    if (!layer) {
        return tl::unexpected(fmt::format(
            "`{}`: say at which layer, as in `{} {} l1` (with preamble and gap), `l2` (frames) or "
            "`payload`",
            text,
            measure.number,
            unit
        ));
    }
    return Value{flow::Load{*layer, measure.number * *factor}};
}

}  // namespace

Parsed parse_load(const KeySpec& spec, std::string_view text) {
    if (text == "max") {
        return Value{flow::Load{}};
    }
    const std::optional<Measure> measure = split_measure(text);
    if (!measure) {
        return wrong(spec, text);
    }
    if (measure->number <= 0) {
        return tl::unexpected(fmt::format("`{}`: a load is above 0", text));
    }
    if (measure->unit == "%") {
        return parse_share(text, measure->number);
    }
    if (const auto fps = unit_factor(measure->unit, fps_units, "1.2 Mfps")) {
        return Value{flow::Load{LoadUnit::fps, measure->number * *fps}};
    }
    return parse_bits(text, *measure);
}

}  // namespace gensink::profile::detail
