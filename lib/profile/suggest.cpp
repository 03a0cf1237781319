// SPDX-License-Identifier: BSD-3-Clause
#include "profile/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gensink::profile {

namespace {

/// Longer words than this are nobody's typing error, and comparing them costs time.
constexpr std::size_t longest = 64;

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('.') + 1);
}

/// How many edits a word of this length may be away and still be a slip.
std::size_t tolerance(std::size_t length) {
    return length <= 4 ? 1 : length <= 8 ? 2 : 3;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
    // Optimal string alignment: three rows of the usual table.
    std::vector<std::size_t> before(right.size() + 1);
    std::vector<std::size_t> above(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before = above;
        above = row;
    }
    return above[right.size()];
}

std::optional<std::string>
nearest(std::string_view word, std::span<const std::string_view> candidates) {
    if (word.empty() || word.size() > longest) {
        return std::nullopt;
    }
    std::size_t best = tolerance(word.size()) + 1;
    std::optional<std::string> found;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            found = std::string(candidate);
        }
    }
    return found;
}

std::optional<std::string>
nearest_path(std::string_view path, std::span<const std::string_view> candidates) {
    if (auto whole = nearest(path, candidates)) {
        return whole;
    }
    const std::string_view word = last_part(path);
    std::vector<std::string_view> parts;
    parts.reserve(candidates.size());
    for (const std::string_view candidate : candidates) {
        parts.push_back(last_part(candidate));
    }
    const auto part = nearest(word, parts);
    if (!part) {
        return std::nullopt;
    }
    const auto at = std::find(parts.begin(), parts.end(), *part);
    return std::string(candidates[static_cast<std::size_t>(at - parts.begin())]);
}

}  // namespace gensink::profile
