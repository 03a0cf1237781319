// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "engine/mutator.hpp"
#include "flow/sender.hpp"
#include "wire/size.hpp"
#include "wire/stamp.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace gensink::engine {

/// What the closed loop's frames of a stream look like.
struct SegmentSpec {
    std::uint32_t run_id = 0;
    std::uint8_t stream = 0;
    bool connect = false;            ///< blocks begin with a connection frame
    std::uint32_t flows = 1;         ///< any number; flow f uses the source port + f
    flow::BlockCut block;            ///< bytes of the application
    std::uint16_t header_bytes = 0;  ///< of each frame's UDP payload before the application's
    wire::FrameFields fields;        ///< of flow 0
};

/// UDP payload of a frame with so many bytes of the application.
[[nodiscard]] constexpr std::uint16_t udp_payload(std::uint32_t bytes, std::uint32_t header) {
    const std::uint32_t all = bytes + header;
    return static_cast<std::uint16_t>(
        all < wire::gensink_header_bytes ? wire::gensink_header_bytes : all
    );
}

/// Makes template frames the admitted segments: sizes, flow, sequence, time. The sequence of frame
/// n of flow f is n << flow_bits | f, flow_bits being the least that hold all flows.
class SegmentWriter {
  public:
    explicit SegmentWriter(const SegmentSpec& spec);

    template <class Port>
    void write(
        typename Port::Frame** frames,
        const flow::Segment* segments,
        std::uint32_t n,
        std::uint64_t now
    ) const {
        const auto time = static_cast<std::uint32_t>(now >> wire::time_shift);
        // Copies, which a store to a frame cannot change.
        const std::uint32_t run_id = run_id_;
        const std::uint64_t marks = wire::stamp_word(stream_, phase_, 0);
        if (!varied_) {
            for (std::uint32_t i = 0; i < n; ++i) {
                const std::uint64_t word = marks | (segments[i].number & wire::sequence_mask);
                wire::write_stamp(Port::bytes(frames[i]), run_id, word, time);
            }
            return;
        }
        const std::uint64_t asking =
            wire::stamp_word(stream_, static_cast<std::uint8_t>(phase_ | wire::answer_at_once), 0);
        for (std::uint32_t i = 0; i < n; ++i) {
            const flow::Segment& segment = segments[i];
            std::byte* const frame = Port::bytes(frames[i]);
            const Variant& v = variant(segment);
            wire::store(frame + 16, v.ipv4_length);
            wire::store(frame + 24, v.ipv4_checksum);
            wire::store(frame + 34, v.udp_header);
            Port::set_length(frames[i], v.bytes);
            const std::uint64_t sequence = segment.number << flow_bits_ | segment.flow;
            const std::uint64_t word = (segment.part == flow::Part::connect ? asking : marks) |
                                       (sequence & wire::sequence_mask);
            wire::write_stamp(frame, run_id, word, time);
        }
    }

    void commit(const flow::Segment* segments, std::uint32_t n) {
        if (!varied_) {
            payload_accepted_ += std::uint64_t{n} * uniform_.payload_bytes;
            bytes_accepted_ += std::uint64_t{n} * (uniform_.bytes + wire::fcs_bytes);
            return;
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            const Variant& v = variant(segments[i]);
            payload_accepted_ += v.payload_bytes;
            bytes_accepted_ += v.bytes + wire::fcs_bytes;
        }
    }

    void set_phase(counters::Phase phase) { phase_ = static_cast<std::uint8_t>(phase); }

    [[nodiscard]] std::uint32_t run_id() const { return run_id_; }

    [[nodiscard]] std::uint8_t stream() const { return stream_; }

    /// UDP payload of accepted frames.
    [[nodiscard]] std::uint64_t payload_accepted() const { return payload_accepted_; }

    [[nodiscard]] std::uint64_t frame_bytes_accepted() const { return bytes_accepted_; }

  private:
    [[nodiscard]] const Variant& variant(const flow::Segment& segment) const {
        return variants_[segment.flow * flow::parts + static_cast<std::size_t>(segment.part)];
    }

    std::uint32_t run_id_;
    std::uint8_t stream_;
    std::uint8_t phase_ = 0;
    unsigned flow_bits_;
    bool varied_;  ///< frames differ in more than their stamps
    std::vector<Variant> variants_;
    Variant uniform_;  ///< where they do not
    std::uint64_t payload_accepted_ = 0;
    std::uint64_t bytes_accepted_ = 0;
};

}  // namespace gensink::engine
