// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/number.hpp"
#include "profile/detail/reader.hpp"
#include "profile/metric_names.hpp"
#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gensink::profile::detail {

namespace {

constexpr std::array<std::string_view, 9> expect_keys = {
    "metric", "arm", "at", "limit", "verdict", "equals", "at_least", "at_most", "within"};

KeySpec verdict_spec(std::string_view path) {
    return {.path = path, .kind = Kind::choice, .choices = "gain|loss|no_difference|inconclusive"};
}

KeySpec limit_spec(std::string_view path) {
    return {.path = path, .kind = Kind::choice, .choices = limit_names};
}

KeySpec within_spec(std::string_view path) {
    return {.path = path, .kind = Kind::ratio, .max = 1};
}

/// A bound on a metric, with or without the metric's unit: `32`, `1.2 Mfps`, `0.1 %`.
tl::expected<double, std::string> read_bound(std::string_view text, const MetricName* metric) {
    const std::optional<Measure> measure = split_measure(text);
    if (!measure) {
        return tl::unexpected(fmt::format("`{}` is not a number", text));
    }
    if (measure->unit.empty() || metric == nullptr || measure->unit == metric->unit) {
        return measure->number;
    }
    const std::span<const Unit> units =
        metric->unit == "fps"     ? std::span<const Unit>(fps_units)
        : metric->unit == "bit/s" ? std::span<const Unit>(bit_rate_units)
        : metric->unit == "ratio" ? std::span<const Unit>(percent_units)
                                  : std::span<const Unit>{};
    if (units.empty()) {
        return tl::unexpected(fmt::format(
            "`{}`: {} is in {}, write the number alone", text, metric->name, metric->unit
        ));
    }
    const auto factor = unit_factor(measure->unit, units, "1.2 Mfps");
    if (!factor) {
        return tl::unexpected(fmt::format("`{}`: {}", text, factor.error()));
    }
    return measure->number * *factor;
}

/// Reads one key of an expectation.
class ExpectReader {
  public:
    ExpectReader(std::string path, const SweepText& sweep, Errors& errors)
        : path_(std::move(path)), sweep_(sweep), errors_(errors) {}

    Expect read(const YamlNode& node) {
        Expect expect;
        expect.where = errors_.where(node.mark, path_);
        if (const YamlNode* metric = child(node, "metric"); metric != nullptr) {
            read_metric(*metric, expect);
        }
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
            read_key(node.keys[i], node.items[i], expect);
        }
        check(node, expect);
        return expect;
    }

