// SPDX-License-Identifier: BSD-3-Clause
#include "golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace gensink::report::fixture {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The first lines that differ, with a line of context; enough to see what changed.
std::string difference(const std::string& want, const std::string& got) {
    const std::vector<std::string> left = lines_of(want);
    const std::vector<std::string> right = lines_of(got);
    std::size_t from = 0;
    while (from < left.size() && from < right.size() && left[from] == right[from]) {
        ++from;
    }
    std::size_t tail = 0;
    while (tail < left.size() - from && tail < right.size() - from &&
           left[left.size() - 1 - tail] == right[right.size() - 1 - tail]) {
        ++tail;
    }
    std::string text = "@@ line " + std::to_string(from + 1) + " @@\n";
    if (from > 0) {
        text += "  " + left[from - 1] + "\n";
    }
    constexpr std::size_t most = 40;
    for (std::size_t i = from; i < left.size() - tail && i < from + most; ++i) {
        text += "- " + left[i] + "\n";
    }
    for (std::size_t i = from; i < right.size() - tail && i < from + most; ++i) {
        text += "+ " + right[i] + "\n";
    }
    return text;
}

}  // namespace

std::string differs_from_golden(const std::string& name, const std::string& got) {
    const std::filesystem::path path = std::filesystem::path(GENSINK_GOLDEN_DIR) / name;
    const char* update = std::getenv("GENSINK_UPDATE_GOLDEN");
    if (update != nullptr && std::string(update) == "1") {
        std::ofstream(path, std::ios::binary) << got;
        return {};
    }
    std::ifstream file(path, std::ios::binary);
    const std::string want{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file || want == got) {
        return want == got && file ? "" : "cannot read " + path.string();
    }
    return name + " (- golden, + now; GENSINK_UPDATE_GOLDEN=1 accepts)\n" + difference(want, got);
}

}  // namespace gensink::report::fixture
