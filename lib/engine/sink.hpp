// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/published.hpp"
#include "engine/acker.hpp"
#include "engine/classifier.hpp"
#include "engine/concepts.hpp"
#include "engine/control.hpp"
#include "wire/size.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace gensink::engine {

/// Frames between a prefetch and its use.
inline constexpr std::size_t prefetch_distance = 8;

/// A sink core: polls its receive queues in turn, and answers where `A` does.
template <RxPort P, Clock C, bool Full, class A = NoAcks>
class SinkLoop {
  public:
    /// `ackers`: one a queue, or none where A answers nothing.
    SinkLoop(
        C clock,
        LoopSpec loop,
        const SinkSpec& spec,
        std::vector<P> queues,
        std::vector<A> ackers = {}
    )
        : clock_(clock)
        , loop_(loop)
        , burst_(spec.burst)
        , slow_ticks_(spec.slow_ticks)
        , queues_(std::move(queues))
        , ackers_(std::move(ackers))
        , classifier_(spec)
        , published_streams_(spec.streams) {}

    SinkLoop(const SinkLoop&) = delete;  // the classifier points into itself
    SinkLoop& operator=(const SinkLoop&) = delete;
    SinkLoop(SinkLoop&&) = delete;
    SinkLoop& operator=(SinkLoop&&) = delete;
    ~SinkLoop() = default;

    /// Runs until stop.
    void run(const Control& control);

    /// One poll of the queue that is next; the caller charges it. run() is made of these, and a
    /// clock that jumps makes a run of its own.
    [[gnu::always_inline]] counters::SinkCause turn(std::uint64_t now) {
        const std::size_t at = at_;
        at_ = at_ + 1 == queues_.size() ? 0 : at_ + 1;
        const std::uint32_t n = poll(queues_[at], at, now);
        if constexpr (A::answers) {
            const bool told =
                ackers_[at].flush(counts_, now, [this](std::uint32_t index) -> SequenceWindow& {
                    return classifier_.window(index);
                });
            if (n == 0 && told) {
                return counters::SinkCause::acking;
            }
        }
        if (n == 0) {
            P::relax();
            return counters::SinkCause::polling;
        }
        return counters::SinkCause::receiving;
    }

    /// Charges a turn that began at `from` and ended at `to`.
    [[gnu::always_inline]] void
    charge_turn(counters::SinkCause cause, std::uint64_t from, std::uint64_t to) {
        charge(counts_, cause, to - from, loop_);
    }

    /// Follows the control: a change of phase cuts the counts at `now`.
    void look(const Control& control, std::uint64_t now);

    /// After the last look: tells the totals.
    void end();

    [[nodiscard]] bool done() const { return done_; }

    /// The earliest that an ACK is due.
    [[nodiscard]] std::uint64_t next_event() const {
        std::uint64_t earliest = flow::never;
        if constexpr (A::answers) {
            for (const A& acker : ackers_) {
                earliest = std::min(earliest, acker.next_event());
            }
        }
        return earliest;
    }

    /// Safe while the loop runs.
    [[nodiscard]] counters::SinkCounts total() const { return published_.read(); }

    [[nodiscard]] StreamSeen stream(std::size_t i) const { return published_streams_[i].read(); }

    /// The phase that the loop has taken note of, and cut its counts at. Safe while it runs.
    [[nodiscard]] counters::Phase phase() const { return cut_.seen(); }

    /// Once run() has returned.
    [[nodiscard]] const LoopReport<counters::SinkCounts>& report() const { return report_; }

  private:
    std::uint32_t poll(P& queue, std::size_t at, std::uint64_t& now);

    /// The frames that are two steps and one step ahead of frame i.
    [[gnu::always_inline]] void prefetch_after(std::uint32_t i) const {
        P::prefetch(frames_[i + prefetch_distance]);
        P::prefetch_record(frames_[i + 2 * prefetch_distance]);
    }

    [[gnu::always_inline]] A& acker([[maybe_unused]] std::size_t at) {
        if constexpr (A::answers) {
            return ackers_[at];
        } else {
            return no_acks_;
        }
    }

    void publish();

