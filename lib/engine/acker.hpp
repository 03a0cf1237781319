// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "engine/concepts.hpp"
#include "engine/mailbox.hpp"
#include "engine/sequence.hpp"
#include "flow/receiver.hpp"
#include "wire/ack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace gensink::engine {

/// A sink that answers nothing; compiles to nothing.
struct NoAcks {
    static constexpr bool answers = false;
};

/// A sound frame of this run, as the classifier has read it.
struct Arrival {
    std::uint32_t index;  ///< of its flow: stream * flows + flow
    Order order;
    bool asks;                    ///< to be answered at once
    std::uint32_t payload_bytes;  ///< UDP's
    const std::byte* bytes;
};

struct AckerSpec {
    std::uint32_t run_id = 0;
    std::uint32_t streams = 1;
    std::uint32_t flows = 1;         ///< of each stream, a power of two
    std::uint16_t header_bytes = 0;  ///< of each frame's UDP payload, not the application's
    flow::AckSpec rules;
    double ticks_per_second = 1e9;
    Outbox* outbox =
        nullptr;  ///< of a frame that the control thread wants sent; null: there is none
};

/// Answers the frames of one receive queue on a transmit queue of the same port: decides when,
/// holds each ACK back for the path's delay, and sends.
template <TxPort P>
class Acker {
  public:
    static constexpr bool answers = true;

    Acker(P port, const AckerSpec& spec)
        : port_(port)
        , spec_(spec)
        , flow_bits_(static_cast<unsigned>(std::countr_zero(spec.flows)))
        , rules_(spec.rules, spec.ticks_per_second)
        , ns_per_tick_(1e9 / spec.ticks_per_second)
        , flows_(std::size_t{spec.streams} * spec.flows)
        , delayed_(flows_.size())
        , line_(std::max<std::uint32_t>(spec.rules.line_records, ack_burst)) {}

    /// A frame has come; `window`: of its flow.
    [[gnu::always_inline]] void
    arrived(const Arrival& frame, SequenceWindow& window, std::uint64_t now) {
        flow::Receiver& f = flows_[frame.index];
        const std::uint32_t bytes = frame.asks ? 0 : application_bytes(frame.payload_bytes);
        const bool first = f.untold == 0;
        const bool due = f.arrived(rules_, bytes, now);
        if (first) [[unlikely]] {
            std::memcpy(peer_.data(), frame.bytes + 6, peer_.size());
        }
        // Out of order, or known already: told at once, so that a lost frame or ACK is mended.
        if (due || frame.asks || frame.order != Order::in_order || !window.is_whole())
            [[unlikely]] {
            if (frame.order == Order::duplicate || frame.order == Order::stale) {
                f.came_again(bytes);
            }
            tell(frame.index, window, 0, now);
        } else if (first && f.deadline != flow::never && !f.is_queued) [[unlikely]] {
            f.is_queued = true;
            delayed_.enter(frame.index, f.deadline);
        }
    }

    /// Frames of a flow, of so much payload each, that may follow in order before the one that
    /// makes an ACK due; none where the next is the first since an ACK.
    [[nodiscard, gnu::always_inline]] std::uint32_t
    may_come(std::uint32_t index, std::uint32_t payload_bytes) const {
        return flows_[index].may_come(rules_, application_bytes(payload_bytes));
    }

    /// No more than may_come() said have come.
    [[gnu::always_inline]] void came(
        std::uint32_t index, std::uint32_t frames, std::uint32_t payload_bytes, std::uint64_t now
    ) {
        flows_[index].came(frames, application_bytes(payload_bytes), now);
    }

    /// Sends what is due. `window_of(index)`: a flow's sequence window. True: ACKs left.
    template <class WindowOf>
    bool flush(counters::SinkCounts& counts, std::uint64_t now, WindowOf window_of);

    /// The earliest that flush() can do something.
    [[nodiscard]] std::uint64_t next_event() const {
        return std::min(delayed_.earliest(), count_ == 0 ? flow::never : line_[head_].due);
    }

    /// Sends what the control thread has put into the outbox, or leaves it there for the next time.
    void send_posted() {
        void* const posted =
            spec_.outbox == nullptr ? nullptr : spec_.outbox->load(std::memory_order_acquire);
        auto* frame = static_cast<typename P::Frame*>(posted);
        if (frame != nullptr && port_.send(&frame, 1) == 1) {
            spec_.outbox->store(nullptr, std::memory_order_release);
        }
    }

    void give_back() {
        port_.give_back(frames_.data(), taken_);
        held_ = taken_ = 0;
    }

  private:
    static constexpr std::uint32_t ack_burst = 32;

    struct Record {
        std::uint64_t due = 0;
        wire::AckFields fields;
    };

