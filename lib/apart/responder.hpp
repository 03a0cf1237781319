// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apart/message.hpp"
#include "plan/plan.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace gensink::apart {

/// Who answers.
struct Host {
    plan::MacAddress mac{};
    std::array<std::uint8_t, 4> ip{};
};

/// The answer to an ARP request for the host's address (RFC 826) or to an ICMP echo request to it
/// (RFC 792; fragments and IP options are not answered). Frames without FCS.
[[nodiscard]] std::optional<Bytes> answer_to(ByteView frame, const Host& host);

}  // namespace gensink::apart
