// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "flow/sender.hpp"
#include "flow/transport.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// When the sink answers.
namespace gensink::flow {

/// AckSpec in ticks and whole numbers; all flows share it.
struct AckRules {
    AckRules(const AckSpec& spec, double ticks_per_second);

    std::uint64_t every;  ///< never: no such rule
    std::uint64_t above;  ///< never: no such rule
    bool delayed;
    std::uint64_t delay;
    std::uint64_t delay_max;
    bool adapts;  ///< the delay, between the two
    std::uint64_t path_delay;
};

inline constexpr std::uint64_t most_in_a_run = std::uint64_t{1} << 30;

/// What the sink knows of one flow and has not told yet.
struct Receiver {
    std::uint64_t frames = 0;   ///< that had come at the last ACK, each once
    std::uint64_t payload = 0;  ///< bytes of the application in them
    std::uint64_t untold = 0;   ///< frames since the last ACK, copies among them
    std::uint64_t untold_bytes = 0;
    std::uint64_t copies = 0;  ///< among the untold
    std::uint64_t copied_bytes = 0;
    std::uint64_t first_untold = 0;  ///< when the first of them came
    std::uint64_t last = 0;          ///< when the last frame came
    std::uint64_t adaptive = 0;      ///< the delay, where it adapts
    std::uint64_t deadline = never;  ///< of the ACK that is being delayed
    bool is_queued = false;          ///< in DelayedAcks
    bool is_owed = false;            ///< an ACK that could not be entered

    /// A frame has come at `now`. True: answer now.
    [[nodiscard, gnu::always_inline]] bool
    arrived(const AckRules& rules, std::uint32_t bytes, std::uint64_t now) {
        if (untold == 0) [[unlikely]] {
            first_untold = now;
            deadline = rules.delayed ? now + delay(rules, now) : never;
        }
        ++untold;
        untold_bytes += bytes;
        last = now;
        return untold >= rules.every || untold_bytes > rules.above;
    }

    /// Frames of so many bytes each that may come before the one that is to be answered; none where
    /// the next is the first since an ACK.
    [[nodiscard, gnu::always_inline]] std::uint32_t
    may_come(const AckRules& rules, std::uint32_t bytes) const {
        if (untold == 0 || untold_bytes > rules.above) {
            return 0;
        }
        std::uint64_t most = rules.every - 1 - untold;
        if (rules.above != never && bytes != 0) [[unlikely]] {
            most = std::min(most, (rules.above - untold_bytes) / bytes);
        }
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, most_in_a_run));
    }

    /// No more than may_come() said have come at `now`, each of so many bytes.
    [[gnu::always_inline]] void came(std::uint32_t more, std::uint32_t bytes, std::uint64_t now) {
        untold += more;
        untold_bytes += std::uint64_t{more} * bytes;
        last = now;
    }

    /// The frame had come before: it is a copy.
    void came_again(std::uint32_t bytes) {
        ++copies;
        copied_bytes += bytes;
    }

    /// An ACK tells all of it.
    void told() {
        frames += untold - copies;
        payload += untold_bytes - copied_bytes;
        untold = untold_bytes = copies = copied_bytes = 0;
        deadline = never;
    }

  private:
    /// Follows the gaps between frames, as TCP's delayed ACK does: half the old delay and the gap.
    [[nodiscard]] std::uint64_t delay(const AckRules& rules, std::uint64_t now) {
        if (!rules.adapts || last == 0) {
            adaptive = rules.delay;
        } else {
            adaptive = std::clamp(adaptive / 2 + (now - last), rules.delay, rules.delay_max);
        }
        return adaptive;
    }
};

/// Flows whose ACK waits for its deadline, the earliest first. Each is in it once; the time that
/// it was entered with may be outdated.
class DelayedAcks {
  public:
    explicit DelayedAcks(std::size_t flows) : heap_(flows) {}

    void enter(std::uint32_t flow, std::uint64_t deadline) {
        heap_[size_++] = {deadline, flow};
        std::push_heap(heap_.begin(), end(), later);
    }

    [[nodiscard]] std::uint64_t earliest() const {
        return size_ == 0 ? never : heap_.front().deadline;
    }

    [[nodiscard]] std::uint32_t pop() {
        std::pop_heap(heap_.begin(), end(), later);
        return heap_[--size_].flow;
    }

  private:
    struct Entry {
        std::uint64_t deadline = 0;
        std::uint32_t flow = 0;
    };

    static bool later(const Entry& a, const Entry& b) { return a.deadline > b.deadline; }

    std::vector<Entry>::iterator end() {
        return heap_.begin() + static_cast<std::ptrdiff_t>(size_);
    }

    std::vector<Entry> heap_;  ///< never more than the flows
    std::size_t size_ = 0;
};

}  // namespace gensink::flow
