// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "commands.hpp"

namespace gensink::app {

/// Opens DPDK devices in a child process, as EAL must never start in this one, and prints what each
/// can do.
[[nodiscard]] Status probe_in_child(const std::vector<std::string>& devices);

/// Whether a device can be opened, without a word.
[[nodiscard]] bool opens_in_child(const std::string& device);

}  // namespace gensink::app