  private:
    static const YamlNode* child(const YamlNode& node, std::string_view key) {
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
            if (node.keys[i].scalar == key) {
                return &node.items[i];
            }
        }
        return nullptr;
    }

    void read_metric(const YamlNode& value, Expect& expect) {
        metric_ = value.scalar == fit_ratio.name ? &fit_ratio : find_metric_name(value.scalar);
        expect.metric = value.scalar;
        if (metric_ == nullptr) {
            errors_.add(value.mark, path_ + ".metric", unknown_metric(value.scalar));
        }
    }

    void read_word(const KeySpec& spec, const YamlNode& value, std::string& to) {
        if (const auto word = read_setting(spec, value, errors_)) {
            to = word->text;
        }
    }

    void read_key(const YamlNode& key, const YamlNode& value, Expect& expect) {
        const std::string path = fmt::format("{}.{}", path_, key.scalar);
        if (key.scalar == "at") {
            read_at(value, path, expect);
        } else if (value.type != YamlNode::Type::scalar) {
            errors_.add(value.mark, path, fmt::format("is {}, not a value", describe(value)));
        } else if (key.scalar == "arm") {
            expect.arm = value.scalar;
        } else if (key.scalar == "verdict") {
            read_word(verdict_spec(path), value, expect.verdict);
        } else if (key.scalar == "limit") {
            read_word(limit_spec(path), value, expect.limit);
        } else if (key.scalar == "within") {
            if (const auto within = read_setting(within_spec(path), value, errors_)) {
                expect.within_ratio = std::get<double>(within->value);
            }
        } else if (key.scalar == "equals") {
            store(value, path, expect.equals);
        } else if (key.scalar == "at_least") {
            store(value, path, expect.at_least);
        } else if (key.scalar == "at_most") {
            store(value, path, expect.at_most);
        } else if (key.scalar != "metric") {
            errors_.add(key.mark, path, unknown_key(key.scalar, expect_keys));
        }
    }

    void read_at(const YamlNode& at, const std::string& path, Expect& expect) {
        if (at.type != YamlNode::Type::map) {
            errors_.add(
                at.mark,
                path,
                fmt::format("is {}: write a map such as `{{tx.burst: 32}}`", describe(at))
            );
            return;
        }
        check_duplicates(at, path, errors_);
        for (std::size_t i = 0; i < at.keys.size(); ++i) {
            read_point(at.keys[i], at.items[i], path, expect);
        }
    }

    /// A swept key and one of its values, which may be written otherwise than in the sweep.
    void read_point(
        const YamlNode& key, const YamlNode& value, const std::string& path, Expect& expect
    ) {
        const auto index = find_key(key.scalar);
        const auto axis =
            std::ranges::find_if(sweep_.axes, [&](const Axis& one) { return index == one.key; });
        if (axis == sweep_.axes.end()) {
            errors_.add(
                key.mark, fmt::format("{}.{}", path, key.scalar), "is not a key of the sweep"
            );
            return;
        }
        const auto wanted = read_setting(keys()[axis->key], value, errors_);
        if (!wanted) {
            return;
        }
        std::vector<std::string> texts;
        for (const Setting& swept : axis->values) {
            if (same(swept.value, wanted->value)) {
                expect.at.emplace_back(key.scalar, swept.text);
                return;
            }
            texts.push_back(swept.text);
        }
        errors_.add(
            value.mark,
            fmt::format("{}.{}", path, key.scalar),
            fmt::format("the sweep has no `{}`: it has {}", value.scalar, join_words(texts))
        );
    }

    void store(const YamlNode& value, const std::string& path, std::optional<double>& out) {
        if (const auto bound = read_bound(value.scalar, metric_)) {
            out = *bound;
        } else {
            errors_.add(value.mark, path, bound.error());
        }
    }

    void check(const YamlNode& node, const Expect& expect) {
        const bool bounded = expect.equals || expect.at_least || expect.at_most;
        const bool wants_metric = child(node, "metric") != nullptr;
        const bool wants_verdict = child(node, "verdict") != nullptr;
        const bool writes_bound = child(node, "equals") != nullptr ||
                                  child(node, "at_least") != nullptr ||
                                  child(node, "at_most") != nullptr;
        const bool wants_limit = child(node, "limit") != nullptr;
        if (wants_metric && wants_verdict) {
            errors_.add(node.mark, path_, "needs either a `metric` with its bounds or a `verdict`");
        } else if (!wants_metric && !wants_verdict && !wants_limit) {
            errors_.add(
                node.mark,
                path_,
                "needs either a `metric` with its bounds, or a `verdict`, or a `limit`"
            );
        } else if (wants_metric && !writes_bound) {
            errors_.add(node.mark, path_, "needs `equals`, `at_least` or `at_most`");
        } else if (!wants_metric && bounded) {
            errors_.add(
                node.mark,
                path_,
                fmt::format(
                    "a {} has no bounds: write `metric` to use them",
                    wants_verdict ? "verdict" : "limit"
                )
            );
        } else if (wants_verdict && wants_limit) {
            errors_.add(node.mark, path_, "a verdict has no limit: write two expectations");
        }
    }

    std::string path_;
    const SweepText& sweep_;
    Errors& errors_;
    const MetricName* metric_ = nullptr;
};

}  // namespace

std::string unknown_metric(std::string_view name) {
    std::vector<std::string_view> names;
    for (const MetricName& metric : metric_names()) {
        names.push_back(metric.name);
    }
    const auto meant = nearest_path(name, names);
    return fmt::format(
        "unknown metric `{}`{}", name, meant ? fmt::format(": did you mean `{}`?", *meant) : ""
    );
}

std::vector<Expect> read_expect(const YamlNode& node, const SweepText& sweep, Errors& errors) {
    std::vector<Expect> all;
    if (node.type != YamlNode::Type::sequence) {
        errors.add(node.mark, "expect", fmt::format("is {}: write a list", describe(node)));
        return all;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const YamlNode& item = node.items[i];
        const std::string path = fmt::format("expect[{}]", i);
        if (item.type != YamlNode::Type::map) {
            errors.add(
                item.mark,
                path,
                fmt::format("is {}: write `{{metric: rx.fps, at_least: 1 Mfps}}`", describe(item))
            );
            continue;
        }
        check_duplicates(item, path, errors);
        all.push_back(ExpectReader(path, sweep, errors).read(item));
    }
    return all;
}

}  // namespace gensink::profile::detail
