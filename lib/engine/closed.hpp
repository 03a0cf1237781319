// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "engine/concepts.hpp"
#include "engine/payload.hpp"
#include "engine/segments.hpp"
#include "engine/tx.hpp"
#include "flow/flow_set.hpp"
#include "wire/ack.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace gensink::engine {

/// One transmit queue of the closed loop, and the receive queue on which its ACKs come. Segments
/// are admitted first, then built into frames, then accepted by the port; each may lag.
template <TxPort P, RxPort A, Pacer R, Clock C>
struct ClosedQueue {
    static constexpr std::uint32_t ack_burst = 32;

    P port;
    A acks;
    C clock;
    R pacer;
    std::unique_ptr<flow::FlowSet> flows;
    SegmentWriter writer;
    PayloadWriter<P> payload{};
    double ticks_per_ns = 1;
    std::uint32_t admitted = 0;
    std::uint32_t built = 0;  ///< of the admitted, the first so many
    std::uint64_t accepted = 0;
    std::uint64_t first_sequence = 0;
    std::array<flow::Segment, counters::max_burst> segments{};
    std::array<typename P::Frame*, counters::max_burst> frames{};
    std::array<typename A::Frame*, ack_burst> ack_frames{};

    [[gnu::always_inline]] counters::TxCause turn(counters::TxCounts& counts, std::uint64_t now);
    void start_phase(counters::Phase phase, const counters::TxCounts& counts, std::uint64_t now);
    void end_measuring(const counters::TxCounts& counts, std::uint64_t now);
    void add_to(counters::TxCounts& counts) const;

    void give_back() {
        port.give_back(frames.data(), built);
        built = admitted = 0;
    }

    [[nodiscard]] counters::TxStreamCounts stream_counts() const { return {accepted, 0}; }

    [[nodiscard]] counters::TxQueueState state() const { return {accepted, built}; }

    [[nodiscard]] std::uint64_t next_event(std::uint64_t now) const {
        return std::min(R::paced ? pacer.next(now) : flow::never, flows->deadline());
    }

    [[nodiscard]] bool is_finished() const { return flows->is_finished(); }

  private:
    /// Tells the flows what of the core's time was no one's choice.
    void share_ticks(const counters::TxCounts& counts) {
        using counters::TxCause;
        flows->core = {
            counts.cause_ticks[static_cast<std::size_t>(TxCause::ring_full)],
            counts.cause_ticks[static_cast<std::size_t>(TxCause::pacing)],
            counts.cause_ticks[static_cast<std::size_t>(TxCause::pool_empty)]};
    }

    [[nodiscard]] std::uint32_t receive();
    void take_in(std::uint32_t answers, std::uint64_t now, std::uint64_t came);
    [[nodiscard]] std::uint32_t admit(std::uint64_t now);
    [[nodiscard]] bool build(counters::TxCounts& counts, std::uint64_t now);
    [[nodiscard]] counters::TxCause
    transmit(counters::TxCounts& counts, std::uint64_t now, bool fresh);
};

/// Takes over what the sink has answered. It comes from another core, and is read once it is here.
template <TxPort P, RxPort A, Pacer R, Clock C>
inline std::uint32_t ClosedQueue<P, A, R, C>::receive() {
    const std::uint32_t n = acks.receive(ack_frames.data(), ack_burst);
    for (std::uint32_t i = 0; i < n; ++i) {
        A::prefetch_record(ack_frames[i]);
    }
    return n;
}

/// Reads so many answers, which came at a time, and treats what timed out without one.
template <TxPort P, RxPort A, Pacer R, Clock C>
inline void
ClosedQueue<P, A, R, C>::take_in(std::uint32_t answers, std::uint64_t now, std::uint64_t came) {
    for (std::uint32_t i = 0; i < answers; ++i) {
        wire::AckFields ack;
        if (wire::read_ack(
                A::bytes(ack_frames[i]), A::length(ack_frames[i]), writer.run_id(), ack
            ) &&
            ack.stream == writer.stream()) {
            const auto held =
                static_cast<std::uint64_t>(static_cast<double>(ack.held_ns) * ticks_per_ns);
            flows->acknowledge(
                {ack.flow, ack.next, ack.highest, ack.frames, ack.payload, held}, now, came
            );
        }
    }
    if (answers != 0) {
        acks.release(ack_frames.data(), answers);
    }
    flows->on_time(now);
}

/// Fills the burst that is due; the number of frames that joined it.
template <TxPort P, RxPort A, Pacer R, Clock C>
inline std::uint32_t ClosedQueue<P, A, R, C>::admit(std::uint64_t now) {
    const std::uint32_t due = pacer.due(now);
    if (due <= admitted) {
        return 0;
    }
    const std::uint32_t already = admitted;
    const std::uint32_t fresh =
        flows->take(due - already, now, &segments[already], [&](std::uint32_t i) {
            return R::paced ? pacer.intended(already + i) : now;
        });
    admitted += fresh;
    return fresh;
}

