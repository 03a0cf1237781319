// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/published.hpp"
#include "engine/concepts.hpp"
#include "engine/control.hpp"
#include "engine/sequence.hpp"
#include "wire/frame.hpp"
#include "wire/inspect.hpp"

#include <algorithm>
#include <array>
#include <atomic>
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
    std::uint32_t slow_ticks = 0;  ///< planted: extra ticks a frame
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
              std::size_t{spec.streams} * spec.flows,
              Flow{SequenceWindow(window_words(spec.flows)), {}}
          )
        , run_id_as_sent_(wire::swap32(spec.run_id)) {}

    void classify(const std::byte* frame, std::uint32_t bytes, counters::SinkCounts& counts) {
        if (bytes >= wire::frame_bytes_without_fcs(wire::gensink_header_bytes) &&
            wire::load<std::uint32_t>(frame + wire::stamp_offset) == run_id_as_sent_) [[likely]] {
            const wire::Stamp stamp = wire::read_stamp(frame, spec_.run_id);
            if (stamp.sound && stamp.stream() < streams_.size()) [[likely]] {
                Flow& flow = flow_of(stamp);
                if (flow.known.matches(frame, bytes)) [[likely]] {
                    count(stamp, flow, true, bytes, flow.known.payload_bytes(), counts);
                    return;
                }
            }
        }
        classify_slowly(frame, bytes, counts);
    }

    [[nodiscard]] std::span<const StreamSeen> streams() const { return streams_; }

  private:
    /// 16384 numbers for a single flow, fewer for many: a core's windows stay in cache.
    static constexpr std::size_t window_words(std::uint32_t flows) {
        return std::max<std::size_t>(16, 256 / flows);
    }

    struct Flow {
        SequenceWindow window;
        wire::KnownFrame known;
    };

    [[nodiscard]] Flow& flow_of(const wire::Stamp& stamp) {
        const std::uint64_t flow = stamp.sequence() & (spec_.flows - 1);
        return flows_[(std::uint64_t{stamp.stream()} << flow_bits_) + flow];
    }

    /// Frames that are not like the one before them in their flow.
    [[gnu::noinline]] void
    classify_slowly(const std::byte* frame, std::uint32_t bytes, counters::SinkCounts& counts) {
        const wire::Inspected seen =
            wire::inspect(frame, bytes, spec_.run_id, spec_.destination_port, Full);
        switch (seen.kind) {
        case wire::FrameKind::ours:
        case wire::FrameKind::corrupt: {
            if (seen.stamp.stream() >= streams_.size()) {
                ++counts.foreign;
                return;
            }
            Flow& flow = flow_of(seen.stamp);
            const bool sound = seen.kind == wire::FrameKind::ours;
            if (sound) {
                flow.known.remember(frame, bytes, Full);
            }
            count(seen.stamp, flow, sound, bytes, seen.payload_bytes, counts);
            return;
        }
        case wire::FrameKind::unreadable:
            // Whose it was cannot be read: charged to the stream and phase seen last.
            ++last_->corrupt;
            return;
        case wire::FrameKind::foreign:
            ++counts.foreign;
            return;
        case wire::FrameKind::background:
            ++counts.background;
            return;
        }
    }

    void count(
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
    }

    SinkSpec spec_;
    unsigned flow_bits_;
    std::vector<StreamSeen> streams_;
    std::vector<Flow> flows_;
    std::uint32_t run_id_as_sent_;
    counters::StreamCounts* last_ = &streams_.front().other;
};

/// Frames between a prefetch and its use.
inline constexpr std::uint32_t prefetch_distance = 8;

/// A sink core: polls its receive queues in turn.
template <RxPort P, Clock C, bool Full>
class SinkLoop {
  public:
    SinkLoop(C clock, LoopSpec loop, const SinkSpec& spec, std::vector<P> queues)
        : clock_(clock)
        , loop_(loop)
        , spec_(spec)
        , queues_(std::move(queues))
        , classifier_(spec)
        , published_streams_(spec.streams) {}

    SinkLoop(const SinkLoop&) = delete;  // the classifier points into itself
    SinkLoop& operator=(const SinkLoop&) = delete;
    ~SinkLoop() = default;

    /// Runs until stop.
    void run(const Control& control);

    /// Safe while the loop runs.
    [[nodiscard]] counters::SinkCounts total() const { return published_.read(); }

