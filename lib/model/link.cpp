// SPDX-License-Identifier: BSD-3-Clause
#include "model/link.hpp"

#include "flow/sender.hpp"
#include "wire/size.hpp"
#include "wire/stamp.hpp"

#include <algorithm>

namespace gensink::model {

namespace {

constexpr std::uint64_t ack_dice_salt = 0x9e3779b97f4a7c15;  // any other stream of numbers

std::uint64_t sequence_of(const Frame& frame) {
    const std::byte* const word = frame.data.data() + wire::stamp_offset + 4;
    return wire::swap64(wire::load<std::uint64_t>(word)) & wire::sequence_mask;
}

}  // namespace

Link::Link(const LinkSpec& spec, FrameStore& frames, FrameStore& acks)
    : spec_(spec)
    , frames_(frames)
    , acks_(acks)
    , dice_(spec.seed)
    , ack_dice_(spec.seed ^ ack_dice_salt)
    , lose_once_(spec.lose_once.begin(), spec.lose_once.end()) {}

std::uint32_t Link::room(std::uint64_t now) {
    while (!leaving_.empty() && leaving_.front() <= now) {
        leaving_.pop_front();
    }
    return spec_.descriptors - static_cast<std::uint32_t>(leaving_.size());
}

std::uint64_t Link::room_at(std::uint32_t n) const {
    const std::size_t too_many = leaving_.size() + n;
    return too_many <= spec_.descriptors ? 0 : leaving_[too_many - spec_.descriptors - 1];
}

/// The whole tick at which the bottleneck has sent a frame that was handed to it at `now`.
std::uint64_t Link::serialise(std::uint32_t length, std::uint64_t now) {
    if (!spec_.rate_bps) {
        return now;
    }
    if (length != frame_time_of_) {
        const double bits = 8.0 * wire::wire_bytes(length + wire::fcs_bytes);
        frame_time_ = flow::fine_ticks(bits * static_cast<double>(plan::model_hz), *spec_.rate_bps);
        frame_time_of_ = length;
    }
    if (idle_from_.ticks < now) {
        idle_from_ = {now, 0};
    }
    idle_from_ += frame_time_;
    const std::uint64_t end = idle_from_.ticks + (idle_from_.fraction == 0 ? 0U : 1U);
    leaving_.push_back(end);
    return end;
}

bool Link::loses(const Frame& frame) {
    if (dice_.falls(spec_.loss_ratio)) {
        return true;
    }
    return !lose_once_.empty() && lose_once_.erase(sequence_of(frame)) != 0;
}

void Link::send(Frame** frames, std::uint32_t n, std::uint64_t now) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t left = serialise(frames[i]->length, now);
        ++counts_.sent;
        const bool lost = loses(*frames[i]);
        counts_.lost += lost ? 1U : 0U;
        if (lost || !spec_.has_sink) {
            frames_.give_back(&frames[i], 1);
        } else {
            forth_.push_back({left + spec_.forth_ticks, frames[i]});
        }
    }
}

bool Link::fits(const Frame& frame) const {
    if (!spec_.sink_ring) {
        return true;
    }
    const plan::RingLimit& limit = *spec_.sink_ring;
    return limit.frames ? ring_.size() < limit.value
                        : ring_bytes_ + frame.length + wire::fcs_bytes <= limit.value;
}

/// The next frame enters the sink's ring, or finds it full.
void Link::arrive() {
    Frame* frame = forth_.front().frame;
    forth_.pop_front();
    if (fits(*frame)) {
        ++counts_.received;
        ring_bytes_ += frame->length + wire::fcs_bytes;
        ring_.push_back(frame);
    } else {
        ++counts_.missed;
        frames_.give_back(&frame, 1);
    }
}

std::uint32_t Link::take_from_ring(Frame** frames, std::uint32_t n) {
    std::uint32_t taken = 0;
    for (; taken < n && !ring_.empty(); ++taken) {
        frames[taken] = ring_.front();
        ring_.pop_front();
        ring_bytes_ -= frames[taken]->length + wire::fcs_bytes;
    }
    return taken;
}

std::uint32_t Link::receive(Frame** frames, std::uint32_t n, std::uint64_t now) {
    while (!forth_.empty() && forth_.front().due < now) {
        arrive();
    }
    std::uint32_t taken = take_from_ring(frames, n);
    while (taken < n && !forth_.empty() && forth_.front().due <= now) {
        arrive();  // what the sink takes now makes room for what comes now
        taken += take_from_ring(frames + taken, n - taken);
    }
    return taken;
}

std::uint64_t Link::next_arrival() const {
    if (!ring_.empty()) {
        return 0;
    }
    return forth_.empty() ? flow::never : forth_.front().due;
}

void Link::send_acks(Frame** acks, std::uint32_t n, std::uint64_t now) {
    counts_.acks_sent += n;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (ack_dice_.falls(spec_.ack_loss_ratio)) {
            acks_.give_back(&acks[i], 1);
        } else {
            back_.push_back({now + spec_.back_ticks, acks[i]});
        }
    }
}

std::uint32_t Link::receive_acks(Frame** acks, std::uint32_t n, std::uint64_t now) {
    std::uint32_t taken = 0;
    for (; taken < n && !back_.empty() && back_.front().due <= now; ++taken) {
        acks[taken] = back_.front().frame;
        back_.pop_front();
    }
    counts_.acks_received += taken;
    return taken;
}

std::uint64_t Link::next_ack() const {
    return back_.empty() ? flow::never : back_.front().due;
}

}  // namespace gensink::model
