// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/pacer.hpp"
#include "model/frames.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

namespace gensink::model {

struct LinkSpec {
    std::optional<double> rate_bps;  ///< layer 1; absent: no serialisation, the ring is never full
    std::uint64_t forth_ticks = 0;   ///< propagation, generator to sink
    std::uint64_t back_ticks = 0;
    std::uint32_t descriptors = 1024;  ///< of the transmit ring, a frame each
    double loss_ratio = 0;
    double ack_loss_ratio = 0;
    std::optional<plan::RingLimit> sink_ring;
    bool has_sink = true;  ///< else frames end with the link
    std::uint64_t seed = 1;
    std::vector<std::uint64_t> lose_once;  ///< sequences of frames whose first copy is lost
};

/// Everything between the two ends: transmit ring, bottleneck, propagation, loss, the sink's
/// receive ring, and the way back. Callers pass the time in; each method's never runs backwards.
class Link {
  public:
    struct Counts {
        std::uint64_t sent = 0;      ///< frames that the transmit ring accepted
        std::uint64_t lost = 0;      ///< of them, on the path
        std::uint64_t received = 0;  ///< taken into the sink's ring
        std::uint64_t missed = 0;    ///< for which the sink's ring lacked room
        std::uint64_t acks_sent = 0;
        std::uint64_t acks_received = 0;
    };

    Link(const LinkSpec& spec, FrameStore& frames, FrameStore& acks);

    /// Free descriptors.
    [[nodiscard]] std::uint32_t room(std::uint64_t now);

    /// Frames enter the transmit ring, which must have room for them.
    void send(Frame** frames, std::uint32_t n, std::uint64_t now);

    /// When n descriptors will be free, n at most those there are; as of the last room().
    [[nodiscard]] std::uint64_t room_at(std::uint32_t n) const;

    /// Frames from the sink's ring, as far as they have arrived.
    [[nodiscard]] std::uint32_t receive(Frame** frames, std::uint32_t n, std::uint64_t now);

    /// When receive() has something to do; 0: at once.
    [[nodiscard]] std::uint64_t next_arrival() const;

    void send_acks(Frame** acks, std::uint32_t n, std::uint64_t now);
    [[nodiscard]] std::uint32_t receive_acks(Frame** acks, std::uint32_t n, std::uint64_t now);
    [[nodiscard]] std::uint64_t next_ack() const;

    [[nodiscard]] const Counts& counts() const { return counts_; }

  private:
    struct Flying {
        std::uint64_t due;
        Frame* frame;
    };

    /// Independent throws for each direction, the same on every machine.
    class Dice {
      public:
        explicit Dice(std::uint64_t seed) : engine_(seed) {}

        [[nodiscard]] bool falls(double ratio) {
            return ratio > 0 && static_cast<double>(engine_() >> 11U) * 0x1p-53 < ratio;
        }

      private:
        std::mt19937_64 engine_;
    };

    [[nodiscard]] std::uint64_t serialise(std::uint32_t length, std::uint64_t now);
    [[nodiscard]] bool loses(const Frame& frame);
    [[nodiscard]] bool fits(const Frame& frame) const;
    void arrive();
    std::uint32_t take_from_ring(Frame** frames, std::uint32_t n);

    LinkSpec spec_;
    FrameStore& frames_;
    FrameStore& acks_;
    Dice dice_;
    Dice ack_dice_;
    std::unordered_set<std::uint64_t> lose_once_;
    flow::FineTicks idle_from_;  ///< the bottleneck has sent all by then
    flow::FineTicks frame_time_;
    std::uint32_t frame_time_of_ = 0;    ///< length that frame_time_ is of
    std::deque<std::uint64_t> leaving_;  ///< when each used descriptor is free
    std::deque<Flying> forth_;
    std::deque<Flying> back_;
    std::deque<Frame*> ring_;
    std::uint64_t ring_bytes_ = 0;
    Counts counts_;
};

}  // namespace gensink::model
