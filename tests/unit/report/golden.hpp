// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace gensink::report::fixture {

/// Compares `got` with tests/golden/`name`. Empty when they agree; else a line by line account of
/// where they part. With GENSINK_UPDATE_GOLDEN=1 in the environment the file is written instead.
[[nodiscard]] std::string differs_from_golden(const std::string& name, const std::string& got);

}  // namespace gensink::report::fixture
