// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <filesystem>

#include "commands.hpp"
#include "run.hpp"

namespace gensink::app {

/// Writes the result's files and prints it; returns `status`, or that of what could not be written.
[[nodiscard]] Status tell_outcome(
    const report::Saved& saved,
    const std::filesystem::path& dir,
    const RunArguments& options,
    Status status
);

}  // namespace gensink::app
