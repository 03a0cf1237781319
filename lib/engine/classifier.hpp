// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "engine/acker.hpp"
#include "engine/mailbox.hpp"
#include "engine/sequence.hpp"
#include "wire/control.hpp"
#include "wire/frame.hpp"
#include "wire/inspect.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace gensink::engine {

/// What a sink core listens for.
struct SinkSpec {
    std::uint32_t run_id = 0;
    std::uint16_t destination_port = 0;
    std::uint32_t streams = 1;
    std::uint32_t flows = 1;  ///< of each stream, a power of two
    std::uint32_t burst = 32;
    std::uint32_t slow_ticks = 0;     ///< planted: extra ticks a frame
    std::uint32_t window_frames = 0;  ///< a flow's frames that may be on their way; 0: not bounded
    Mailbox* mail = nullptr;          ///< of frames for the control thread; null: nobody reads them
};

/// One stream as one sink core saw it: frames with the measure mark, and all others.
struct StreamSeen {
    counters::StreamCounts measured{};
    counters::StreamCounts other{};
};

/// Sorts received frames by stream, flow and order.
template <bool Full>
class Classifier {
  public:
    explicit Classifier(const SinkSpec& spec)
        : spec_(spec)
        , flow_bits_(static_cast<unsigned>(std::countr_zero(spec.flows)))
        , streams_(spec.streams)
        , flows_(
              std::size_t{spec.streams} * spec.flows, Flow{SequenceWindow(window_words(spec)), {}}
          )
        , run_id_as_sent_(wire::swap32(spec.run_id)) {}

    /// `acks` hears of every frame of this run; time is passed on to it. Frames that follow() took
    /// are told of together, by the next call or by end_run().
    template <class A>
    [[gnu::always_inline]] void classify(
        const std::byte* frame,
        std::uint32_t bytes,
        counters::SinkCounts& counts,
        A& acks,
        std::uint64_t now
    ) {
        if (bytes >= wire::frame_bytes_without_fcs(wire::gensink_header_bytes) &&
            wire::load<std::uint32_t>(frame + wire::stamp_offset) == run_id_as_sent_) [[likely]] {
            const wire::Stamp stamp = wire::read_stamp(frame, spec_.run_id);
            end_run(counts, acks, now);
            if (stamp.sound && stamp.stream() < spec_.streams) [[likely]] {
                const std::uint32_t index = index_of(stamp);
                Flow& flow = flows_[index];
                if (flow.known.matches(frame, bytes)) [[likely]] {
                    const std::uint32_t payload = flow.known.payload_bytes();
                    const Order order = count(stamp, flow, true, bytes, payload, counts);
                    answer(acks, {index, order, asks(stamp), payload, frame}, now);
                    if (order == Order::in_order) [[likely]] {
                        start_run(stamp, flow, bytes, acks);
                    }
                    return;
                }
            }
        }
        end_run(counts, acks, now);
        classify_slowly(frame, bytes, counts, acks, now);
    }

    /// Takes frames for as long as each is the next of the same flow as the one before it, and its
    /// like; the number of them. `at(i)`: the i-th of `most` frames, as bytes and length without
    /// FCS.
    template <class At>
    [[gnu::always_inline]] std::uint32_t follow(std::uint32_t most, At at) {
        const std::uint32_t until = std::min(most, run_.left);
        std::uint32_t n = 0;
        if (until != 0) {
            const wire::KnownFrame known = run_.flow->known;  // a copy stays in registers
            std::uint64_t word = run_.next_word;
            for (; n != until; ++n) {
                const auto [frame, bytes] = at(n);
                if (!known.matches(frame, bytes) ||
                    wire::load<std::uint32_t>(frame + wire::stamp_offset) != run_id_as_sent_) {
                    break;
                }
                const wire::Stamp stamp = wire::read_stamp(frame, spec_.run_id);
                if (stamp.word != word || !stamp.sound) {
                    break;
                }
                word += spec_.flows;
            }
            run_.next_word = word;
            run_.left -= n;
        }
        return n;
    }

    /// Counts the frames that follow() took.
    template <class A>
    [[gnu::always_inline]] void end_run(counters::SinkCounts& counts, A& acks, std::uint64_t now) {
        const std::uint32_t frames = run_.most - run_.left;
        run_.left = 0;
        run_.most = 0;
        if (frames != 0) {
            count_run(frames, counts, acks, now);
        }
    }

    /// Of flow index % flows of stream index / flows.
    [[nodiscard]] SequenceWindow& window(std::uint32_t index) { return flows_[index].window; }

    [[nodiscard]] std::span<const StreamSeen> streams() const { return streams_; }

  private:
    /// 16384 numbers for a single flow, fewer for many: a core's windows stay in cache. More where
    /// more frames may be on their way.
    static constexpr std::size_t window_words(const SinkSpec& spec) {
        return std::max<std::size_t>(
            {16, 256 / spec.flows, std::bit_ceil(spec.window_frames / 64 + 2)}
        );
    }

    struct Flow {
        SequenceWindow window;
        wire::KnownFrame known;
    };

    /// Frames that may follow a frame in order as its own kind: each is the next of the same flow
    /// and differs from the last in nothing else than its time.
    struct Run {
        std::uint64_t next_word = 0;  ///< of the next frame's stamp
        std::uint32_t most = 0;       ///< frames that it may take
        std::uint32_t left = 0;       ///< of them, those that have not come
        std::uint32_t bytes = 0;      ///< of each frame, without FCS
        Flow* flow = nullptr;
    };

