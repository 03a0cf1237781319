// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/control.hpp"
#include "engine/mutator.hpp"
#include "wire/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace gensink::engine::fake {

struct Frame {
    std::array<std::byte, 2048> data{};
    std::uint32_t length = 60;
    bool is_copy = false;
};

/// Everything that a fake loop touches; scripted by tests.
struct World {
    std::uint64_t now = 1000;
    std::uint64_t ticks_per_read = 10;
    std::deque<Frame> frames;
    std::vector<Frame*> free;
    std::deque<Frame> copies{1024};  ///< a pool of its own: templates are never edited
    std::vector<Frame*> free_copies;
    std::deque<Frame*> link;  ///< sent, not yet received
    std::size_t link_room = 1'000'000;
    std::uint32_t asked = 0;
    std::function<void()> on_send = [] {
    };
    std::function<void()> on_receive = [] {
    };

    explicit World(std::size_t pool = 4096) : frames(pool) {
        for (Frame& f : frames) {
            free.push_back(&f);
        }
        for (Frame& f : copies) {
            free_copies.push_back(&f);
        }
    }

    void write_templates(const wire::FrameFields& fields) {
        for (Frame& f : frames) {
            f.length = wire::frame_bytes_without_fcs(fields.payload_bytes);
            wire::write_frame({f.data.data(), f.length}, fields);
        }
    }
};

struct Clock {
    World* world;

    [[nodiscard]] std::uint64_t now() const { return world->now += world->ticks_per_read; }
};

struct TxPort {
    using Frame = fake::Frame;
    World* world;

    bool take(Frame** frames, std::uint32_t n) const {
        if (world->free.size() < n) {
            return false;
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            frames[i] = world->free.back();
            world->free.pop_back();
        }
        return true;
    }

    std::uint32_t send(Frame** frames, std::uint32_t n) const {
        world->asked = n;
        world->on_send();
        std::uint32_t sent = 0;
        while (sent < n && world->link.size() < world->link_room) {
            world->link.push_back(frames[sent++]);
        }
        return sent;
    }

    void give_back(Frame** frames, std::uint32_t n) const {
        world->free.insert(world->free.end(), frames, frames + n);
    }

    static void relax() {}

    static void prefetch_record(const Frame*) {}

    static std::byte* bytes(Frame* frame) { return frame->data.data(); }

    static void set_length(Frame* frame, std::uint32_t n) { frame->length = n; }
};

struct RxPort {
    using Frame = fake::Frame;
    World* world;

    std::uint32_t receive(Frame** frames, std::uint32_t n) const {
        world->on_receive();
        std::uint32_t got = 0;
        while (got < n && !world->link.empty()) {
            frames[got++] = world->link.front();
            world->link.pop_front();
        }
        return got;
    }

    void release(Frame** frames, std::uint32_t n) const {
        for (std::uint32_t i = 0; i < n; ++i) {
            const bool copy = frames[i]->is_copy;
            (copy ? world->free_copies : world->free).push_back(frames[i]);
        }
    }

    Frame* copy(const Frame* frame) const {
        if (world->free_copies.empty()) {
            return nullptr;
        }
        Frame* const to = world->free_copies.back();
        world->free_copies.pop_back();
        *to = *frame;
        to->is_copy = true;
        return to;
    }

    static const std::byte* bytes(const Frame* frame) { return frame->data.data(); }

    static std::byte* mutable_bytes(Frame* frame) { return frame->data.data(); }

    static std::uint32_t length(const Frame* frame) { return frame->length; }

    static void prefetch_record(const Frame*) {}

    static void prefetch(const Frame*) {}

    static void relax() {}
};

inline constexpr std::uint32_t run_id = 0xabcdef01;
inline constexpr std::uint16_t port = 5401;

inline StreamSpec stream_spec(std::uint32_t flows = 1, std::vector<std::uint16_t> payload = {18}) {
    StreamSpec spec;
    spec.run_id = run_id;
    spec.flows = flows;
    spec.payload_bytes = std::move(payload);
    spec.fields.source_ip = {198, 18, 0, 1};
    spec.fields.destination_ip = {198, 18, 0, 2};
    spec.fields.source_port = 49152;
    spec.fields.destination_port = port;
    spec.fields.run_id = run_id;
    for (const std::uint16_t bytes : spec.payload_bytes) {
        spec.fields.payload_bytes = std::max(spec.fields.payload_bytes, bytes);
    }
    return spec;
}

}  // namespace gensink::engine::fake
