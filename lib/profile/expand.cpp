// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/expand.hpp"

#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::profile::detail {

namespace {

/// Values of the swept keys at one point, in the sweep's order.
using Point = std::vector<const Setting*>;

std::vector<Point> points_of(const SweepText& sweep) {
    std::vector<Point> points{{}};
    if (sweep.zip) {
        points.assign(sweep.axes.empty() ? 1 : sweep.axes.front().values.size(), {});
    }
    for (const Axis& axis : sweep.axes) {
        if (sweep.zip) {
            for (std::size_t i = 0; i < std::min(points.size(), axis.values.size()); ++i) {
                points[i].push_back(&axis.values[i]);
            }
            continue;
        }
        std::vector<Point> longer;
        for (const Point& point : points) {
            for (const Setting& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back(&value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

std::size_t count_points(const SweepText& sweep) {
    if (sweep.axes.empty()) {
        return 1;
    }
    if (sweep.zip) {
        return sweep.axes.front().values.size();
    }
    std::size_t count = 1;
    for (const Axis& axis : sweep.axes) {
        count = std::min(count * axis.values.size(), max_cells + 1);
    }
    return count;
}

/// Where --set gave a key its value, if it did.
const Assignment* find_override(const Parts& parts, std::size_t key) {
    const auto at = std::ranges::find_if(parts.common, [&](const Assignment& common) {
        return common.key == key && common.setting.origin == Origin::command_line;
    });
    return at == parts.common.end() ? nullptr : &*at;
}

bool is_swept(const Parts& parts, std::size_t key) {
    return std::ranges::any_of(parts.sweep.axes, [&](const Axis& axis) { return axis.key == key; });
}

/// A key that an arm sets, and the sweep or --set too: one would silently lose.
void check_arm_key(const Parts& parts, const ArmText& arm, const Assignment& set, Errors& errors) {
    const std::string_view path = keys()[set.key].path;
    if (is_swept(parts, set.key)) {
        errors.add(set.mark, path, fmt::format("`{}` is swept: an arm cannot set it", path));
    }
    if (const Assignment* given = find_override(parts, set.key)) {
        errors.add(
            given->mark,
            path,
            fmt::format("arm `{}` sets `{}` itself: --set would be lost", arm.name, path)
        );
    }
}

void check_set_twice(const Parts& parts, Errors& errors) {
    for (const Axis& axis : parts.sweep.axes) {
        const std::string_view path = keys()[axis.key].path;
        if (const Assignment* given = find_override(parts, axis.key)) {
            errors.add(
                given->mark,
                path,
                fmt::format(
                    "the sweep sets `{0}`: write --set sweep.{1}.{0}=[...] to change its values",
                    path,
                    parts.sweep.zip ? "zip" : "cross"
                )
            );
        }
    }
    for (const ArmText& arm : parts.arms) {
        for (const Assignment& set : arm.set) {
            check_arm_key(parts, arm, set, errors);
        }
    }
}

Settings with_arm(const Settings& common, const ArmText& arm) {
    Settings settings = common;
    for (const Assignment& set : arm.set) {
        settings.at(set.key) = set.setting;
    }
    return settings;
}

bool same_settings(const Settings& left, const Settings& right) {
    for (std::size_t i = 0; i < keys().size(); ++i) {
        if (!same(left.at(i).value, right.at(i).value)) {
            return false;
        }
    }
    return true;
}

void check_arms_differ(const Parts& parts, const Settings& common, Errors& errors) {
    std::vector<Settings> arms;
    for (const ArmText& arm : parts.arms) {
        Settings settings = with_arm(common, arm);
        for (std::size_t i = 0; i < arms.size(); ++i) {
            if (same_settings(arms[i], settings)) {
                errors.add(
                    arm.mark,
                    fmt::format("arms[{}]", arms.size()),
                    fmt::format(
                        "`{}` does not differ from `{}`: `set` must change a key (the placebo "
                        "copies "
                        "the baseline by itself)",
                        arm.name,
                        parts.arms[i].name
                    )
                );
                break;
            }
        }
        arms.push_back(std::move(settings));
    }
}

/// Values may repeat side by side, as long as no two points are the same.
void check_points_differ(const SweepText& sweep, Errors& errors) {
    if (!sweep.zip || count_points(sweep) > max_cells) {
        return;
    }
    const std::vector<Point> points = points_of(sweep);
    const auto same_point = [&](const Point& left, const Point& right) {
        return left.size() == sweep.axes.size() &&
               std::ranges::equal(left, right, [](const Setting* one, const Setting* other) {
                   return same(one->value, other->value);
               });
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t earlier = 0; earlier < i; ++earlier) {
            if (same_point(points[i], points[earlier])) {
                errors.add(
                    sweep.axes.front().marks[i],
                    "sweep.zip",
                    fmt::format("point {} is the same as point {}", i + 1, earlier + 1)
                );
                break;
            }
        }
    }
}

Mark mark_of(const Parts& parts, std::string_view path) {
    for (const Assignment& common : parts.common) {
        if (keys()[common.key].path == path) {
            return common.mark;
        }
    }
    return {};
}

void check_arm_name(
    const Parts& parts, std::string_view path, std::string_view name, Errors& errors
) {
    std::vector<std::string_view> names;
    for (const ArmText& arm : parts.arms) {
        names.push_back(arm.name);
    }
    if (std::ranges::find(names, name) != names.end()) {
        return;
    }
    const auto meant = nearest(name, names);
    const std::string hint = meant           ? fmt::format(": did you mean `{}`?", *meant)
                             : names.empty() ? std::string(": there are no arms")
                                             : fmt::format(": the arms are {}", join_words(names));
    errors.add(mark_of(parts, path), path, fmt::format("no arm `{}`{}", name, hint));
}

/// Virtual time costs nothing, and a transfer that is cut short is none: only a profile that says
/// itself what quick means shortens these.
bool length_is_given(const Settings& settings) {
    return settings.get<std::string>("wire.kind") == "model" ||
           settings.find<std::uint64_t>("transfer.object_size") ||
           settings.find<std::uint64_t>("transfer.total");
}

/// --quick shortens a phase, unless the command line says how long it is.
void shorten(Settings& settings, std::string_view path, std::string_view quick) {
    Setting& setting = settings.at(*find_key(path));
    const Setting& shorter = settings.at(quick);
    if (shorter.origin == Origin::fallback && length_is_given(settings)) {
        return;
    }
    const auto* written = std::get_if<Duration>(&setting.value);
    if (setting.origin != Origin::command_line &&
        (written == nullptr || std::get<Duration>(shorter.value) < *written)) {
        setting.value = shorter.value;
        setting.text = shorter.text;
        setting.origin = Origin::quick;
    }
}

void make_quick(Settings& settings) {
    shorten(settings, "run.warmup", "run.quick.warmup");
    shorten(settings, "run.measure", "run.quick.measure");
    Setting& rounds = settings.at(*find_key("stats.rounds"));
    const Setting& fewer = settings.at("run.quick.rounds");
    if (rounds.origin != Origin::command_line &&
        !std::holds_alternative<std::monostate>(fewer.value)) {
        rounds.value = fewer.value;
        rounds.text = fewer.text;
        rounds.origin = Origin::quick;
    }
}

void add_cells(const ArmText& arm, std::string_view label, const Parts& parts, Profile& profile) {
    const Settings base = with_arm(profile.common, arm);
    for (const Point& point : points_of(parts.sweep)) {
        Cell cell;
        cell.arm = label;
        cell.placebo = label != arm.name;
        cell.settings = base;
        for (std::size_t i = 0; i < point.size(); ++i) {
            const std::size_t key = parts.sweep.axes[i].key;
            cell.settings.at(key) = *point[i];
            cell.point.emplace_back(keys()[key].path, point[i]->text);
        }
        if (profile.quick) {
            make_quick(cell.settings);
        }
        profile.cells.push_back(std::move(cell));
    }
}

/// The baseline and the fit's reference must be arms, and there must be something to compare.
void check_arm_names(const Parts& parts, const Settings& common, Errors& errors) {
    if (const auto baseline = common.find<std::string>("compare.baseline")) {
        check_arm_name(parts, "compare.baseline", *baseline, errors);
        if (parts.arms.size() == 1) {
            errors.add(
                mark_of(parts, "compare.baseline"),
                "compare.baseline",
                "there is one arm only: nothing to compare the baseline with"
            );
        }
    } else if (common.given("compare.")) {
        errors.add(
            mark_of(parts, "compare.margin"), "compare", "needs `baseline`: which arm is it?"
        );
    }
    if (const auto reference = common.find<std::string>("fit.reference")) {
        check_arm_name(parts, "fit.reference", *reference, errors);
    }
}

/// The arms as written, then the placebo, in a profile that has no error.
void add_all_cells(const Parts& parts, const std::vector<ArmText>& arms, Profile& profile) {
    for (const ArmText& arm : arms) {
        add_cells(arm, arm.name, parts, profile);
    }
    const auto baseline = profile.common.find<std::string>("compare.baseline");
    const bool placebo = profile.common.get<std::string>("compare.placebo") == "true";
    for (const ArmText& arm : arms) {
        if (placebo && baseline == arm.name) {
            add_cells(arm, placebo_label(arm.name), parts, profile);
        }
    }
}

}  // namespace

void expand(const Parts& parts, Profile& profile, Errors& errors) {
    check_set_twice(parts, errors);
    check_arms_differ(parts, profile.common, errors);
    check_points_differ(parts.sweep, errors);
    check_arm_names(parts, profile.common, errors);
    std::vector<ArmText> arms = parts.arms;
    if (arms.empty()) {
        arms.push_back({std::string(only_arm), {}, {}});
    }
    // One more for the placebo, which a bound need not be exact about.
    if ((arms.size() + 1) * count_points(parts.sweep) > max_cells) {
        errors.add(
            parts.sweep.mark,
            "sweep",
            fmt::format("makes more than {} cells; sweep less", max_cells)
        );
    }
    for (const Axis& axis : parts.sweep.axes) {
        profile.swept.emplace_back(keys()[axis.key].path);
    }
    for (const ArmText& arm : arms) {
        profile.arms.push_back(arm.name);
    }
    if (!errors.empty()) {
        return;
    }
    add_all_cells(parts, arms, profile);
    if (profile.quick) {
        make_quick(profile.common);
    }
}

}  // namespace gensink::profile::detail
