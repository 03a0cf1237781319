// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace gensink::host {

/// Folder of bundled files ("profiles", "drivers-config"): beside a parent of the running binary
/// (source tree), or under its ../share/gensink (installed). Error: environment.
[[nodiscard]] Result<std::filesystem::path> data_dir(const char* name);

}  // namespace gensink::host
