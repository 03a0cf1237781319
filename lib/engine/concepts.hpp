// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

/// What a loop needs from the world. Everything is resolved at compile time.
namespace gensink::engine {

template <class C>
concept Clock = requires(const C& clock) {
    { clock.now() } -> std::same_as<std::uint64_t>;  // ticks
};

/// One transmit queue and its frame pool, used by one thread.
template <class P>
concept TxPort =
    requires(P& port, typename P::Frame* frame, typename P::Frame** frames, std::uint32_t n) {
    /// All n frames, template bytes in place, or none.
    { port.take(frames, n) } -> std::same_as<bool>;
    /// Frames accepted, from the front; the rest stay the caller's.
    { port.send(frames, n) } -> std::same_as<std::uint32_t>;
    { port.give_back(frames, n) } -> std::same_as<void>;
    { P::bytes(frame) } -> std::same_as<std::byte*>;
    /// What describes the frame, on its way to the cache.
    { P::prefetch_record(frame) } -> std::same_as<void>;
    /// Length without FCS.
    { P::set_length(frame, n) } -> std::same_as<void>;
};

/// One receive queue, used by one thread.
template <class P>
concept RxPort =
    requires(P& port, const typename P::Frame* frame, typename P::Frame** frames, std::uint32_t n) {
    { port.receive(frames, n) } -> std::same_as<std::uint32_t>;
    { port.release(frames, n) } -> std::same_as<void>;
    { P::bytes(frame) } -> std::same_as<const std::byte*>;
    /// Length without FCS.
    { P::length(frame) } -> std::same_as<std::uint32_t>;
    /// What describes the frame, and then its bytes, on their way to the cache.
    { P::prefetch_record(frame) } -> std::same_as<void>;
    { P::prefetch(frame) } -> std::same_as<void>;
    /// Called when nothing has come: leaves the ring to its writer for a moment.
    { P::relax() } -> std::same_as<void>;
};

template <class P>
concept Pacer = requires(P& pacer, std::uint64_t now, std::uint32_t n) {
    { pacer.start(now, n) } -> std::same_as<void>;
    { pacer.due(now) } -> std::same_as<std::uint32_t>;
    { pacer.commit(n) } -> std::same_as<void>;
    { pacer.next(now) } -> std::same_as<std::uint64_t>;
    { pacer.skipped() } -> std::same_as<std::uint64_t>;
    { pacer.intended(n) } -> std::same_as<std::uint64_t>;
    { P::paced } -> std::convertible_to<bool>;
};

template <class W>
concept Window = requires(W& window, std::uint32_t n) {
    { window.room(n) } -> std::same_as<std::uint32_t>;
    { window.commit(n) } -> std::same_as<void>;
};

/// Makes a template frame the next frame of its stream.
template <class M, class P>
concept Mutator =
    requires(M& mutator, typename P::Frame** frames, std::uint32_t n, std::uint64_t now) {
    { mutator.template mutate<P>(frames, n, now) } -> std::same_as<void>;
    { mutator.commit(n) } -> std::same_as<void>;
};

}  // namespace gensink::engine
