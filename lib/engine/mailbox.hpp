// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gensink::engine {

/// Frames that a sink's loop hands to the control thread, a few at a time: one that finds no room
/// is dropped, and whoever sent it asks again.
class Mailbox {
  public:
    /// Longest frame that is carried, without FCS.
    static constexpr std::uint32_t longest = 1514;

    /// Called by the loop.
    void put(const std::byte* frame, std::uint32_t bytes) {
        const std::uint32_t at = written_.load(std::memory_order_relaxed);
        if (bytes > longest || at - read_.load(std::memory_order_acquire) == slots) {
            return;
        }
        Letter& letter = letters_[at % slots];
        std::memcpy(letter.data.data(), frame, bytes);
        letter.bytes = bytes;
        written_.store(at + 1, std::memory_order_release);
    }

    /// Called by the control thread: gives each frame to `read`, the oldest first.
    template <class Read>
    void take(Read&& read) {
        std::uint32_t at = read_.load(std::memory_order_relaxed);
        for (; at != written_.load(std::memory_order_acquire); ++at) {
            const Letter& letter = letters_[at % slots];
            read(std::span(letter.data).first(letter.bytes));
            read_.store(at + 1, std::memory_order_release);
        }
    }

  private:
    static constexpr std::uint32_t slots = 16;

    struct Letter {
        std::uint32_t bytes = 0;
        std::array<std::byte, longest> data{};
    };

    std::array<Letter, slots> letters_{};
    /// Letters written so far, modulo 2^32. Writer: the loop. Reader: control thread.
    alignas(cache_block_bytes) std::atomic<std::uint32_t> written_{0};
    /// Letters read so far. Writer: control thread. Reader: the loop.
    alignas(cache_block_bytes) std::atomic<std::uint32_t> read_{0};
};

/// One frame that the control thread asks a loop to send, on a queue that the loop has for itself.
/// Writers: control thread (null to frame), the loop (frame to null). Holds a port's Frame*.
using Outbox = std::atomic<void*>;

}  // namespace gensink::engine
