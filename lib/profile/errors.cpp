// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace gensink::profile::detail {

namespace {

constexpr std::size_t most_errors = 100;

}  // namespace

std::string Errors::where(const Mark& mark, std::string_view path) const {
    if (mark.override_index >= 0) {
        return fmt::format("--set {}", overrides_[static_cast<std::size_t>(mark.override_index)]);
    }
    const std::string place = fmt::format("{}:{}:{}", file_, mark.line, mark.column);
    return path.empty() ? place : fmt::format("{} ({})", place, path);
}

void Errors::add(const Mark& mark, std::string_view path, std::string message) {
    if (errors_.size() >= most_errors) {
        ++dropped_;
        return;
    }
    Error error{ErrorKind::profile, std::move(message), where(mark, path)};
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
