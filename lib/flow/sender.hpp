// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/histogram.hpp"
#include "flow/transport.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

/// One flow's sender: what may leave, what is outstanding, what must be sent again. Time is a
/// number of ticks that the caller passes in.
namespace gensink::flow {

inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// Which of a block's frames one is; the frames of a part look alike but for their stamps.
enum class Part : std::uint8_t { full, before_last, last, connect };
inline constexpr std::size_t parts = 4;

/// A frame that was admitted.
struct Segment {
    std::uint64_t number = 0;      ///< of its flow, from 0
    std::uint64_t begins = never;  ///< the block that it is the first frame of
    std::uint32_t flow = 0;
    Part part = Part::full;
    bool again = false;  ///< a retransmission
};

/// What an ACK says of a flow.
struct Ack {
    std::uint32_t flow = 0;
    std::uint64_t next = 0;     ///< all frames below it have come
    std::uint64_t highest = 0;  ///< one above the highest that came
    std::uint64_t frames = 0;   ///< that have come, each counted once
    std::uint64_t payload = 0;  ///< bytes of the application in them
    std::uint64_t held = 0;     ///< ticks for which the sink's timer kept it back
};

/// SenderSpec in ticks and whole numbers; all flows of a core share it.
struct SenderRules {
    SenderRules(const SenderSpec& spec, double ticks_per_second);

    BlockCut block;
    std::uint32_t frames_per_block;  ///< with the connection frame
    std::uint64_t blocks;            ///< never: endless
    bool sequential;
    bool connect;
    std::uint64_t limit;  ///< never: unlimited
    std::uint64_t wake_free;
    bool while_below;
    std::array<std::uint32_t, parts> charges{};
    std::array<std::uint16_t, parts> bytes{};  ///< of the application
    std::uint32_t cap;                         ///< frames outstanding at most
    bool plain;  ///< every block is one frame, and only a window limits it: bursts are admitted
                 ///< whole
    bool congestion;
    double initial;
    double growth;
    double ssthresh;
    bool give_up;
    std::uint64_t timeout;
};

/// Times of blocks that are sent one by one, the first so many.
class BlockTimes {
  public:
    explicit BlockTimes(std::size_t most = 0) : ticks_(most) {}

    void add(std::uint64_t ticks) {
        if (size_ < ticks_.size()) {
            ticks_[size_++] = ticks;
        }
    }

    void clear() { size_ = 0; }

    /// Takes over another's times; both must hold as many.
    void take(const BlockTimes& from) {
        std::copy_n(from.ticks_.begin(), from.size_, ticks_.begin());
        size_ = from.size_;
    }

    [[nodiscard]] std::span<const std::uint64_t> ticks() const { return {ticks_.data(), size_}; }

  private:
    std::vector<std::uint64_t> ticks_;
    std::size_t size_ = 0;
};

/// Where a core's senders count.
struct Tally {
    counters::TransportCounts& counts;
    counters::Latencies& latencies;
    BlockTimes& block_times;
    bool paced = false;
};

class Sender {
  public:
    explicit Sender(const SenderRules& rules);

    /// A frame may leave now.
    [[nodiscard]] bool admits(const SenderRules& rules) const {
        if (resend_ != never) {
            return true;
        }
        if (done_blocks_ >= rules.blocks || next_ - una_ >= room_frames(rules)) {
            return false;
        }
        if (rules.sequential && una_ != next_ && (pos_ == 0 || (rules.connect && pos_ == 1))) {
            return false;
        }
        const std::uint64_t more = rules.charges[static_cast<std::size_t>(part(rules, pos_))];
        if (waking_ && rules.limit - std::min(outstanding_, rules.limit) < rules.wake_free) {
            return false;
        }
        return rules.while_below ? outstanding_ < rules.limit
                                 : outstanding_ + more <= rules.limit || more == 0;
    }

    /// A frame waits to be sent again.
    [[nodiscard]] bool resends() const { return resend_ != never; }

    /// The last block was admitted wholly.
    [[nodiscard]] bool is_between_blocks() const { return pos_ == 0; }

    /// Everything was sent and acknowledged, or given up.
    [[nodiscard]] bool is_finished(const SenderRules& rules) const {
        return done_blocks_ >= rules.blocks && una_ == next_;
    }

    /// Takes the frame that admits() spoke of; `intended`: when it should have left.
    [[nodiscard]] Segment
    take(const SenderRules& rules, std::uint32_t flow, std::uint64_t intended, Tally& tally);

    /// As take(), up to `most` frames at once where rules.plain and nothing is to be sent again;
    /// 0 where none is admitted. `intended(i)`: of the i-th.
    template <class Intended>
    std::uint32_t take_plain(
        const SenderRules& rules,
        std::span<Segment> out,
        std::uint32_t flow,
        Intended intended,
        Tally& tally
    ) {
        if (!admits(rules)) {
            return 0;
        }
        const std::uint64_t n = std::min<std::uint64_t>(out.size(), room(rules));
        const std::uint64_t mask = intended_.size() - 1;
        for (std::uint32_t i = 0; i < n; ++i) {
            out[i] = {next_ + i, never, flow, Part::last, false};
            if (tally.paced) {
                intended_[(next_ + i) & mask] = intended(i);
            }
        }
        waking_ = false;
        next_ += n;
        done_blocks_ += n;
        outstanding_ += n * rules.charges[static_cast<std::size_t>(Part::last)];
        tally.counts.most_outstanding = std::max(tally.counts.most_outstanding, next_ - una_);
        return static_cast<std::uint32_t>(n);
    }

