// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gensink::experiment::detail {

namespace {

std::string signed_number(double ratio) {
    const double value = 100.0 * ratio;
    const double size = std::abs(value);
    const int decimals = size >= 100.0 ? 0 : (size >= 10.0 ? 1 : 2);
    return fmt::format("{:+.{}f}", value, decimals);
}

}  // namespace

std::string signed_percent(double ratio) {
    return signed_number(ratio) + " %";
}

std::string percent(double ratio) {
    return fmt::format("{:.3g} %", 100.0 * ratio);
}

std::string
change_text(double ratio, const std::optional<stats::Interval>& interval, double confidence) {
    if (!interval) {
        return signed_percent(ratio) + ", no interval";
    }
    return fmt::format(
        "{} [{}, {}] at {:g} %",
        signed_percent(ratio),
        signed_number(interval->low),
        signed_number(interval->high),
        100.0 * confidence
    );
}

}  // namespace gensink::experiment::detail
