// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "wire/frame.hpp"
#include "wire/stamp.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gensink::engine {

/// What a stream's frames have in common and how they differ.
struct StreamSpec {
    std::uint32_t run_id = 0;
    std::uint8_t stream = 0;
    std::uint32_t flows = 1;                   ///< a power of two
    std::vector<std::uint16_t> payload_bytes;  ///< the cycle of sizes
    wire::FrameFields fields;                  ///< of flow 0
};

/// The bytes that differ by size and flow: IPv4 length and checksum, and the UDP header whole.
struct Variant {
    std::uint64_t udp_header = 0;     ///< in memory order
    std::uint16_t ipv4_length = 0;    ///< in memory order
    std::uint16_t ipv4_checksum = 0;  ///< in memory order
    std::uint16_t bytes = 0;          ///< frame without FCS
    std::uint16_t payload_bytes = 0;
};

[[nodiscard]] Variant make_variant(const wire::FrameFields& fields);

/// Sequence numbers and the accepted bytes of one stream, common to all mutators.
class StreamState {
  public:
    explicit StreamState(const StreamSpec& spec) : run_id_(spec.run_id), stream_(spec.stream) {}

    /// Frames that are built but not accepted, the newest of which is sequence - 1.
    [[nodiscard]] std::uint64_t sequence() const { return sequence_; }

    void set_phase(counters::Phase phase) { phase_ = static_cast<std::uint8_t>(phase); }

  protected:
    /// Gives `frame` sequence `sequence` and this turn's time.
    void stamp(std::byte* frame, std::uint64_t sequence, std::uint32_t time) const {
        wire::write_stamp(frame, run_id_, wire::stamp_word(stream_, phase_, sequence), time);
    }

    [[nodiscard]] static std::uint32_t stamp_time(std::uint64_t now) {
        return static_cast<std::uint32_t>(now >> wire::time_shift);
    }

    std::uint64_t sequence_ = 0;
    std::uint32_t run_id_;
    std::uint8_t stream_;
    std::uint8_t phase_ = 0;
};

/// One size, one flow: only the stamp changes.
class UniformMutator : public StreamState {
  public:
    explicit UniformMutator(const StreamSpec& spec)
        : StreamState(spec), payload_(spec.payload_bytes.front()) {}

    template <class Port>
    void mutate(typename Port::Frame** frames, std::uint32_t n, std::uint64_t now) {
        const std::uint32_t time = stamp_time(now);
        for (std::uint32_t i = 0; i < n; ++i) {
            stamp(Port::bytes(frames[i]), sequence_ + i, time);
        }
        sequence_ += n;
    }

    /// Stamps held frames, the newest of which is sequence - 1, with the phase that now holds.
    template <class Port>
    void mark_again(typename Port::Frame** frames, std::uint32_t n, std::uint64_t now) const {
        for (std::uint32_t i = 0; i < n; ++i) {
            stamp(Port::bytes(frames[i]), sequence_ - n + i, stamp_time(now));
        }
    }

    void commit(std::uint32_t n) { payload_accepted_ += std::uint64_t{n} * payload_; }

    [[nodiscard]] std::uint64_t payload_accepted() const { return payload_accepted_; }

    [[nodiscard]] std::uint64_t frame_bytes_accepted(std::uint64_t frames) const {
        return frames * wire::frame_bytes(payload_);
    }

  private:
    std::uint32_t payload_;
    std::uint64_t payload_accepted_ = 0;
};

/// A cycle of sizes and flows: frame s has size s mod sizes and flow s mod flows.
class VariedMutator : public StreamState {
  public:
    explicit VariedMutator(const StreamSpec& spec);

    template <class Port>
    void mutate(typename Port::Frame** frames, std::uint32_t n, std::uint64_t now) {
        const std::uint32_t time = stamp_time(now);
        for (std::uint32_t i = 0; i < n; ++i) {
            const Variant& v = variants_[next_];
            next_ = next_ + 1 == variants_.size() ? 0 : next_ + 1;
            std::byte* const frame = Port::bytes(frames[i]);
            wire::store(frame + 16, v.ipv4_length);
            wire::store(frame + 24, v.ipv4_checksum);
            wire::store(frame + 34, v.udp_header);
            Port::set_length(frames[i], v.bytes);
            stamp(frame, sequence_ + i, time);
        }
        sequence_ += n;
    }

    template <class Port>
    void mark_again(typename Port::Frame** frames, std::uint32_t n, std::uint64_t now) const {
        for (std::uint32_t i = 0; i < n; ++i) {
            stamp(Port::bytes(frames[i]), sequence_ - n + i, stamp_time(now));
        }
    }

    void commit(std::uint32_t n) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const Variant& v = variants_[accepted_];
            accepted_ = accepted_ + 1 == variants_.size() ? 0 : accepted_ + 1;
            payload_accepted_ += v.payload_bytes;
            bytes_accepted_ += v.bytes + wire::fcs_bytes;
        }
    }

    [[nodiscard]] std::uint64_t payload_accepted() const { return payload_accepted_; }

    [[nodiscard]] std::uint64_t frame_bytes_accepted(std::uint64_t) const {
        return bytes_accepted_;
    }

  private:
    std::vector<Variant> variants_;  ///< the least common cycle of sizes and flows
    std::size_t next_ = 0;
    std::size_t accepted_ = 0;
    std::uint64_t payload_accepted_ = 0;
    std::uint64_t bytes_accepted_ = 0;
};

}  // namespace gensink::engine
