// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/curve.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace gensink::experiment::detail {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 6> units{
    {{"", 1.0}, {"B", 1.0}, {"kB", 1e3}, {"KiB", 1024.0}, {"MB", 1e6}, {"MiB", 1048576.0}}};

/// The value of "32" or "4 KiB": a sweep may mix units.
std::optional<double> number_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    std::string_view unit(end);
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    const auto known = std::find_if(units.begin(), units.end(), [unit](const auto& candidate) {
        return candidate.first == unit;
    });
    if (end == text.c_str() || !(value > 0.0) || known == units.end()) {
        return std::nullopt;
    }
    return value * known->second;
}

}  // namespace

std::vector<Curve> curves(const plan::Plan& plan, const std::string& key) {
    std::vector<Curve> found;
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        const plan::Cell& cell = plan.cells[i];
        Point others = cell.point;
        const auto swept = std::ranges::find(others, key, &Point::value_type::first);
        if (cell.placebo || swept == others.end()) {
            continue;
        }
        const std::string text = swept->second;
        const auto number = number_of(text);
        if (!number) {
            continue;
        }
        others.erase(swept);
        auto curve = std::find_if(found.begin(), found.end(), [&](const Curve& c) {
            return c.arm == cell.arm && c.others == others;
        });
        if (curve == found.end()) {
            curve = found.insert(found.end(), Curve{cell.arm, std::move(others), {}, {}, {}});
        }
        curve->cells.push_back(i);
        curve->keys.push_back(*number);
        curve->texts.push_back(text);
    }
    return found;
}

}  // namespace gensink::experiment::detail
