// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gensink::worker::detail {

enum class Status : std::uint8_t { question, answer, refusal };

/// Leads every message on the socket; the payload follows.
struct Header {
    std::uint32_t payload_bytes = 0;
    std::uint8_t call = 0;    ///< worker::Call
    std::uint8_t status = 0;  ///< Status; a refusal's payload is an Error
    std::uint16_t magic = header_magic;

    static constexpr std::uint16_t header_magic = 0x6753;
};

static_assert(sizeof(Header) == 8);

/// 256 cores of histograms are about 4 MiB.
inline constexpr std::uint32_t max_payload_bytes = 64U << 20U;

}  // namespace gensink::worker::detail
