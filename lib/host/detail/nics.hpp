// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/topology.hpp"

#include <filesystem>
#include <vector>

namespace gensink::host::detail {

/// PCI network functions first, one entry a kernel interface where they have any, then interfaces
/// without a PCI function (veth, tap, lo).
[[nodiscard]] std::vector<plan::Nic> read_nics(const std::filesystem::path& root);

}  // namespace gensink::host::detail
