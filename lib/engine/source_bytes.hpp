// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace gensink::engine {

/// What a source of payload holds: random bytes, the same in each trial, or a pattern.
void fill_source(std::span<std::byte> bytes, bool random);

}  // namespace gensink::engine
