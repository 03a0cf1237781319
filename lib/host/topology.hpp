// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/topology.hpp"

#include <filesystem>

namespace gensink::host {

/// What this host offers, from /proc and /sys, without root, in a few milliseconds. CPUs are those
/// that the process may run on. Error: environment, when the kernel names no CPU.
[[nodiscard]] Result<plan::Topology> topology();

/// The same from a copy of /proc and /sys under `root`; hugepages count as usable when any is free,
/// since mapping one cannot be tried there.
[[nodiscard]] Result<plan::Topology> topology(const std::filesystem::path& root);

/// Whether this user may map a hugepage of this size, as DPDK's --in-memory does (a memfd); the
/// page is reserved for a moment and given back untouched.
[[nodiscard]] bool can_map_hugepage(std::uint64_t page_bytes);

}  // namespace gensink::host
