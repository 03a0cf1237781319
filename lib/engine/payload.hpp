// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "engine/concepts.hpp"
#include "flow/load.hpp"
#include "wire/checksum.hpp"
#include "wire/size.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gensink::engine {

/// A port whose frames can be given payload, by copy or as a segment of their own.
template <class P>
concept PayloadPort = requires(
    P& port,
    typename P::Frame* frame,
    typename P::Frame** frames,
    const std::byte* bytes,
    std::uint32_t n
) {
    /// Without FCS, over all segments.
    { P::length(frame) } -> std::same_as<std::uint32_t>;
    /// n segments without memory of their own, or none.
    { port.take_segments(frames, n) } -> std::same_as<bool>;
    { port.give_back_segments(frames, n) } -> std::same_as<void>;
    /// The frame's own bytes end after n, and go on with the segment: so many of `bytes`.
    { port.chain(frame, n, frame, bytes, n) } -> std::same_as<void>;
};

struct PayloadSpec {
    flow::Payload mode = flow::Payload::in_template;
    std::span<const std::byte> source{};  ///< no shorter than the largest payload
};

/// Puts the application's bytes behind gensink's header, as an application does that writes one
/// buffer from its start to its end, over and over.
template <class P>
class PayloadWriter {
  public:
    using Frame = typename P::Frame;

    explicit PayloadWriter(const PayloadSpec& spec = {}) : spec_(spec) {}

    [[nodiscard]] bool is_on() const { return spec_.mode != flow::Payload::in_template; }

    /// What write() needs for n frames. False: there are no segments left.
    [[nodiscard, gnu::noinline]] bool take([[maybe_unused]] P& port, std::uint32_t n) {
        if constexpr (PayloadPort<P>) {
            return spec_.mode != flow::Payload::zero_copy ||
                   port.take_segments(segments_.data(), n);
        }
        return n != 0;
    }

    /// After take(), and once the frames have their lengths.
    [[gnu::noinline]] void write(
        [[maybe_unused]] P& port,
        [[maybe_unused]] Frame** frames,
        [[maybe_unused]] std::uint32_t n,
        [[maybe_unused]] counters::TxCounts& counts
    ) {
        if constexpr (PayloadPort<P>) {
            std::uint32_t chained = 0;
            for (std::uint32_t i = 0; i < n; ++i) {
                const std::uint32_t length = P::length(frames[i]);
                const std::uint32_t bytes = length - std::min(length, head_bytes);
                if (bytes == 0) {
                    continue;
                }
                const std::byte* const from = next(bytes);
                if (spec_.mode == flow::Payload::zero_copy) {
                    port.chain(frames[i], head_bytes, segments_[chained++], from, bytes);
                } else {
                    copy(P::bytes(frames[i]), from, bytes);
                    counts.bytes_copied += bytes;
                }
            }
            if (spec_.mode == flow::Payload::zero_copy) {
                port.give_back_segments(&segments_[chained], n - chained);
                counts.frames_chained += chained;
            }
        }
    }

  private:
    /// What a frame holds of its own.
    static constexpr std::uint32_t head_bytes = wire::headers_bytes + wire::gensink_header_bytes;

    [[nodiscard]] const std::byte* next(std::uint32_t bytes) {
        if (at_ + bytes > spec_.source.size()) {
            at_ = 0;
        }
        const std::byte* const from = spec_.source.data() + at_;
        at_ += bytes;
        return from;
    }

    void copy(std::byte* frame, const std::byte* from, std::uint32_t bytes) const {
        if (spec_.mode == flow::Payload::copy) {
            std::memcpy(frame + head_bytes, from, bytes);
            return;
        }
        // Addresses, protocol and UDP length, then UDP's header; gensink's own header adds nothing.
        const std::byte* const udp = frame + wire::ethernet_bytes + wire::ipv4_bytes;
        const auto length = wire::load<std::uint16_t>(udp + 4);
        std::uint64_t sum = wire::copy_and_sum(frame + head_bytes, from, bytes);
        sum = wire::add_carry(sum, wire::load<std::uint64_t>(udp - 8));
        sum = wire::add_carry(sum, wire::load<std::uint32_t>(udp));
        sum = wire::add_carry(sum, (std::uint64_t{17} << 8) + std::uint64_t{2} * length);
        const auto check = static_cast<std::uint16_t>(~wire::fold(sum));
        wire::store(frame + wire::headers_bytes - 2, check == 0 ? std::uint16_t{0xffff} : check);
    }

    PayloadSpec spec_;
    std::uint64_t at_ = 0;
    std::array<Frame*, counters::max_burst> segments_{};
};

}  // namespace gensink::engine
