// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gensink::profile {

/// Insertions, deletions, replacements and swaps of neighbours between two words.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The candidate that was probably meant, or nothing where none is close.
[[nodiscard]] std::optional<std::string>
nearest(std::string_view word, std::span<const std::string_view> candidates);

/// As nearest, for dotted paths: also finds `tx.burst` from `burst` and from `sink.brust`.
[[nodiscard]] std::optional<std::string>
nearest_path(std::string_view path, std::span<const std::string_view> candidates);

/// "a, b, c".
template <class Words>
[[nodiscard]] std::string join_words(const Words& words) {
    std::string text;
    for (const auto& word : words) {
        text += text.empty() ? "" : ", ";
        text += word;
    }
    return text;
}

}  // namespace gensink::profile
