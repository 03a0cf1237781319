// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace gensink::app {

/// Parses an option by the rules of the profile's key that it replaces.
[[nodiscard]] Result<double>
ratio_of(std::string_view key, const std::string& text, const char* option);

}  // namespace gensink::app
