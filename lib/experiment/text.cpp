// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gensink::experiment::detail {

namespace {

/// A change by `ratio`, with as many decimals as tell values `width` apart.
std::string signed_number(double ratio, double width) {
    const int decimals = width >= 0.1 ? 0 : (width >= 0.01 ? 1 : 2);
    return fmt::format("{:+.{}f}", 100.0 * ratio, decimals);
}

}  // namespace

std::string signed_percent(double ratio) {
    return signed_number(ratio, std::abs(ratio) / 10.0) + " %";
}

std::string percent(double ratio) {
    return fmt::format("{:.3g} %", 100.0 * ratio);
}

std::string
change_text(double ratio, const std::optional<stats::Interval>& interval, double confidence) {
    if (!interval) {
        return signed_percent(ratio) + ", no interval";
    }
    const double width = interval->high - interval->low;
    return fmt::format(
        "{} % [{}, {}] at {:g} %",
        signed_number(ratio, width),
        signed_number(interval->low, width),
        signed_number(interval->high, width),
        100.0 * confidence
    );
}

}  // namespace gensink::experiment::detail
