// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <string>
#include <vector>

namespace gensink::plan::detail {

/// Errors of all cells: what is wrong in every cell is said once.
class Problems {
  public:
    void add(std::string where, std::string message) {
        for (const Error& error : errors_) {
            if (error.where == where && error.message == message) {
                return;
            }
        }
        errors_.push_back({ErrorKind::plan, std::move(message), std::move(where)});
    }

    [[nodiscard]] bool empty() const { return errors_.empty(); }

    [[nodiscard]] std::vector<Error> take() { return std::move(errors_); }

  private:
    std::vector<Error> errors_;
};

/// As Problems, for what the user should know and may ignore.
inline void warn(std::vector<std::string>& warnings, std::string text) {
    for (const std::string& other : warnings) {
        if (other == text) {
            return;
        }
    }
    warnings.push_back(std::move(text));
}

}  // namespace gensink::plan::detail
