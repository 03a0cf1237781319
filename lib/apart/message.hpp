// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What the two ends of a trial say to each other on their link, where each is a process or a host
/// of its own. The generator asks, the sink answers.
namespace gensink::apart {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// drained: told by the generator, three times and without an answer, once its last frame has left.
/// measuring: told likewise where its measure phase begins and no frame can carry a mark: TCP.
enum class Ask : std::uint8_t { hello, open, start, drained, stop, measuring };
[[nodiscard]] const char* name(Ask ask);

/// refusal: the payload is an Error. busy: another generator's trial is on. mismatch: the payload
/// is the version of the other gensink, as text. alive, ended: told by a sink unasked, with number
/// 0: that its trial is on, and that it goes.
enum class Kind : std::uint8_t { question, answer, refusal, busy, mismatch, alive, ended };

struct Message {
    Kind kind = Kind::question;
    Ask ask = Ask::hello;
    std::uint32_t session = 0;  ///< of one generator process
    std::uint32_t number = 0;   ///< of the question, from 1; an answer has its question's
    Bytes payload;
};

/// Tells one sink's process from any other's: the payload of its answers to a hello, and of "busy".
using SinkId = std::uint64_t;
[[nodiscard]] Bytes encode(SinkId id);
/// Absent where the message holds none.
[[nodiscard]] std::optional<SinkId> sink_id(const Message& message);

/// Where a message goes to and comes from.
struct Route {
    plan::MacAddress destination{};
    plan::MacAddress source{};
};

inline constexpr plan::MacAddress everyone{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/// Payload bytes of one frame; a longer message takes several.
inline constexpr std::size_t chunk_bytes = 1024;
/// 256 cores of histograms take about 2 MiB.
inline constexpr std::size_t largest_payload = 4U << 20U;

/// Frames without FCS that carry a message, none shorter than 60 bytes.
[[nodiscard]] std::vector<Bytes> frames_of(const Message& message, const Route& route);

/// Puts messages together again. Frames that are damaged, repeated, or of no message are ignored;
/// of two messages that arrive at once the later one wins.
class Assembler {
  public:
    struct Arrived {
        Message message;
        Route route;
        bool same_build = true;  ///< false: the payload means nothing here
    };

    /// A frame without FCS; the message that it completes.
    [[nodiscard]] std::optional<Arrived> add(ByteView frame);

  private:
    Arrived current_;
    std::vector<bool> have_;  ///< of each chunk
    std::size_t missing_ = 0;
};

/// Version of this program and state of its source, for people: "0.1.0 (1a2b3c4-dirty)".
[[nodiscard]] std::string program_version();

/// Version of this program and of what it sends; ends with different ones do not understand each
/// other.
[[nodiscard]] std::string version();

}  // namespace gensink::apart
