// SPDX-License-Identifier: BSD-3-Clause
#include "profile/schema.hpp"

#include "profile/keys.hpp"
#include "profile/metric_names.hpp"
#include "profile/profile.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace gensink::profile {

namespace {

constexpr std::string_view number = R"([0-9]+(\\.[0-9]+)?)";
constexpr std::string_view size_units = "(B|kB|KiB|MB|MiB|GB|GiB)";
constexpr std::string_view bit_rate_units = "(|k|M|G|T)bit/s";

std::string quote(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out + '"';
}

/// The inside of a regular expression for a key's text, already escaped for JSON; empty where the
/// value is no string with a unit.
std::string pattern(const KeySpec& spec) {
    switch (spec.kind) {
    case Kind::bytes:
        return fmt::format("{} *{}", number, size_units);
    case Kind::ticks:
        return fmt::format("{} *ticks", number);
    case Kind::duration:
        return fmt::format("{} *(ns|us|ms|s|min|h)", number);
    case Kind::ratio:
        return fmt::format("{} *%", number);
    case Kind::margin:
        return fmt::format("(\\\\+-)? *{} *%", number);
    case Kind::bit_rate:
        return fmt::format("{} *{}", number, bit_rate_units);
    case Kind::load:
        return fmt::format("max|{0} *((|k|M|G)fps|%|{1} +(l1|l2|payload))", number, bit_rate_units);
    case Kind::amount:
        return fmt::format("{} *(frames|{})", number, size_units);
    case Kind::mac:
        return "[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}";
    case Kind::ipv4:
        return R"([0-9]{1,3}(\\.[0-9]{1,3}){3})";
    case Kind::cpus:
        return "[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)*";
    default:
        return {};
    }
}

std::string string_schema(const KeySpec& spec) {
    std::string inside = pattern(spec);
    if (!spec.absent.empty()) {
        inside = fmt::format("{}|{}", spec.absent, inside);
    }
    return fmt::format(R"("type": "string", "pattern": "^({})$")", inside);
}

/// `true` in YAML is a boolean, and so is `on` to the editors that read YAML 1.1.
void add_choice(std::vector<std::string>& out, std::string_view choice) {
    out.push_back(quote(choice));
    if (choice == "true" || choice == "on") {
        out.emplace_back("true");
    } else if (choice == "false" || choice == "off") {
        out.emplace_back("false");
    }
}

std::string join(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) {
        text += text.empty() ? "" : ", ";
        text += item;
    }
    return text;
}

std::string choices_schema(const KeySpec& spec) {
    std::vector<std::string> items;
    for_each_choice(spec.choices, [&](std::string_view choice) { add_choice(items, choice); });
    for_each_choice(spec.later, [&](std::string_view choice) { add_choice(items, choice); });
    if (!spec.absent.empty()) {
        add_choice(items, spec.absent);
    }
    return fmt::format(R"("enum": [{}])", join(items));
}

/// `more`: a name that is known beside the metrics'; empty: none.
std::string metric_enum(std::string_view more = {}) {
    std::vector<std::string> items;
    if (!more.empty()) {
        items.push_back(quote(more));
    }
    for (const MetricName& metric : metric_names()) {
        items.push_back(quote(metric.name));
    }
    return fmt::format(R"("enum": [{}])", join(items));
}

std::string count_schema(const KeySpec& spec) {
    std::string range = fmt::format(R"("minimum": {:.15g})", spec.min);
    if (spec.max < unbounded) {
        range += fmt::format(R"(, "maximum": {:.15g})", spec.max);
    }
    const std::string_view type = spec.kind == Kind::number ? "number" : "integer";
    if (spec.absent.empty()) {
        return fmt::format(R"("type": "{}", {})", type, range);
    }
    return fmt::format(
        R"("anyOf": [{{"const": {}}}, {{"type": "{}", {}}}])", quote(spec.absent), type, range
    );
}

std::string names_schema(const KeySpec& spec) {
    const std::string item = spec.path == "metrics" ? metric_enum()
                             : spec.choices.empty() ? R"("type": "string")"
                                                    : choices_schema(spec);
    return fmt::format(
        R"("anyOf": [{{"const": {0}}}, {{{1}}}, {{"type": "array", "minItems": 1, "items": {{{1}}}}}])",
        quote(spec.absent),
        item
    );
}

std::string type_schema(const KeySpec& spec) {
    switch (spec.kind) {
    case Kind::boolean:
        return R"("type": "boolean")";
    case Kind::count:
    case Kind::number:
        return count_schema(spec);
    case Kind::text:
        return spec.path == "fit.metric" ? metric_enum() : R"("type": "string")";
    case Kind::choice:
        return choices_schema(spec);
    case Kind::names:
        return names_schema(spec);
    case Kind::cpus:
        return fmt::format(
            R"("anyOf": [{{{}}}, {{"type": "integer"}}, {{"type": "array", "items": {{"type": ["integer", "string"]}}}}])",
            string_schema(spec)
        );
    default:
        return string_schema(spec);
    }
}

