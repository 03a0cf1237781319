// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// What parent and child say to each other, as bytes. Both are one binary: integers are sent as
/// they lie in memory; lengths and enumerators are checked all the same.
namespace gensink::worker {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// Questions of the parent. `ready` is the child's first, unasked message.
enum class Call : std::uint8_t { ready, open, start, enter, snapshot, stop, close, quit };
[[nodiscard]] const char* name(Call call);

/// The child has all plans by inheritance: a cell's index and what this trial changes suffice.
struct OpenCall {
    std::uint64_t cell = 0;
    std::uint32_t run_id = 0;
    flow::Load load;
    std::optional<double> intended_fps;
    std::optional<plan::MacAddress> destination_mac;  ///< the plan's, or the peer's once known
};

[[nodiscard]] Bytes encode(const OpenCall& call);
[[nodiscard]] Bytes encode(counters::Phase phase);
[[nodiscard]] Bytes encode(const trial::Opened& opened);
[[nodiscard]] Bytes encode(const trial::Snapshot& snapshot);
[[nodiscard]] Bytes encode(const Error& error);

/// Each is absent where the bytes are not one whole, valid value.
[[nodiscard]] std::optional<OpenCall> decode_open_call(ByteView bytes);
[[nodiscard]] std::optional<counters::Phase> decode_phase(ByteView bytes);
[[nodiscard]] std::optional<trial::Opened> decode_opened(ByteView bytes);
[[nodiscard]] std::optional<trial::Snapshot> decode_snapshot(ByteView bytes);
[[nodiscard]] std::optional<Error> decode_error(ByteView bytes);

}  // namespace gensink::worker
