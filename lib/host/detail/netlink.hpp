// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// The little of rtnetlink(7) that reading and changing one interface takes.
namespace gensink::host::detail {

using NetlinkBytes = std::span<const std::byte>;

/// The first so many bytes as a value; zeros where there are fewer.
template <class T>
[[nodiscard]] T value_of(NetlinkBytes bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
}

/// The payload of an attribute in a sequence of them.
[[nodiscard]] std::optional<NetlinkBytes> attribute(NetlinkBytes attributes, std::uint16_t type);

/// RTM_GETLINK: the attributes of one interface. Absent: none of that index, or no answer.
[[nodiscard]] std::optional<std::vector<std::byte>> link_attributes(std::uint32_t index);

/// RTM_SETLINK: attaches an XDP program, or none for -1. `flags`: XDP_FLAGS_*. 0, or an errno.
[[nodiscard]] int set_xdp(std::uint32_t index, int program_fd, std::uint32_t flags);

}  // namespace gensink::host::detail
