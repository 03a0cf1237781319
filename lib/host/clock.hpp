// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gensink::host {

/// Ticks of the time stamp counter a second.
[[nodiscard]] std::uint64_t tsc_hz();

}  // namespace gensink::host
