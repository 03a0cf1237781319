// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "report/saved.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace gensink::report {

/// Makes `base/<time>-<name>`, with "-2", "-3", ... behind it where that exists already, and `base`
/// itself where it is missing. `time` is ISO 8601; what a folder's name should not hold becomes
/// '-' or '_'. Error: environment.
[[nodiscard]] Result<std::filesystem::path>
make_result_dir(const std::filesystem::path& base, std::string_view time, std::string_view name);

/// Makes `dir` where it is missing and sees that a result can be written there, before there is
/// one. Errors: usage when it holds a result; environment when the system refuses.
[[nodiscard]] Result<std::filesystem::path> make_empty_dir(const std::filesystem::path& dir);

/// Writes result.json, result.csv, report.txt, report.html and profile.yaml, each whole or not at
/// all, into `dir` (made where missing). Errors: usage when one of them exists; environment when
/// the system refuses (disk full, no permission).
[[nodiscard]] Result<void> write(const std::filesystem::path& dir, const Saved& saved);

/// One file, whole or not at all; never replaces one. Errors as for `write`.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace gensink::report
