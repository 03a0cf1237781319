// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "report/detail/archive.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace gensink::report::detail {

/// The file, or result.json in a folder.
[[nodiscard]] std::filesystem::path result_path(const std::filesystem::path& path);

/// Its text. Error: usage, with the system's message.
[[nodiscard]] Result<std::string> read_result(const std::filesystem::path& path);

/// A JSON object of any schema. Error: usage, for text that is not JSON or ends early.
[[nodiscard]] Result<Json> parse_json(std::string_view text, const std::string& where);

}  // namespace gensink::report::detail
