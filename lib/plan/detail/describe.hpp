// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"

#include <cstdint>
#include <string>

namespace gensink::plan::detail {

/// The closed loop of a cell in words, a line a part; empty for the open loop.
[[nodiscard]] std::string describe_transport(const TrialPlan& trial);

/// The modelled ends and path in words.
[[nodiscard]] std::string describe_model(const TrialPlan& trial);

/// "payload 1472 B, UDP 1480, ..." of a frame with so much UDP payload, and what of it is header.
[[nodiscard]] std::string describe_size(std::uint32_t udp_payload, std::uint32_t header);

/// How a flow's block is cut, a line a size.
[[nodiscard]] std::string describe_block(const TrialPlan& trial);

}  // namespace gensink::plan::detail
