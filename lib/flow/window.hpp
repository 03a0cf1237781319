// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include <cstdint>

namespace gensink::flow {

/// No limit on outstanding frames; compiles to nothing.
struct UnlimitedWindow {
    [[nodiscard]] static std::uint32_t room(std::uint32_t frames) { return frames; }

    static void commit(std::uint32_t) {}
};

}  // namespace gensink::flow