    [[no_unique_address]] C clock_;
    LoopSpec loop_;
    std::uint32_t burst_;
    std::uint32_t slow_ticks_;  ///< planted, of each frame
    std::vector<P> queues_;
    std::vector<A> ackers_;
    Classifier<Full> classifier_;
    [[no_unique_address]] NoAcks no_acks_;
    std::array<typename P::Frame*, counters::max_burst + 2 * prefetch_distance> frames_{};
    counters::SinkCounts counts_{};
    std::size_t at_ = 0;  ///< queue of the next turn
    PhaseCut<counters::SinkCounts> cut_;
    bool done_ = false;
    std::uint64_t next_publish_ = 0;
    LoopReport<counters::SinkCounts> report_;
    std::vector<counters::Published<StreamSeen>> published_streams_;
    counters::Published<counters::SinkCounts> published_;
};

/// One poll of one queue; the number of frames that came, and where it answers, the time.
template <RxPort P, Clock C, bool Full, class A>
inline std::uint32_t
SinkLoop<P, C, Full, A>::poll(P& queue, [[maybe_unused]] std::size_t at, std::uint64_t& now) {
    const std::uint32_t n = queue.receive(frames_.data(), burst_);
    ++counts_.receive_calls;
    ++counts_.burst_received[n];
    if (n == 0) {
        return 0;
    }
    if constexpr (A::answers) {
        now = clock_.now();  // the thread may have been off its core since: no ACK is due too early
    }
    for (std::uint32_t i = 0; i < std::min<std::size_t>(n, 2 * prefetch_distance); ++i) {
        P::prefetch_record(frames_[i]);
    }
    for (std::uint32_t i = 0; i < std::min<std::size_t>(n, prefetch_distance); ++i) {
        P::prefetch(frames_[i]);
    }
    // Prefetches reach past the end.
    std::fill_n(&frames_[n], 2 * prefetch_distance, frames_[n - 1]);
    A& acks = acker(at);
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < n;) {
        const std::uint32_t length = P::length(frames_[i]);
        prefetch_after(i);
        classifier_.classify(P::bytes(frames_[i]), length, counts_, acks, now);
        ++i;
        const std::uint32_t more = classifier_.follow(n - i, [this, i](std::uint32_t k) {
            prefetch_after(i + k);
            const typename P::Frame* const frame = frames_[i + k];
            return std::pair(P::bytes(frame), P::length(frame));
        });
        i += more;
        bytes += length * (std::uint64_t{1} + more);
    }
    classifier_.end_run(counts_, acks, now);
    counts_.frames += n;
    counts_.frame_bytes += bytes + std::uint64_t{n} * wire::fcs_bytes;
    queue.release(frames_.data(), n);
    if (slow_ticks_ != 0) [[unlikely]] {
        while (clock_.now() - now < std::uint64_t{slow_ticks_} * n) {
        }
    }
    return n;
}

template <RxPort P, Clock C, bool Full, class A>
[[gnu::noinline]] void SinkLoop<P, C, Full, A>::run(const Control& control) {
    std::uint64_t now = clock_.now();
    std::uint32_t turns = 0;
    look(control, now);
    while (!done_) {
        const counters::SinkCause cause = turn(now);
        const std::uint64_t after = clock_.now();
        charge_turn(cause, now, after);
        now = after;
        // A slow sink's turns are long: it must not miss a phase between two looks.
        if (++turns == turns_between_looks || now >= next_publish_) [[unlikely]] {
            turns = 0;
            look(control, now);
        }
    }
    end();
}

template <RxPort P, Clock C, bool Full, class A>
void SinkLoop<P, C, Full, A>::end() {
    if constexpr (A::answers) {
        for (A& acker : ackers_) {
            acker.give_back();
        }
    }
    report_.total = counts_;
    publish();
}

template <RxPort P, Clock C, bool Full, class A>
[[gnu::noinline]] void SinkLoop<P, C, Full, A>::look(const Control& control, std::uint64_t now) {
    const counters::Phase phase = control.phase.load(std::memory_order_relaxed);
    cut_.follow(phase, counts_, now, report_);
    done_ = control.stop.load(std::memory_order_relaxed);
    if constexpr (A::answers) {
        for (A& acker : ackers_) {
            acker.send_posted();
        }
    }
    if (now >= next_publish_) {
        next_publish_ = now + loop_.publish_ticks;
        publish();
    }
}

template <RxPort P, Clock C, bool Full, class A>
void SinkLoop<P, C, Full, A>::publish() {
    published_.publish(counts_);
    for (std::size_t i = 0; i < published_streams_.size(); ++i) {
        published_streams_[i].publish(classifier_.streams()[i]);
    }
}

}  // namespace gensink::engine