/// Gives every admitted segment its frame. False: the pool is empty.
template <TxPort P, RxPort A, Pacer R, Clock C>
inline bool ClosedQueue<P, A, R, C>::build(counters::TxCounts& counts, std::uint64_t now) {
    const std::uint32_t more = admitted - built;
    if (more == 0) {
        return true;
    }
    if (!port.take(&frames[built], more)) [[unlikely]] {
        ++counts.pool_failures;
        return false;
    }
    if (payload.is_on() && !payload.take(port, more)) [[unlikely]] {
        port.give_back(&frames[built], more);
        ++counts.pool_failures;
        return false;
    }
    for (std::uint32_t i = built; i < admitted; ++i) {
        P::prefetch_record(frames[i]);
    }
    writer.template write<P>(&frames[built], &segments[built], more, now);
    if (payload.is_on()) {
        payload.write(port, &frames[built], more, counts);
    }
    counts.frames_built += more;
    built = admitted;
    return true;
}

template <TxPort P, RxPort A, Pacer R, Clock C>
inline counters::TxCause
ClosedQueue<P, A, R, C>::transmit(counters::TxCounts& counts, std::uint64_t now, bool fresh) {
    if (!build(counts, now) && built == 0) {
        return counters::TxCause::pool_empty;
    }
    if constexpr (R::paced) {
        if (counts.send_calls % calls_between_holds == 0) {
            flows->latencies().hold.add(now - std::min(pacer.intended(0), now));
        }
    }
    const std::uint32_t asked = built;
    const std::uint32_t sent = port.send(frames.data(), asked);
    flows->sent(segments.data(), sent, now);
    pacer.commit(sent);
    writer.commit(segments.data(), sent);
    accepted += sent;
    ++counts.send_calls;
    counts.frames_asked += asked;
    ++counts.burst_asked[asked];
    ++counts.burst_accepted[sent];
    if (sent != 0) {
        std::copy(&frames[sent], &frames[asked], frames.data());
        std::copy(&segments[sent], &segments[admitted], segments.data());
        built -= sent;
        admitted -= sent;
    } else if (!fresh) {
        P::relax();
        return counters::TxCause::ring_full;
    }
    return counters::TxCause::sending;
}

/// One pass: frames that may leave out, ACKs in. ACKs are read first where nothing may leave.
template <TxPort P, RxPort A, Pacer R, Clock C>
inline counters::TxCause
ClosedQueue<P, A, R, C>::turn(counters::TxCounts& counts, std::uint64_t now) {
    using counters::TxCause;
    share_ticks(counts);
    const std::uint32_t answers = receive();
    // The thread may have been off its core since `now`: no answer came before it was sent.
    const std::uint64_t came = answers == 0 ? now : clock.now();
    std::uint32_t fresh = admit(now);
    if (admitted == 0) {
        take_in(answers, now, came);
        fresh = admit(now);
        if (admitted == 0) {
            return pacer.due(now) == 0 || flows->is_finished() ? TxCause::pacing : TxCause::window;
        }
        return transmit(counts, now, fresh != 0);
    }
    for (std::uint32_t i = 0; i < answers; ++i) {
        A::prefetch(ack_frames[i]);
    }
    const TxCause cause = transmit(counts, now, fresh != 0);
    take_in(answers, now, came);
    return cause;
}

template <TxPort P, RxPort A, Pacer R, Clock C>
void ClosedQueue<P, A, R, C>::start_phase(
    counters::Phase phase, const counters::TxCounts& counts, std::uint64_t now
) {
    share_ticks(counts);
    flows->settle(now);
    pacer.start(now, admitted);
    writer.set_phase(phase);
    writer.template write<P>(frames.data(), segments.data(), built, now);
    if (phase == counters::Phase::measure) {
        flows->start_measuring();
    }
}

template <TxPort P, RxPort A, Pacer R, Clock C>
void ClosedQueue<P, A, R, C>::end_measuring(const counters::TxCounts& counts, std::uint64_t now) {
    share_ticks(counts);
    flows->end_measuring(now);
}

template <TxPort P, RxPort A, Pacer R, Clock C>
void ClosedQueue<P, A, R, C>::add_to(counters::TxCounts& counts) const {
    counts.frames_accepted += accepted;
    counts.payload_bytes += writer.payload_accepted();
    counts.frame_bytes += writer.frame_bytes_accepted();
    counts.frames_skipped += pacer.skipped();
    const std::uint64_t most =
        std::max(counts.transport.most_outstanding, flows->counts.most_outstanding);
    counts.transport = counters::sum(counts.transport, flows->counts);
    counts.transport.most_outstanding = most;
}

}  // namespace gensink::engine
