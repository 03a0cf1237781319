// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace gensink::profile::detail {

namespace {

constexpr std::size_t most_errors = 100;

/// Leaves the ends of a text that a hostile file made long.
std::string shorten(std::string text, std::size_t longest) {
    if (text.size() > longest) {
        text = text.substr(0, longest / 2) + "..." + text.substr(text.size() - longest / 2);
    }
    return text;
}

}  // namespace

std::string Errors::where(const Mark& mark, std::string_view path) const {
    if (mark.override_index >= 0) {
        const std::string& text = overrides_[static_cast<std::size_t>(mark.override_index)];
        return fmt::format("--set {}", shorten(text, 160));
    }
    const std::string place = fmt::format("{}:{}:{}", file_, mark.line, mark.column);
    return path.empty() ? place : fmt::format("{} ({})", place, shorten(std::string(path), 160));
}

void Errors::add(const Mark& mark, std::string_view path, std::string message) {
    if (errors_.size() >= most_errors) {
        ++dropped_;
        return;
    }
    Error error{ErrorKind::profile, shorten(std::move(message), 500), where(mark, path)};
    errors_.push_back({mark, std::move(error)});
}

void Errors::add(Error error) {
    errors_.push_back({{}, std::move(error)});
}

std::vector<Error> Errors::take() {
    std::stable_sort(errors_.begin(), errors_.end(), [](const Placed& left, const Placed& right) {
        const auto place = [](const Mark& mark) {
            return std::tuple(mark.override_index, mark.line, mark.column);
        };
        return place(left.mark) < place(right.mark);
    });
    std::vector<Error> all;
    for (Placed& placed : errors_) {
        all.push_back(std::move(placed.error));
    }
    if (dropped_ > 0) {
        all.push_back({ErrorKind::profile, fmt::format("and {} more errors", dropped_), file_});
    }
    return all;
}

}  // namespace gensink::profile::detail
