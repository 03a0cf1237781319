// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace gensink::app {

struct Candidate {
    std::string word;  ///< ends with "=" where more has to follow
    std::string help;
};

struct Candidates {
    std::vector<Candidate> words;
    bool files = false;  ///< names of files fit too
};

/// What the last of `words`, which may be empty, can become; `words` begin behind the program's
/// name. All commands and options are those of `root`.
[[nodiscard]] Candidates candidates(const CommandText& root, std::span<const std::string> words);

}  // namespace gensink::app
