// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#include "flow/sender.hpp"

#include <bit>
#include <cmath>

namespace gensink::flow {

namespace {

std::uint64_t in_ticks(Duration duration, double ticks_per_second) {
    return static_cast<std::uint64_t>(std::llround(seconds(duration) * ticks_per_second));
}

}  // namespace

SenderRules::SenderRules(const SenderSpec& spec, double ticks_per_second)
    : block(spec.block)
    , frames_per_block(spec.block.frames + (spec.connect ? 1U : 0U))
    , blocks(spec.blocks.value_or(never))
    , sequential(spec.sequential)
    , connect(spec.connect)
    , limit(
          spec.window.limit_bytes
              ? *spec.window.limit_bytes -
                    std::min(*spec.window.limit_bytes, spec.window.reserve_bytes)
              : never
      )
    , wake_free(
          spec.window.limit_bytes
              ? static_cast<std::uint64_t>(spec.window.wake_ratio * static_cast<double>(limit))
              : 0
      )
    , while_below(spec.window.admit == Admit::while_below)
    , cap(spec.max_outstanding)
    , plain(spec.block.frames == 1 && !spec.connect && !spec.sequential && !spec.congestion.on)
    , congestion(spec.congestion.on)
    , initial(spec.congestion.initial_frames)
    , growth(spec.congestion.growth)
    , ssthresh(spec.congestion.ssthresh_frames.value_or(std::numeric_limits<std::uint32_t>::max()))
    , give_up(spec.recovery.policy == Recovery::give_up)
    , timeout(in_ticks(spec.recovery.timeout, ticks_per_second)) {
    bytes = {block.full, block.before_last, block.last, 0};
    for (std::size_t i = 0; i < parts; ++i) {
        charges[i] = static_cast<std::uint32_t>(charge(spec.window, bytes[i], spec.header_bytes));
    }
    charges[static_cast<std::size_t>(Part::connect)] = 0;  // a connection opens whatever the window
}

Sender::Sender(const SenderRules& rules)
    : cwnd_(rules.initial)
    , ssthresh_(rules.ssthresh)
    , calls_(std::bit_ceil(std::uint64_t{rules.cap} + 1))
    , intended_(calls_.size())
    , blocks_(std::bit_ceil(std::uint64_t{rules.cap} / rules.frames_per_block + 2)) {}

Segment
Sender::take(const SenderRules& rules, std::uint32_t flow, std::uint64_t intended, Tally& tally) {
    if (resend_ != never) {
        const std::uint64_t number = resend_;
        resend_ = never;
        ++retransmitted;
        ++tally.counts.retransmitted;
        const auto pos =
            static_cast<std::uint32_t>((una_pos_ + (number - una_)) % rules.frames_per_block);
        return {number, never, flow, part(rules, pos), true};
    }
    const bool begins = pos_ == 0 && !rules.plain;
    const Segment segment{next_, begins ? done_blocks_ : never, flow, part(rules, pos_), false};
    if (tally.paced) {
        intended_[next_ & (intended_.size() - 1)] = intended;
    }
    if (begins) {
        blocks_[done_blocks_ & (blocks_.size() - 1)] = {0, intended};
        if (rules.connect) {
            cwnd_ = rules.initial;
            ssthresh_ = rules.ssthresh;
        }
    }
    outstanding_ += rules.charges[static_cast<std::size_t>(segment.part)];
    waking_ = false;
    ++next_;
    if (++pos_ == rules.frames_per_block) {
        pos_ = 0;
        ++done_blocks_;
    }
    tally.counts.most_outstanding = std::max(tally.counts.most_outstanding, next_ - una_);
    return segment;
}

/// Forgets the calls that sent the frames from una_ to `until`, and takes the latencies of those
/// that were acknowledged. Frames of one call are mostly acknowledged together.
void Sender::end_calls(std::uint64_t until, std::uint64_t now, bool acknowledged, Tally& tally) {
    for (std::uint64_t n = una_; n != until;) {
        const Call& call = calls_[first_call_ & (calls_.size() - 1)];
        const std::uint64_t end = std::min(until, call.end);
        if (acknowledged) {
            tally.latencies.frame.add(now - call.at, end - n);
        }
        first_call_ += end == call.end ? 1 : 0;
        n = end;
    }
    if (acknowledged && tally.paced) {
        const std::uint64_t mask = intended_.size() - 1;
        for (std::uint64_t n = una_; n != until; ++n) {
            tally.latencies.frame_intended.add(now - std::min(intended_[n & mask], now));
        }
    }
}

/// Frames from una_ to `until` are outstanding no more.
void Sender::release(
    const SenderRules& rules,
    std::uint64_t until,
    std::uint64_t now,
    bool acknowledged,
    Tally& tally
) {
    const std::uint64_t first = una_;
    end_calls(until, now, acknowledged, tally);
    if (rules.plain) {
        constexpr auto only = static_cast<std::size_t>(Part::last);
        const std::uint64_t frames = until - first;
        outstanding_ -= frames * rules.charges[only];
        tally.counts.blocks_acked += acknowledged ? frames : 0;
        una_ = until;
        if (!rules.give_up) {
            count(frames, frames * rules.bytes[only], tally);
        }
        return;
    }
    std::uint64_t payload = 0;
    for (; una_ != until; ++una_) {
        const auto part_of = static_cast<std::size_t>(part(rules, una_pos_));
        outstanding_ -= rules.charges[part_of];
        payload += rules.bytes[part_of];
        if (++una_pos_ == rules.frames_per_block) {
            una_pos_ = 0;
            end_block(rules, now, acknowledged, tally);
        }
    }
    if (!rules.give_up) {
        count(una_ - first, payload, tally);
    }
}

void Sender::count(std::uint64_t frames, std::uint64_t payload, Tally& tally) {
    frames_acked += frames;
    payload_acked += payload;
    tally.counts.frames_acked += frames;
    tally.counts.payload_acked += payload;
}

void Sender::end_block(
    const SenderRules& rules, std::uint64_t now, bool acknowledged, Tally& tally
) {
    const Times& times = blocks_[una_block_++ & (blocks_.size() - 1)];
    if (!acknowledged) {
        return;
    }
    ++tally.counts.blocks_acked;
    tally.latencies.block.add(now - times.sent);
    if (tally.paced) {
        tally.latencies.block_intended.add(now - std::min(times.intended, now));
    }
    if (rules.sequential) {
        tally.block_times.add(now - times.sent);
    }
}

/// An ACK has come: slow start below ssthresh, above it one frame a round (RFC 5681 3.1).
void Sender::open_up(const SenderRules& rules) {
    if (rules.congestion) {
        cwnd_ += cwnd_ < ssthresh_ ? rules.growth : 1 / cwnd_;
    }
}

bool Sender::acknowledge(
    const SenderRules& rules, const Ack& ack, std::uint64_t now, Tally& tally
) {
    const std::uint64_t until = rules.give_up ? std::max(ack.next, ack.highest) : ack.next;
    if (until > accepted_) {
        return false;  // no one can have seen what was not sent
    }
    std::uint64_t came = 0;
    if (rules.give_up && ack.frames > frames_told_) {
        // Frames below the highest may be lost: only the sink knows how many came.
        came = ack.frames - frames_told_;
        count(came, ack.payload - payload_told_, tally);
        frames_told_ = ack.frames;
        payload_told_ = ack.payload;
    }
    const std::uint64_t released = until > una_ ? until - una_ : 0;
    // What was given up for its timeout may come after all.
    tally.counts.given_up -= std::min(came - std::min(came, released), tally.counts.given_up);
    if (released == 0) {
        return false;
    }
    const bool connected = rules.connect && una_pos_ == 0 && until == una_ + 1;
    if (rules.give_up && came < released) {
        tally.counts.given_up += released - came;
        release(rules, until - came, now, false, tally);  // which are lost is not known: the oldest
    }
    release(rules, until, now, true, tally);
    if (!connected) {
        open_up(rules);
    }
    deadline_ = una_ == accepted_ ? never : now + rules.timeout;
    if (resend_ < una_) {
        resend_ = never;
    }
    if (una_ < recover_ && !rules.give_up && una_ != next_) {
        resend_ = una_;  // the ACK left a hole: that frame was lost too
    }
    return true;
}

void Sender::expire(const SenderRules& rules, std::uint64_t now, Tally& tally) {
    ++timeouts;
    ++tally.counts.timeouts;
    ssthresh_ = std::max(static_cast<double>(next_ - una_) / 2, 2.0);
    cwnd_ = 1;
    deadline_ = now + rules.timeout;
    if (!rules.give_up) {
        resend_ = una_;
        recover_ = next_;
        return;
    }
    std::uint64_t until = una_;
    std::uint64_t call = first_call_;
    const std::uint64_t mask = calls_.size() - 1;
    while (call != last_call_ && calls_[call & mask].at + rules.timeout <= now) {
        until = calls_[call++ & mask].end;
    }
    tally.counts.given_up += until - una_;
    release(rules, until, now, false, tally);
    // What the port has not accepted yet cannot be late.
    deadline_ = call == last_call_ ? never : calls_[call & mask].at + rules.timeout;
}

}  // namespace gensink::flow
