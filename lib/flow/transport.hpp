// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "flow/blocks.hpp"

#include <cstdint>
#include <optional>

/// What the closed loop is made of: windows, acknowledgements, recovery. Values as planned.
namespace gensink::flow {

/// What of a frame counts against the window.
enum class Accounting { payload, frame, truesize };
/// A frame leaves only if it fits, or as long as the limit is not reached.
enum class Admit { must_fit, while_below };
enum class Recovery { retransmit, give_up };

/// Limit on a flow's outstanding data.
struct WindowSpec {
    std::optional<std::uint64_t> limit_bytes;  ///< absent: unlimited
    std::uint64_t reserve_bytes = 0;           ///< of the limit, never used
    Accounting accounting = Accounting::payload;
    std::uint32_t truesize_bytes = 2304;  ///< charge of a frame under truesize
    Admit admit = Admit::must_fit;
    double wake_ratio = 0;  ///< share of the limit that must be free before a blocked flow goes on
};

/// Slow start and congestion avoidance (RFC 5681), counted in frames.
struct CongestionSpec {
    bool on = false;
    std::uint32_t initial_frames = 10;
    double growth = 1;  ///< frames that each ACK adds in slow start
    std::optional<std::uint32_t> ssthresh_frames;
};

struct RecoverySpec {
    Recovery policy = Recovery::retransmit;
    Duration timeout{3'000'000'000};
};

/// One flow's sender.
struct SenderSpec {
    BlockCut block;
    std::uint16_t header_bytes = 0;  ///< of each frame's UDP payload, not the application's
    WindowSpec window;
    CongestionSpec congestion;
    RecoverySpec recovery;
    bool sequential = false;               ///< a block starts when the one before is acknowledged
    bool connect = false;                  ///< each block opens its own connection first
    std::optional<std::uint64_t> blocks;   ///< of this flow; absent: endless
    std::uint32_t max_outstanding = 1024;  ///< frames; no window of this flow admits more
};

/// When the sink answers; several rules together act as in TCP, whichever comes first.
struct AckSpec {
    std::optional<std::uint32_t> every_frames;  ///< 1: immediate
    std::optional<std::uint64_t> above_bytes;   ///< unacknowledged payload above this
    std::optional<Duration> delay;              ///< after the first unacknowledged frame
    std::optional<Duration> delay_max;          ///< the delay adapts to gaps, up to this
    Duration path_delay{0};                     ///< each ACK is held back: the emulated RTT
    std::uint32_t line_records = 0;             ///< that the path delay can hold
};

/// A frame's cost against the window, in bytes.
[[nodiscard]] std::uint64_t
charge(const WindowSpec& window, std::uint32_t payload_bytes, std::uint32_t header_bytes);

/// Frames of a flow that its window admits at once when nothing is outstanding, up to `cap`; the
/// first is a block's first.
[[nodiscard]] std::uint32_t frames_admitted(const SenderSpec& spec, std::uint32_t cap);

/// The same whichever frame of a block is the first: small last pieces may leave room for one more.
[[nodiscard]] std::uint32_t most_frames_admitted(const SenderSpec& spec, std::uint32_t cap);

}  // namespace gensink::flow
