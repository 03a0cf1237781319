// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/histogram.hpp"
#include "engine/concepts.hpp"
#include "engine/payload.hpp"
#include "engine/tx_loop.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gensink::engine {

/// One send call in so many has its hold time taken: at every call it would be a cost of its own.
inline constexpr std::uint64_t calls_between_holds = 16;

/// One transmit queue of the open loop: its port, rules, and the frames refused last time.
template <TxPort P, Pacer R, Window W, Mutator<P> M>
struct TxQueue {
    P port;
    R pacer;
    W window;
    M mutator;
    PayloadWriter<P> payload{};
    std::uint32_t held = 0;  ///< built, not yet accepted; they lead the next burst
    std::uint64_t accepted = 0;
    std::array<typename P::Frame*, counters::max_burst> frames{};
    counters::Histogram hold{};  ///< first frame of a burst due -> send call; while measuring

    [[gnu::always_inline]] counters::TxCause turn(counters::TxCounts& counts, std::uint64_t now);
    bool top_up(counters::TxCounts& counts, std::uint32_t fresh, std::uint64_t now);
    void start_phase(counters::Phase phase, const counters::TxCounts& counts, std::uint64_t now);

    void end_measuring(const counters::TxCounts&, std::uint64_t) { measured_hold = hold; }

    void give_back() {
        port.give_back(frames.data(), held);
        held = 0;
    }

    void add_to(counters::TxCounts& counts) const {
        counts.frames_accepted += accepted;
        counts.payload_bytes += mutator.payload_accepted();
        counts.frame_bytes += mutator.frame_bytes_accepted(accepted);
        counts.frames_skipped += pacer.skipped();
        if constexpr (requires { port.copied(); }) {
            counts.kernel_bytes_copied += port.copied();
        }
    }

    [[nodiscard]] counters::TxStreamCounts stream_counts() const {
        return {accepted, mutator.sequence() - held};
    }

    [[nodiscard]] counters::TxQueueState state() const { return {accepted, held}; }

    [[nodiscard]] std::uint64_t next_event(std::uint64_t now) const { return pacer.next(now); }

    [[nodiscard]] static bool is_finished() { return false; }

    counters::Histogram measured_hold{};
};

/// Builds fresh frames behind those held. False: the pool is empty.
template <TxPort P, Pacer R, Window W, Mutator<P> M>
[[gnu::always_inline]] inline bool
TxQueue<P, R, W, M>::top_up(counters::TxCounts& counts, std::uint32_t fresh, std::uint64_t now) {
    if (!port.take(&frames[held], fresh)) [[unlikely]] {
        ++counts.pool_failures;
        return false;
    }
    if (payload.is_on() && !payload.take(port, fresh)) [[unlikely]] {
        port.give_back(&frames[held], fresh);
        ++counts.pool_failures;
        return false;
    }
    mutator.template mutate<P>(&frames[held], fresh, now);
    if (payload.is_on()) {
        payload.write(port, &frames[held], fresh, counts);
    }
    counts.frames_built += fresh;
    held += fresh;
    return true;
}

/// One pass over one queue.
template <TxPort P, Pacer R, Window W, Mutator<P> M>
inline counters::TxCause TxQueue<P, R, W, M>::turn(counters::TxCounts& counts, std::uint64_t now) {
    using counters::TxCause;
    const std::uint32_t due = pacer.due(now);
    if (due == 0) {
        return TxCause::pacing;
    }
    const std::uint32_t want = std::max(window.room(due), held);
    if (want == 0) {
        return TxCause::window;
    }
    const std::uint32_t fresh = want - held;
    if (fresh != 0 && !top_up(counts, fresh, now) && held == 0) {
        return TxCause::pool_empty;
    }
    if constexpr (R::paced) {
        if (counts.send_calls % calls_between_holds == 0) {
            hold.add(now - std::min(pacer.intended(0), now));
        }
    }
    const std::uint32_t asked = held;
    const std::uint32_t sent = port.send(frames.data(), asked);
    pacer.commit(sent);
    window.commit(sent);
    mutator.commit(sent);
    accepted += sent;
    held = asked - sent;
    ++counts.send_calls;
    counts.frames_asked += asked;
    ++counts.burst_asked[asked];
    ++counts.burst_accepted[sent];
    if (sent != asked) {
        std::copy(&frames[sent], &frames[asked], frames.data());
        if (sent == 0 && fresh == 0) {
            P::relax();
            return TxCause::ring_full;
        }
    }
    return TxCause::sending;
}

template <TxPort P, Pacer R, Window W, Mutator<P> M>
void TxQueue<P, R, W, M>::start_phase(
    counters::Phase phase, const counters::TxCounts&, std::uint64_t now
) {
    pacer.start(now, held);  // a phase owes nothing to the one before it
    mutator.set_phase(phase);
    mutator.template mark_again<P>(frames.data(), held, now);
    hold = {};
}

}  // namespace gensink::engine