    [[nodiscard, gnu::always_inline]] std::uint32_t application_bytes(std::uint32_t payload_bytes
    ) const {
        return payload_bytes - std::min<std::uint32_t>(payload_bytes, spec_.header_bytes);
    }

    void tell(std::uint32_t index, SequenceWindow& window, std::uint64_t held, std::uint64_t now);
    template <class WindowOf>
    void tell_owed(std::uint64_t now, WindowOf window_of);
    void build(std::uint64_t now);
    [[nodiscard]] bool take();

    P port_;
    AckerSpec spec_;
    unsigned flow_bits_;
    flow::AckRules rules_;
    double ns_per_tick_;
    std::vector<flow::Receiver> flows_;
    flow::DelayedAcks delayed_;
    std::vector<Record> line_;  ///< a ring: the delay is constant, so the first in is the first due
    std::size_t head_ = 0;
    std::size_t count_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t dropped_ = 0;
    bool owes_ = false;        ///< a flow is owed an ACK for which there was no room
    std::uint32_t held_ = 0;   ///< built, not yet accepted: the first so many
    std::uint32_t taken_ = 0;  ///< out of the pool, ahead of their use
    std::array<typename P::Frame*, ack_burst> frames_{};
    std::array<std::uint8_t, 6> peer_{};  ///< where frames come from, and ACKs go
};

/// Enters an ACK that says what is known of a flow now.
template <TxPort P>
inline void
Acker<P>::tell(std::uint32_t index, SequenceWindow& window, std::uint64_t held, std::uint64_t now) {
    flow::Receiver& f = flows_[index];
    f.told();
    if (count_ == line_.size()) {
        ++dropped_;
        f.is_owed = true;  // told once there is room, unless a later ACK says all of it
        owes_ = true;
        return;
    }
    f.is_owed = false;
    std::size_t at = head_ + count_;
    at = at >= line_.size() ? at - line_.size() : at;
    line_[at] = {
        now + rules_.path_delay,
        {static_cast<std::uint8_t>(index >> flow_bits_),
         index & (spec_.flows - 1),
         window.first_missing(),
         window.next(),
         f.frames,
         f.payload,
         static_cast<std::uint64_t>(static_cast<double>(held) * ns_per_tick_)}};
    ++count_;
}

/// Writes frames for the ACKs that are due.
template <TxPort P>
inline void Acker<P>::build(std::uint64_t now) {
    while (held_ < ack_burst && count_ != 0 && line_[head_].due <= now) {
        if (held_ == taken_ && !take()) {
            return;
        }
        std::byte* const frame = P::bytes(frames_[held_]);
        std::memcpy(frame, peer_.data(), peer_.size());
        wire::write_ack(frame, spec_.run_id, number_++, line_[head_].fields);
        head_ = head_ + 1 == line_.size() ? 0 : head_ + 1;
        --count_;
        ++held_;
    }
}

/// Fills up the frames that were taken. They come back from the other end's core, and are in the
/// cache by the time that they are written.
template <TxPort P>
inline bool Acker<P>::take() {
    const std::uint32_t more = ack_burst - taken_;
    if (!port_.take(&frames_[taken_], more)) {
        return false;
    }
    for (; taken_ < ack_burst; ++taken_) {
        P::prefetch_record(frames_[taken_]);
    }
    return true;
}

template <TxPort P>
template <class WindowOf>
inline bool Acker<P>::flush(counters::SinkCounts& counts, std::uint64_t now, WindowOf window_of) {
    while (delayed_.earliest() <= now) {
        const std::uint32_t index = delayed_.pop();
        flow::Receiver& f = flows_[index];
        f.is_queued = false;
        if (f.deadline <= now) {
            ++counts.acks_by_timer;
            tell(index, window_of(index), now - f.first_untold, now);
        } else if (f.deadline != flow::never) {
            f.is_queued = true;
            delayed_.enter(index, f.deadline);
        }
    }
    bool any = false;
    std::uint32_t sent = 0;
    do {
        build(now);
        sent = held_ == 0 ? 0 : port_.send(frames_.data(), held_);
        std::copy(&frames_[sent], &frames_[taken_], frames_.data());
        held_ -= sent;
        taken_ -= sent;
        counts.acks_sent += sent;
        any = any || sent != 0;
    } while (sent == ack_burst);  // a poll may have made more
    if (owes_ && count_ < line_.size()) [[unlikely]] {
        tell_owed(now, window_of);
    }
    counts.acks_dropped += std::exchange(dropped_, 0);
    return any;
}

/// The line had no room for these.
template <TxPort P>
template <class WindowOf>
[[gnu::noinline]] void Acker<P>::tell_owed(std::uint64_t now, WindowOf window_of) {
    owes_ = false;
    for (std::uint32_t i = 0; i < flows_.size() && !owes_; ++i) {
        if (flows_[i].is_owed) {
            tell(i, window_of(i), 0, now);
        }
    }
}

}  // namespace gensink::engine
