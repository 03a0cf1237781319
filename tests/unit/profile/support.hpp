// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/profile.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gensink::profile::test {

/// A profile of the least that loads, with more lines below.
inline std::string profile_text(const std::string& more = {}) {
    return "gensink: 1\nname: test\n" + more;
}

/// Each error as "where: message".
inline std::vector<std::string>
errors_of(const std::string& text, const LoadOptions& options = {}) {
    std::vector<std::string> all;
    const auto profile = load(text, "p.yaml", options);
    if (!profile) {
        for (const Error& error : profile.error()) {
            all.push_back(error.where + ": " + error.message);
        }
    }
    return all;
}

/// The only error; a text that no test expects where there are more or none.
inline std::string error_of(const std::string& text, const LoadOptions& options = {}) {
    const std::vector<std::string> all = errors_of(text, options);
    return all.size() == 1 ? all.front() : std::to_string(all.size()) + " errors";
}

inline std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Folder of the sources, from the environment that meson gives each test.
inline std::filesystem::path source_root() {
    const char* root = std::getenv("GENSINK_SOURCE_ROOT");
    return root == nullptr ? "." : root;
}

}  // namespace gensink::profile::test