    [[nodiscard]] StreamSeen stream(std::size_t i) const { return published_streams_[i].read(); }

    /// The phase that the loop has taken note of, and cut its counts at. Safe while it runs.
    [[nodiscard]] counters::Phase phase() const {
        return phase_seen_.load(std::memory_order_relaxed);
    }

    /// Once run() has returned.
    [[nodiscard]] const LoopReport<counters::SinkCounts>& report() const { return report_; }

  private:
    counters::SinkCause turn(P& queue, std::uint64_t now);
    void look(const Control& control, std::uint64_t now);
    void publish();

    C clock_;
    LoopSpec loop_;
    SinkSpec spec_;
    std::vector<P> queues_;
    Classifier<Full> classifier_;
    std::array<typename P::Frame*, counters::max_burst> frames_{};
    counters::SinkCounts counts_{};
    counters::SinkCounts at_measure_{};
    counters::Phase phase_ = counters::Phase::settle;
    /// Writer: the loop. Reader: control thread.
    std::atomic<counters::Phase> phase_seen_{counters::Phase::settle};
    bool done_ = false;
    std::uint64_t next_publish_ = 0;
    LoopReport<counters::SinkCounts> report_;
    counters::Published<counters::SinkCounts> published_;
    std::vector<counters::Published<StreamSeen>> published_streams_;
};

/// One poll of one queue.
template <RxPort P, Clock C, bool Full>
inline counters::SinkCause SinkLoop<P, C, Full>::turn(P& queue, std::uint64_t now) {
    const std::uint32_t n = queue.receive(frames_.data(), spec_.burst);
    ++counts_.receive_calls;
    ++counts_.burst_received[n];
    if (n == 0) {
        return counters::SinkCause::polling;
    }
    for (std::uint32_t i = 0; i < std::min(n, prefetch_distance); ++i) {
        P::prefetch(frames_[i]);
    }
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (i + prefetch_distance < n) {
            P::prefetch(frames_[i + prefetch_distance]);
        }
        const std::uint32_t length = P::length(frames_[i]);
        bytes += length;
        classifier_.classify(P::bytes(frames_[i]), length, counts_);
    }
    counts_.frames += n;
    counts_.frame_bytes += bytes + std::uint64_t{n} * wire::fcs_bytes;
    queue.release(frames_.data(), n);
    if (spec_.slow_ticks != 0) [[unlikely]] {
        while (clock_.now() - now < std::uint64_t{spec_.slow_ticks} * n) {
        }
    }
    return counters::SinkCause::receiving;
}

template <RxPort P, Clock C, bool Full>
[[gnu::noinline]] void SinkLoop<P, C, Full>::run(const Control& control) {
    std::uint64_t now = clock_.now();
    std::uint32_t turns = 0;
    std::size_t at = 0;
    look(control, now);
    while (!done_) {
        const counters::SinkCause cause = turn(queues_[at], now);
        at = at + 1 == queues_.size() ? 0 : at + 1;
        const std::uint64_t after = clock_.now();
        charge(counts_, cause, after - now, loop_);
        now = after;
        if (++turns == turns_between_looks) [[unlikely]] {
            turns = 0;
            look(control, now);
        }
    }
    report_.total = counts_;
    publish();
}

template <RxPort P, Clock C, bool Full>
[[gnu::noinline]] void SinkLoop<P, C, Full>::look(const Control& control, std::uint64_t now) {
    const counters::Phase phase = control.phase.load(std::memory_order_relaxed);
    if (phase != phase_) {
        if (phase == counters::Phase::measure) {
            counts_.longest_turn_ticks = 0;
            at_measure_ = counts_;
            report_.measure_start_ticks = now;
        } else if (phase_ == counters::Phase::measure) {
            report_.measured = counters::difference(counts_, at_measure_);
            report_.measure_end_ticks = now;
        }
        phase_ = phase;
        phase_seen_.store(phase, std::memory_order_relaxed);
    }
    done_ = control.stop.load(std::memory_order_relaxed);
    if (now >= next_publish_) {
        next_publish_ = now + loop_.publish_ticks;
        publish();
    }
}

template <RxPort P, Clock C, bool Full>
void SinkLoop<P, C, Full>::publish() {
    published_.publish(counts_);
    for (std::size_t i = 0; i < published_streams_.size(); ++i) {
        published_streams_[i].publish(classifier_.streams()[i]);
    }
}

}  // namespace gensink::engine
