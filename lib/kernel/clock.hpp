// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include <cstdint>
#include <x86intrin.h>

namespace gensink::kernel {

struct TscClock {
    [[nodiscard]] static std::uint64_t now() { return __rdtsc(); }
};

}  // namespace gensink::kernel
