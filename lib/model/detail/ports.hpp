// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/ends.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// The engine's ports and clock over a World.
namespace gensink::model {

struct VirtualClock {
    const World* world;

    [[nodiscard]] std::uint64_t now() const { return world->now; }
};

struct FrameBytes {
    using Frame = model::Frame;

    static std::byte* bytes(Frame* frame) { return frame->data.data(); }

    static const std::byte* bytes(const Frame* frame) { return frame->data.data(); }

    static std::uint32_t length(const Frame* frame) { return frame->length; }

    static void set_length(Frame* frame, std::uint32_t bytes) { frame->length = bytes; }

    static void prefetch_record(const Frame*) {}

    static void prefetch(const Frame*) {}

    static void relax() {}
};

/// The generator's transmit queue. Frames reach the ring when the call that sends them is over.
struct GenTx : FrameBytes {
    World* world;

    bool take(Frame** frames, std::uint32_t n) const { return world->frames.take(frames, n); }

    std::uint32_t send(Frame** frames, std::uint32_t n) const {
        Work& work = world->work;
        work.asked = n;
        work.ticks += work.call_ticks;
        const std::uint32_t sent = std::min(n, world->link.room(world->now + work.ticks));
        work.ticks += sent * work.frame_ticks;
        world->link.send(frames, sent, world->now + work.ticks);
        return sent;
    }

    void give_back(Frame** frames, std::uint32_t n) const { world->frames.give_back(frames, n); }
};

/// Where the generator's ACKs come.
struct GenRx : FrameBytes {
    World* world;

    std::uint32_t receive(Frame** frames, std::uint32_t n) const {
        return world->link.receive_acks(frames, n, world->now);
    }

    void release(Frame** frames, std::uint32_t n) const { world->acks.give_back(frames, n); }
};

struct SinkRx : FrameBytes {
    World* world;
    std::uint32_t* taken;  ///< frames taken so far
    bool one_by_one;       ///< each has its own time

    std::uint32_t receive(Frame** frames, std::uint32_t n) const {
        const std::uint32_t most = one_by_one ? 1 : n;
        const std::uint32_t got = world->link.receive(frames, most, world->now);
        *taken += got;
        return got;
    }

    void release(Frame** frames, std::uint32_t n) const { world->frames.give_back(frames, n); }
};

struct SinkTx : FrameBytes {
    World* world;

    bool take(Frame** frames, std::uint32_t n) const { return world->acks.take(frames, n); }

    std::uint32_t send(Frame** frames, std::uint32_t n) const {
        world->link.send_acks(frames, n, world->now);
        return n;
    }

    void give_back(Frame** frames, std::uint32_t n) const { world->acks.give_back(frames, n); }
};

}  // namespace gensink::model
