// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "host/clock.hpp"

#include <cstdint>

namespace gensink::kernel {

struct TscClock {
    [[nodiscard]] static std::uint64_t now() { return host::tsc(); }
};

}  // namespace gensink::kernel