    template <class A>
    [[gnu::always_inline]] void
    start_run(const wire::Stamp& stamp, Flow& flow, std::uint32_t bytes, const A& acks) {
        run_.next_word = stamp.word + spec_.flows;
        run_.bytes = bytes;
        run_.flow = &flow;
        run_.most = ~std::uint32_t{0};
        if constexpr (A::answers) {
            const auto index = static_cast<std::uint32_t>(&flow - flows_.data());
            run_.most = asks(stamp) ? 0 : acks.may_come(index, flow.known.payload_bytes());
        }
        run_.left = run_.most;
    }

    /// All of them are in order, for the frame before them was.
    template <class A>
    [[gnu::always_inline]] void
    count_run(std::uint32_t frames, counters::SinkCounts& counts, A& acks, std::uint64_t now) {
        const std::uint64_t payload = std::uint64_t{frames} * run_.flow->known.payload_bytes();
        run_.flow->window.observe_next(frames);
        last_->in_order += frames;
        last_->frame_bytes += std::uint64_t{frames} * (run_.bytes + wire::fcs_bytes);
        last_->payload_bytes += payload;
        counts.payload_bytes += payload;
        if constexpr (A::answers) {
            const auto index = static_cast<std::uint32_t>(run_.flow - flows_.data());
            acks.came(index, frames, run_.flow->known.payload_bytes(), now);
        }
    }

    /// Tells `acks` of a sound frame; compiles to nothing where they answer nothing.
    template <class A>
    [[gnu::always_inline]] void answer(A& acks, const Arrival& frame, std::uint64_t now) {
        if constexpr (A::answers) {
            acks.arrived(frame, flows_[frame.index].window, now);
        }
    }

    [[nodiscard]] static bool asks(const wire::Stamp& stamp) {
        return stamp.has(wire::answer_at_once);
    }

    [[nodiscard]] std::uint32_t index_of(const wire::Stamp& stamp) const {
        const auto flow = static_cast<std::uint32_t>(stamp.sequence()) & (spec_.flows - 1);
        return (std::uint32_t{stamp.stream()} << flow_bits_) + flow;
    }

    /// Frames that are not like the one before them in their flow.
    template <class A>
    [[gnu::noinline]] void classify_slowly(
        const std::byte* frame,
        std::uint32_t bytes,
        counters::SinkCounts& counts,
        A& acks,
        std::uint64_t now
    ) {
        const wire::Inspected seen =
            wire::inspect(frame, bytes, spec_.run_id, spec_.destination_port, Full);
        switch (seen.kind) {
        case wire::FrameKind::ours:
        case wire::FrameKind::corrupt: {
            if (seen.stamp.stream() >= spec_.streams) {
                ++counts.foreign;
                counts.stray_bytes += bytes + wire::fcs_bytes;
                return;
            }
            const std::uint32_t index = index_of(seen.stamp);
            Flow& flow = flows_[index];
            const bool sound = seen.kind == wire::FrameKind::ours;
            if (sound) {
                flow.known.remember(frame, bytes, Full);
            }
            const Order order = count(seen.stamp, flow, sound, bytes, seen.payload_bytes, counts);
            if (sound) {
                const std::uint32_t payload = seen.payload_bytes;
                answer(acks, {index, order, asks(seen.stamp), payload, frame}, now);
            }
            break;
        }
        case wire::FrameKind::unreadable:
            // Whose it was cannot be read: charged to the stream and phase seen last.
            ++last_->corrupt;
            break;
        case wire::FrameKind::foreign:
            ++counts.foreign;
            counts.stray_bytes += bytes + wire::fcs_bytes;
            break;
        case wire::FrameKind::background:
            hand_over(frame, bytes, counts);
            break;
        }
    }

    /// A frame that is not data: perhaps somebody waits for an answer.
    [[gnu::noinline]] void
    hand_over(const std::byte* frame, std::uint32_t bytes, counters::SinkCounts& counts) {
        ++counts.background;
        counts.stray_bytes += bytes + wire::fcs_bytes;
        if (spec_.mail != nullptr &&
            (wire::is_control(frame, bytes) || wire::may_ask(frame, bytes))) {
            spec_.mail->put(frame, bytes);
        }
    }

    [[gnu::always_inline]] Order count(
        const wire::Stamp& stamp,
        Flow& flow,
        bool sound,
        std::uint32_t bytes,
        std::uint32_t payload_bytes,
        counters::SinkCounts& counts
    ) {
        const bool measured = stamp.phase() == static_cast<std::uint8_t>(counters::Phase::measure);
        StreamSeen& stream = streams_[stamp.stream()];
        counters::StreamCounts& to = measured ? stream.measured : stream.other;
        last_ = &to;
        if (!sound && spec_.window_frames != 0) {
            ++to.corrupt;  // not taken for come: its sender will send it again
            return Order::stale;
        }
        const Order order = flow.window.observe(stamp.sequence() >> flow_bits_);
        if (order == Order::duplicate) {
            ++to.duplicate;
        } else if (order == Order::stale) {
            ++to.stale;
        } else if (!sound) {
            ++to.corrupt;
        } else {
            ++(order == Order::in_order ? to.in_order : to.late);
            to.frame_bytes += bytes + wire::fcs_bytes;
            to.payload_bytes += payload_bytes;
            counts.payload_bytes += payload_bytes;
        }
        return order;
    }

    SinkSpec spec_;
    unsigned flow_bits_;
    std::vector<StreamSeen> streams_;
    std::vector<Flow> flows_;
    std::uint32_t run_id_as_sent_;
    counters::StreamCounts* last_ = &streams_.front().other;
    Run run_;
};

}  // namespace gensink::engine
