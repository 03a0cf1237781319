// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <filesystem>

namespace gensink::host {

/// Folder of bundled files ("profiles", "drivers-config"): beside a parent of the running binary
/// (source tree), or under its ../share/gensink (installed). Error: environment.
[[nodiscard]] Result<std::filesystem::path> data_dir(const char* name);

}  // namespace gensink::host
