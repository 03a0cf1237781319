// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/published.hpp"
#include "engine/concepts.hpp"
#include "engine/control.hpp"
#include "wire/control.hpp"
#include "wire/size.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace gensink::engine {

/// One receive queue, and the transmit queue of the same port that its frames leave by.
template <class Rx, class Tx>
struct ReflectQueue {
    Rx rx;
    Tx tx;
    std::array<typename Rx::Frame*, counters::max_burst> frames{};
    std::uint32_t held = 0;  ///< turned round, not yet accepted
};

struct ReflectSpec {
    std::array<std::uint8_t, 6> mac{};  ///< of the port
    std::uint32_t burst = 32;
};

/// Makes an IPv4 frame one to whoever sent it, from `mac`: MAC and IP addresses change places,
/// which leaves all checksums right; UDP ports stay, so that a sink knows its own frames. False:
/// the frame is of another kind, and untouched.
[[nodiscard]] inline bool
turn_round(std::byte* frame, std::uint32_t bytes, const std::array<std::uint8_t, 6>& mac) {
    constexpr std::size_t addresses = wire::ethernet_bytes + 12;
    if (bytes < wire::headers_bytes || wire::ethertype(frame) != wire::ipv4_ethertype) {
        return false;
    }
    std::memcpy(frame, frame + 6, 6);
    std::memcpy(frame + 6, mac.data(), mac.size());
    std::uint32_t source = 0;
    std::memcpy(&source, frame + addresses, sizeof source);
    std::memcpy(frame + addresses, frame + addresses + 4, sizeof source);
    std::memcpy(frame + addresses + 4, &source, sizeof source);
    return true;
}

/// Sends back what arrives. Counts it as a sink does; acks_sent: frames that left again.
template <RxPort Rx, class Tx, Clock C>
class ReflectLoop {
  public:
    using Queue = ReflectQueue<Rx, Tx>;

    ReflectLoop(C clock, LoopSpec loop, const ReflectSpec& spec, std::vector<Queue> queues)
        : clock_(clock), loop_(loop), spec_(spec), queues_(std::move(queues)) {}

    void run(const Control& control);

    /// Safe while the loop runs.
    [[nodiscard]] counters::SinkCounts total() const { return published_.read(); }

    /// Once run() has returned.
    [[nodiscard]] const LoopReport<counters::SinkCounts>& report() const { return report_; }

  private:
    bool turn(Queue& queue);
    void look(const Control& control, std::uint64_t now);

    C clock_;
    LoopSpec loop_;
    ReflectSpec spec_;
    std::vector<Queue> queues_;
    counters::SinkCounts counts_{};
    bool done_ = false;
    std::uint64_t next_publish_ = 0;
    LoopReport<counters::SinkCounts> report_;
    counters::Published<counters::SinkCounts> published_;
};

/// Fills the burst up, behind frames that were refused, and sends it. True: something moved.
template <RxPort Rx, class Tx, Clock C>
inline bool ReflectLoop<Rx, Tx, C>::turn(Queue& queue) {
    auto** const fresh = queue.frames.data() + queue.held;
    const std::uint32_t room = spec_.burst - queue.held;
    const std::uint32_t n = room == 0 ? 0 : queue.rx.receive(fresh, room);
    counts_.receive_calls += room == 0 ? 0 : 1;
    counts_.burst_received[n] += room == 0 ? 0 : 1;
    for (std::uint32_t i = 0; i < n; ++i) {
        auto* const frame = fresh[i];
        const std::uint32_t bytes = Rx::length(frame);
        ++counts_.frames;
        counts_.frame_bytes += bytes + wire::fcs_bytes;
        if (turn_round(Rx::mutable_bytes(frame), bytes, spec_.mac)) {
            queue.frames[queue.held++] = frame;
        } else {
            ++counts_.background;
            queue.rx.release(&fresh[i], 1);
        }
    }
    if (queue.held == 0) {
        return n != 0;
    }
    const std::uint32_t sent = queue.tx.send(queue.frames.data(), queue.held);
    counts_.acks_sent += sent;
    queue.held -= sent;
    std::memmove(
        queue.frames.data(), queue.frames.data() + sent, queue.held * sizeof queue.frames[0]
    );
    return n + sent != 0;
}

template <RxPort Rx, class Tx, Clock C>
[[gnu::noinline]] void ReflectLoop<Rx, Tx, C>::run(const Control& control) {
    std::uint64_t now = clock_.now();
    std::uint32_t turns = 0;
    look(control, now);
    while (!done_) {
        bool moved = false;
        for (Queue& queue : queues_) {
            moved |= turn(queue);
        }
        if (!moved) {
            Rx::relax();
        }
        const std::uint64_t after = clock_.now();
        const auto cause = moved ? counters::SinkCause::receiving : counters::SinkCause::polling;
        charge(counts_, cause, after - now, loop_);
        now = after;
        if (++turns == turns_between_looks) [[unlikely]] {
            turns = 0;
            look(control, now);
        }
    }
    for (Queue& queue : queues_) {
        queue.rx.release(queue.frames.data(), queue.held);
        queue.held = 0;
    }
    report_.total = counts_;
    published_.publish(counts_);
}

template <RxPort Rx, class Tx, Clock C>
[[gnu::noinline]] void ReflectLoop<Rx, Tx, C>::look(const Control& control, std::uint64_t now) {
    done_ = control.stop.load(std::memory_order_relaxed);
    if (now >= next_publish_) {
        next_publish_ = now + loop_.publish_ticks;
        published_.publish(counts_);
    }
}

}  // namespace gensink::engine
