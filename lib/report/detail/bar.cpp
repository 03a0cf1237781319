// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/bar.hpp"

#include <algorithm>
#include <cmath>

namespace gensink::report::detail {

namespace {

/// Columns of each part, the last being what no part takes.
std::vector<std::size_t> columns_of(const std::vector<double>& parts, std::size_t width) {
    std::vector<std::size_t> columns;
    columns.reserve(parts.size());
    std::vector<double> missing;  // what rounding down took from each
    std::size_t given = 0;
    for (const double part : parts) {
        const double exact = part * static_cast<double>(width);
        columns.push_back(static_cast<std::size_t>(exact));
        missing.push_back(exact - std::floor(exact));
        given += columns.back();
    }
    for (; given < width; ++given) {
        const auto most = std::max_element(missing.begin(), missing.end());
        ++columns[static_cast<std::size_t>(most - missing.begin())];
        *most = -1;
    }
    // Two ticks of a cause in a million are there, and to be seen.
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto widest = std::max_element(columns.begin(), columns.end());
        if (parts[i] > 0 && columns[i] == 0 && *widest > 1) {
            ++columns[i];
            --*widest;
        }
    }
    return columns;
}

}  // namespace

std::string
bar(const std::vector<std::uint64_t>& parts,
    std::uint64_t whole,
    std::string_view letters,
    std::size_t width) {
    std::uint64_t sum = 0;
    for (const std::uint64_t part : parts) {
        sum += part;
    }
    const std::uint64_t all = std::max(whole, sum);
    if (all == 0) {
        return std::string(width, ' ');
    }
    std::vector<double> shares;
    shares.reserve(parts.size() + 1);
    for (const std::uint64_t part : parts) {
        shares.push_back(static_cast<double>(part) / static_cast<double>(all));
    }
    shares.push_back(static_cast<double>(all - sum) / static_cast<double>(all));
    const std::vector<std::size_t> columns = columns_of(shares, width);
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text.append(columns[i], letters.at(i));
    }
    return text.append(width - text.size(), ' ');
}

}  // namespace gensink::report::detail
