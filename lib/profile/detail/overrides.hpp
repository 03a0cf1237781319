// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/detail/errors.hpp"
#include "profile/profile.hpp"

#include <string>
#include <vector>

namespace gensink::profile::detail {

/// `--set` as given, with what --ports stands for in front. Errors: usage.
[[nodiscard]] Results<std::vector<std::string>> all_overrides(const LoadOptions& options);

/// Splits "A,B" of two devices, whose arguments (`iface=v0`) may hold commas too. Error: usage.
[[nodiscard]] Result<std::pair<std::string, std::string>> split_ports(const std::string& ports);

/// Writes each `key=value` into the tree, so that it passes the same checks as the file.
void apply_overrides(YamlNode& root, const std::vector<std::string>& overrides, Errors& errors);

}  // namespace gensink::profile::detail
