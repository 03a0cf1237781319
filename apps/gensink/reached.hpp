// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "command_line.hpp"

namespace gensink::app {

/// Where words of a command line lead.
struct Reached {
    const CommandText* command = nullptr;
    const OptionText* waiting = nullptr;  ///< its value comes next
    std::size_t given = 0;                ///< positional words
};

/// From `root` along `words`, which begin behind the program's name.
[[nodiscard]] Reached follow(const CommandText& root, std::span<const std::string> words);

/// The option of that name; null where the command has none.
[[nodiscard]] const OptionText* find_option(const CommandText& command, std::string_view name);

/// The positional word after `given` others; null where none follows.
[[nodiscard]] const OptionText* find_positional(const CommandText& command, std::size_t given);

}  // namespace gensink::app
