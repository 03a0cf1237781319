// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apart/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gensink::apart {

/// What a sink needs to plan and open a trial.
struct OpenCall {
    std::uint32_t run_id = 0;
    std::vector<std::string> settings;  ///< of the profile, "key=value"
};

[[nodiscard]] Bytes encode(const OpenCall& call);
/// Absent where the bytes are not one whole call.
[[nodiscard]] std::optional<OpenCall> decode_open_call(ByteView bytes);

}  // namespace gensink::apart
