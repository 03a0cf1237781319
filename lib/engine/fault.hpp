// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "counters/counts.hpp"
#include "engine/concepts.hpp"
#include "wire/checksum.hpp"
#include "wire/size.hpp"
#include "wire/stamp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

/// Faults made on purpose between a receive queue and the sink, to prove that each is caught.
namespace gensink::engine {

struct FaultSpec {
    std::uint32_t drop_every = 0;  ///< every n-th frame; 0: never
    std::uint32_t duplicate_every = 0;
    std::uint32_t reorder_every = 0;
    std::uint32_t reorder_depth = 1;  ///< frames that overtake a reordered one, 1..max_burst
    std::uint32_t corrupt_every = 0;
    std::uint32_t foreign_every = 0;
};

/// A receive queue that can also copy a frame (a frame of the wire is never edited: it may be a
/// template that comes back to its generator).
template <class P>
concept CopyingRxPort = RxPort<P> && requires(P& port, typename P::Frame* frame) {
    { port.copy(frame) } -> std::same_as<typename P::Frame*>;  // null: none left
    { P::mutable_bytes(frame) } -> std::same_as<std::byte*>;
};

/// Wraps a receive queue. A fault that finds no frame to copy into is not made, and not counted.
template <CopyingRxPort P>
class FaultyRxPort {
  public:
    using Frame = typename P::Frame;

    FaultyRxPort(P port, FaultSpec spec) : port_(std::move(port)), spec_(spec) {}

    std::uint32_t receive(Frame** frames, std::uint32_t n) {
        // Half of the room stays free for duplicates and released frames.
        const std::uint32_t got = port_.receive(raw_.data(), n > 1 ? n / 2 : n);
        std::uint32_t out = 0;
        for (std::uint32_t i = 0; i < got; ++i) {
            ++seen_;
            pass(raw_[i], frames, out, n);
        }
        if (got == 0 && kept_ != nullptr && ++idle_ > idle_polls_to_release) {
            frames[out++] = std::exchange(kept_, nullptr);
        }
        return out;
    }

    void release(Frame** frames, std::uint32_t n) { port_.release(frames, n); }

    static const std::byte* bytes(const Frame* frame) { return P::bytes(frame); }

    static std::uint32_t length(const Frame* frame) { return P::length(frame); }

    static void prefetch_record(const Frame* frame) { P::prefetch_record(frame); }

    static void prefetch(const Frame* frame) { P::prefetch(frame); }

    static void relax() { P::relax(); }

  private:
    static constexpr std::uint32_t idle_polls_to_release = 100'000;

    [[nodiscard]] bool hits(std::uint32_t every) const { return every != 0 && seen_ % every == 0; }

    void pass(Frame* frame, Frame** frames, std::uint32_t& out, std::uint32_t room) {
        if (hits(spec_.drop_every)) {
            port_.release(&frame, 1);
            return;
        }
        if (hits(spec_.corrupt_every)) {
            frame =
                edited(frame, [](std::byte* b, std::uint32_t n) { b[n - 1] ^= std::byte{0x10}; });
        }
        if (hits(spec_.foreign_every)) {
            frame = edited(frame, &make_foreign);
        }
        if (hits(spec_.reorder_every) && kept_ == nullptr) {
            kept_ = frame;
            overtaken_ = 0;
            idle_ = 0;
            return;
        }
        frames[out++] = frame;
        if (hits(spec_.duplicate_every) && out < room) {
            if (Frame* again = port_.copy(frame); again != nullptr) {
                frames[out++] = again;
            }
        }
        if (kept_ != nullptr && ++overtaken_ >= spec_.reorder_depth && out < room) {
            frames[out++] = std::exchange(kept_, nullptr);
        }
    }

    template <class Edit>
    Frame* edited(Frame* frame, Edit edit) {
        Frame* const copy = port_.copy(frame);
        if (copy == nullptr) {
            return frame;
        }
        // The pad of a short frame is no payload: the last byte that the checksums cover.
        const std::uint32_t covered =
            wire::ethernet_bytes + wire::swap16(wire::load<std::uint16_t>(P::bytes(frame) + 16));
        edit(P::mutable_bytes(copy), covered < P::length(frame) ? covered : P::length(frame));
        port_.release(&frame, 1);
        return copy;
    }

    /// Another run's frame, whole: its id changed, its check and UDP checksum kept right.
    static void make_foreign(std::byte* frame, std::uint32_t) {
        std::byte* const stamp = frame + wire::stamp_offset;
        const std::uint32_t id = wire::swap32(wire::load<std::uint32_t>(stamp)) ^ 0x5a5a5a5aU;
        wire::store(stamp, wire::swap32(id));
        wire::write_stamp(
            frame,
            id,
            wire::swap64(wire::load<std::uint64_t>(stamp + 4)),
            wire::swap32(wire::load<std::uint32_t>(stamp + 12))
        );
    }

    P port_;
    FaultSpec spec_;
    std::uint64_t seen_ = 0;
    Frame* kept_ = nullptr;
    std::uint32_t overtaken_ = 0;
    std::uint32_t idle_ = 0;
    std::array<Frame*, counters::max_burst> raw_{};
};

}  // namespace gensink::engine