    /// The port has accepted frames of this flow, one at least, at `now`.
    void sent(const SenderRules& rules, std::span<const Segment> segments, std::uint64_t now) {
        const Segment& first = segments.front();
        const Segment& last = segments.back();
        std::uint64_t fresh = 0;
        if (rules.plain && !first.again && !last.again &&
            last.number - first.number + 1 == segments.size()) [[likely]] {
            fresh = segments.size();  // fresh numbers go up by one: there is no other between them
        } else {
            for (const Segment& segment : segments) {
                fresh += segment.again ? 0 : 1;
                if (segment.begins != never) {
                    blocks_[segment.begins & (blocks_.size() - 1)].sent = now;
                }
            }
        }
        if (fresh != 0) {
            accepted_ += fresh;
            calls_[last_call_++ & (calls_.size() - 1)] = {accepted_, now};
        }
        const bool again = fresh != segments.size();
        if (deadline_ == never || again) {
            deadline_ = now + rules.timeout;
        }
    }

    /// Returns true where the ACK told something new.
    bool acknowledge(const SenderRules& rules, const Ack& ack, std::uint64_t now, Tally& tally);

    /// When silence means loss; never: nothing is outstanding.
    [[nodiscard]] std::uint64_t deadline() const { return deadline_; }

    /// The deadline has passed.
    void expire(const SenderRules& rules, std::uint64_t now, Tally& tally);

    /// No frame was admitted for want of room: the wake ratio applies.
    void block() { waking_ = true; }

    [[nodiscard]] std::uint64_t outstanding_frames() const { return next_ - una_; }

    [[nodiscard]] std::uint64_t outstanding_bytes() const { return outstanding_; }

    [[nodiscard]] double congestion_window() const { return cwnd_; }

    std::uint64_t frames_acked = 0;
    std::uint64_t payload_acked = 0;
    std::uint64_t retransmitted = 0;
    std::uint64_t timeouts = 0;

  private:
    struct Times {
        std::uint64_t sent = 0;
        std::uint64_t intended = 0;
    };

    /// A send call accepted fresh frames: those below `end` that earlier calls had not.
    struct Call {
        std::uint64_t end = 0;
        std::uint64_t at = 0;
    };

    [[nodiscard]] static Part part(const SenderRules& rules, std::uint32_t pos) {
        if (rules.connect) {
            if (pos == 0) {
                return Part::connect;
            }
            --pos;
        }
        return pos + 2 < rules.block.frames   ? Part::full
               : pos + 1 < rules.block.frames ? Part::before_last
                                              : Part::last;
    }

    [[nodiscard]] std::uint64_t room_frames(const SenderRules& rules) const {
        return rules.congestion
                   ? std::min<std::uint64_t>(rules.cap, static_cast<std::uint64_t>(cwnd_))
                   : rules.cap;
    }

    /// Frames that plain rules have room for; at least one is admitted.
    [[nodiscard]] std::uint64_t room(const SenderRules& rules) const {
        const std::uint64_t frames =
            std::min(rules.cap - (next_ - una_), rules.blocks - done_blocks_);
        if (rules.limit == never) {
            return frames;
        }
        const std::uint64_t each = rules.charges[static_cast<std::size_t>(Part::last)];
        const std::uint64_t free = rules.limit - outstanding_;
        return std::min(frames, (rules.while_below ? free + each - 1 : free) / each);
    }

    void end_calls(std::uint64_t until, std::uint64_t now, bool acknowledged, Tally& tally);
    void release(
        const SenderRules& rules,
        std::uint64_t until,
        std::uint64_t now,
        bool acknowledged,
        Tally& tally
    );
    void count(std::uint64_t frames, std::uint64_t payload, Tally& tally);
    void end_block(const SenderRules& rules, std::uint64_t now, bool acknowledged, Tally& tally);
    void open_up(const SenderRules& rules);

    std::uint64_t next_ = 0;         ///< number of the next fresh frame
    std::uint64_t una_ = 0;          ///< the oldest outstanding
    std::uint64_t outstanding_ = 0;  ///< bytes as charged
    std::uint64_t resend_ = never;   ///< to be sent again, before anything fresh
    std::uint64_t recover_ = 0;      ///< recovery ends when all below it are acknowledged
    std::uint64_t deadline_ = never;
    std::uint64_t done_blocks_ = 0;  ///< wholly admitted
    std::uint64_t una_block_ = 0;
    std::uint32_t pos_ = 0;  ///< of next_ in its block
    std::uint32_t una_pos_ = 0;
    double cwnd_;
    double ssthresh_;
    bool waking_ = false;
    std::uint64_t frames_told_ = 0;  ///< by the sink, where lost frames are given up
    std::uint64_t payload_told_ = 0;
    std::uint64_t accepted_ = 0;  ///< number of the next fresh frame that the port has not accepted
    std::uint64_t first_call_ = 0;
    std::uint64_t last_call_ = 0;          ///< one past it
    std::vector<Call> calls_;              ///< a ring over the outstanding frames' send calls
    std::vector<std::uint64_t> intended_;  ///< a ring over the outstanding frames
    std::vector<Times> blocks_;            ///< a ring over the outstanding blocks' first frames
};

}  // namespace gensink::flow
