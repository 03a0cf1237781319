// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "report/saved.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace gensink::report {

inline constexpr std::string_view result_schema_id = "gensink.result/1";

/// The whole result. Unknown is null, counts are integers, units are in the names.
[[nodiscard]] std::string json(const Saved& saved);

/// One JSON object without a line end, for who follows a run: verdict, headline, expectations met
/// of all, the result's `file`, and the exit status.
[[nodiscard]] std::string
outcome_json(const Saved& saved, const std::string& file, int exit_status);

/// JSON Schema (draft 2020-12) of `json`'s output.
[[nodiscard]] std::string result_schema();

/// Reads what `json` wrote; `where` names the source in errors. Error: usage, for text that is not
/// JSON, ends early, has another schema, or lacks a part.
[[nodiscard]] Result<Saved> load(std::string_view text, std::string where);
/// The same from a file, or from result.json in a folder. Error: usage, also for a file that cannot
/// be read.
[[nodiscard]] Result<Saved> load_file(const std::filesystem::path& path);

}  // namespace gensink::report
