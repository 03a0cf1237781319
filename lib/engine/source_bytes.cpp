// SPDX-License-Identifier: BSD-3-Clause
#include "engine/source_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

namespace gensink::engine {

void fill_source(std::span<std::byte> bytes, bool random) {
    if (!random) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::byte>(i * 7 + 1);
        }
        return;
    }
    std::mt19937_64 numbers(1);
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t word = numbers();
        std::memcpy(&bytes[i], &word, std::min(sizeof word, bytes.size() - i));
    }
}

}  // namespace gensink::engine
