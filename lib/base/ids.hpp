// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>

namespace gensink {

/// A number that names something: no arithmetic, no mixing of kinds.
template <class Tag, class Rep>
struct Id {
    Rep value{};
    // clang-tidy 14 takes the comparison with literal 0 in it for a null pointer.
    friend constexpr auto operator<=>(Id, Id) = default;  // NOLINT(modernize-use-nullptr)
};

using PortId = Id<struct PortTag, std::uint16_t>;
using QueueId = Id<struct QueueTag, std::uint16_t>;
using LcoreId = Id<struct LcoreTag, unsigned>;
using CpuId = Id<struct CpuTag, unsigned>;
using SocketId = Id<struct SocketTag, int>;
using StreamId = Id<struct StreamTag, std::uint8_t>;

}  // namespace gensink
