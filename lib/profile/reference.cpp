// SPDX-License-Identifier: BSD-3-Clause
#include "profile/keys.hpp"
#include "profile/metric_names.hpp"
#include "profile/schema.hpp"
#include "profile/value.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace gensink::profile {

namespace {

std::string escape(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') {
            out += '\\';
        }
        out += c;
    }
    return out;
}

std::string range(const KeySpec& spec) {
    const bool measured = spec.kind != Kind::text && spec.kind != Kind::choice &&
                          spec.kind != Kind::names && spec.kind != Kind::load &&
                          spec.kind != Kind::mac && spec.kind != Kind::ipv4 &&
                          spec.kind != Kind::cpus && spec.kind != Kind::boolean;
    if (!measured || spec.max >= unbounded) {
        return {};
    }
    return fmt::format(
        ", {} to {}", write_number(spec.kind, spec.min), write_number(spec.kind, spec.max)
    );
}

std::string row(const KeySpec& spec) {
    std::string later;
    for_each_choice(spec.later, [&](std::string_view choice) {
        later += fmt::format("{}`{}`", later.empty() ? "" : ", ", choice);
    });
    const std::string note = later.empty() ? "" : fmt::format(" (not yet: {})", later);
    return fmt::format(
        "| `{}` | {}{} | {} | {}{} |\n",
        spec.path,
        escape(how_to_write(spec)),
        range(spec),
        spec.fallback.empty() ? "must be given" : fmt::format("`{}`", spec.fallback),
        escape(spec.doc),
        note
    );
}

std::string keys_table() {
    std::string text = "| key | written as | default | meaning |\n|---|---|---|---|\n";
    for (const KeySpec& spec : keys()) {
        text += row(spec);
    }
    return text;
}

}  // namespace

std::string reference() {
    std::string text = "### Keys\n" + keys_table() +
                       "\n### Metrics\n| metric | unit | compared at |\n|---|---|---|\n";
    for (const MetricName& metric : metric_names()) {
        const std::string_view at = metric.kind == MetricName::Kind::cost   ? "equal load"
                                    : metric.kind == MetricName::Kind::rate ? "load max"
                                                                            : "either";
        text += fmt::format("| `{}` | {} | {} |\n", metric.name, metric.unit, at);
    }
    return text;
}

}  // namespace gensink::profile
