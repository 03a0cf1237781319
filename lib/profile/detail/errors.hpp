// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "profile/detail/node.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gensink::profile::detail {

/// Collects everything that is wrong, up to a bound: a hostile file does not fill the screen.
class Errors {
  public:
    Errors(std::string_view file, std::span<const std::string> overrides)
        : file_(file), overrides_(overrides) {}

    void add(const Mark& mark, std::string_view path, std::string message);
    void add(Error error);

    /// "file:line:column (path)", or the `--set` that said it.
    [[nodiscard]] std::string where(const Mark& mark, std::string_view path) const;

    [[nodiscard]] bool empty() const { return errors_.empty(); }

    [[nodiscard]] std::size_t size() const { return errors_.size() + dropped_; }

    /// Ordered by place.
    [[nodiscard]] std::vector<Error> take();

  private:
    struct Placed {
        Mark mark;
        Error error;
    };

    std::string file_;
    std::span<const std::string> overrides_;
    std::vector<Placed> errors_;
    std::size_t dropped_ = 0;
};

}  // namespace gensink::profile::detail