std::string key_schema(const KeySpec& spec) {
    std::string text =
        fmt::format(R"({{"description": {}, {})", quote(spec.doc), type_schema(spec));
    return text + "}";
}

/// Properties of the section at `prefix` ("" or "sink."), and of the sections in it.
std::string section_schema(std::string_view prefix) {
    std::vector<std::string> items;
    std::vector<std::string_view> sections;
    for (const KeySpec& spec : keys()) {
        if (!spec.path.starts_with(prefix)) {
            continue;
        }
        const std::string_view rest = spec.path.substr(prefix.size());
        const std::size_t dot = rest.find('.');
        if (dot == std::string_view::npos) {
            items.push_back(fmt::format(R"({}: {{"$ref": "#/$defs/{}"}})", quote(rest), spec.path));
            continue;
        }
        const std::string_view section = rest.substr(0, dot);
        bool seen = false;
        for (const std::string_view other : sections) {
            seen = seen || other == section;
        }
        if (!seen) {
            sections.push_back(section);
            items.push_back(fmt::format(
                R"({}: {{"type": ["object", "null"], "additionalProperties": false, "properties": {{{}}}}})",
                quote(section),
                section_schema(fmt::format("{}{}.", prefix, section))
            ));
        }
    }
    return join(items);
}

std::string dotted_properties(bool lists) {
    std::vector<std::string> items;
    for (const KeySpec& spec : keys()) {
        if (spec.scope == Scope::cell) {
            const std::string_view form =
                lists
                    ? R"({0}: {{"type": "array", "minItems": 1, "items": {{"$ref": "#/$defs/{1}"}}}})"
                    : R"({0}: {{"$ref": "#/$defs/{1}"}})";
            items.push_back(fmt::format(fmt::runtime(form), quote(spec.path), spec.path));
        }
    }
    return join(items);
}

/// A map that holds these keys and no others.
std::string closed_map(std::string_view properties, std::string_view more = {}) {
    return fmt::format(
        R"json({{"type": ["object", "null"], "additionalProperties": false{}, "properties": {{{}}}}})json",
        more,
        properties
    );
}

std::string list_of(std::string_view description, std::string_view item) {
    return fmt::format(
        R"json({{"description": "{}", "type": "array", "items": {}}})json", description, item
    );
}

std::string arms_schema() {
    return list_of(
        "What is compared: each arm changes keys",
        closed_map(
            fmt::format(
                R"json("name": {{"type": "string"}}, "set": {})json",
                closed_map(dotted_properties(false))
            ),
            R"json(, "required": ["name"])json"
        )
    );
}

std::string sweep_schema() {
    const std::string axes = closed_map(dotted_properties(true));
    return closed_map(
        fmt::format(R"json("cross": {0}, "zip": {0})json", axes),
        R"json(, "description": "Keys that take several values: all combinations, or side by side")json"
        R"json(, "maxProperties": 1)json"
    );
}

std::string expect_schema() {
    const std::string bound = R"json({"type": ["number", "string"]})json";
    return list_of(
        "Turns the profile into a check",
        closed_map(fmt::format(
            R"json("metric": {{{0}}}, "arm": {{"type": "string"}}, "at": {3}, "limit": {{{4}}}, )json"
            R"json("verdict": {{"enum": ["gain", "loss", "no_difference", "inconclusive"]}}, )json"
            R"json("equals": {1}, "at_least": {1}, "at_most": {1}, )json"
            R"json("within": {{"type": "string", "pattern": "^{2} *%$"}})json",
            metric_enum(fit_ratio.name),
            bound,
            number,
            closed_map(dotted_properties(false)),
            choices_schema({.path = "limit", .kind = Kind::choice, .choices = limit_names})
        ))
    );
}

}  // namespace

std::string schema() {
    std::vector<std::string> defs;
    for (const KeySpec& spec : keys()) {
        defs.push_back(fmt::format("\n{}: {}", quote(spec.path), key_schema(spec)));
    }
    return fmt::format(
        R"json({{"$schema": "https://json-schema.org/draft/2020-12/schema",
"title": "gensink profile",
"type": "object",
"additionalProperties": false,
"required": ["gensink", "name"],
"properties": {{{},
"arms": {},
"sweep": {},
"expect": {}}},
"$defs": {{{}}}}}
)json",
        section_schema(""),
        arms_schema(),
        sweep_schema(),
        expect_schema(),
        join(defs)
    );
}

}  // namespace gensink::profile
