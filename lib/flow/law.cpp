// SPDX-License-Identifier: BSD-3-Clause
#include "flow/law.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace gensink::flow::law {

namespace {

constexpr double gap_bytes = 20;  // preamble, start delimiter, gap: IEEE 802.3 clause 4.4.2
constexpr std::uint32_t most_frames = 1U << 22U;
constexpr double never_s = std::numeric_limits<double>::infinity();

double wire_bytes(const SenderSpec& sender, std::uint32_t payload_bytes) {
    WindowSpec window;
    window.accounting = Accounting::frame;
    return gap_bytes + static_cast<double>(charge(window, payload_bytes, sender.header_bytes));
}

/// Frames of one flow that may be outstanding; absent: no window limits them.
std::optional<std::uint32_t> frames_in_window(const SenderSpec& sender) {
    if (!sender.window.limit_bytes) {
        return std::nullopt;
    }
    return frames_admitted(sender, sender.max_outstanding);
}

/// How long the sink holds an ACK back at most.
std::optional<double> held_seconds(const AckSpec& ack) {
    if (!ack.delay) {
        return std::nullopt;
    }
    return seconds(std::max(*ack.delay, ack.delay_max.value_or(*ack.delay)));
}

/// `bytes` in `frames` frames make the sink answer without a timer.
bool answers(const AckSpec& ack, std::uint32_t frames, double bytes) {
    return (ack.every_frames && frames >= *ack.every_frames) ||
           (ack.above_bytes && bytes > static_cast<double>(*ack.above_bytes));
}

/// One object on its way. Arrivals and ACKs each keep their order, so that the next event is the
/// earliest of three: a frame at the sink, an ACK at the sender, the sink's timer.
class Fetch {
  public:
    Fetch(const SenderSpec& sender, const AckSpec& ack, const Path& path)
        : sender_(sender)
        , ack_(ack)
        , line_bps_(path.line_bps)
        , window_(frames_in_window(sender).value_or(std::numeric_limits<std::uint32_t>::max()))
        , cwnd_(sender.congestion.initial_frames)
        , ssthresh_(sender.congestion.ssthresh_frames.value_or(most_frames)) {
        const double serial = serial_seconds(std::max(sender.block.bytes_of(0), sender.block.last));
        one_way_ = std::max(0.0, seconds(path.rtt) - serial) / 2;
        now_ = sender.connect ? 2 * one_way_ + serial_seconds(0) : 0;
        line_free_ = now_;
    }

    [[nodiscard]] std::optional<ObjectTime> time() && {
        send();
        while (acked_ < sender_.block.frames) {
            const double arrival = first_of(frames_);
            const double told = first_of(acks_);
            if (std::min({arrival, told, timer_}) == never_s) {
                return std::nullopt;
            }
            if (arrival <= std::min(told, timer_)) {
                arrive();
            } else if (told <= timer_) {
                acknowledge();
            } else {
                now_ = timer_;
                answer(generation_);
            }
        }
        return ObjectTime{now_, rounds_};
    }

  private:
    struct Event {
        double at = 0;
        std::uint32_t count = 0;       ///< frames that have come by then
        std::uint32_t generation = 0;  ///< of the frame, or of what the ACK sets free
    };

    [[nodiscard]] static double first_of(const std::deque<Event>& events) {
        if (events.empty()) {
            return never_s;
        }
        return events.front().at;
    }

    [[nodiscard]] double serial_seconds(std::uint32_t payload_bytes) const {
        return line_bps_ ? 8 * wire_bytes(sender_, payload_bytes) / *line_bps_ : 0;
    }

    [[nodiscard]] std::uint32_t room() const {
        return sender_.congestion.on
                   ? std::min(
                         window_, static_cast<std::uint32_t>(std::min<double>(cwnd_, most_frames))
                     )
                   : window_;
    }

    void send() {
        while (sent_ < sender_.block.frames && sent_ - acked_ < room()) {
            line_free_ = std::max(now_, line_free_) + serial_seconds(sender_.block.bytes_of(sent_));
            frames_.push_back({line_free_ + one_way_, ++sent_, rounds_now_});
            rounds_ = std::max(rounds_, rounds_now_);
        }
    }

    void arrive() {
        const Event frame = frames_.front();
        frames_.pop_front();
        now_ = frame.at;
        generation_ = frame.generation;
        come_ = frame.count;
        untold_bytes_ += sender_.block.bytes_of(come_ - 1);
        if (come_ - told_ == 1 && ack_.delay) {
            timer_ = now_ + delay();
        }
        last_ = now_;
        if (answers(ack_, come_ - told_, untold_bytes_)) {
            answer(generation_);
        }
    }

    /// Adapts to gaps as flow::Receiver does.
    [[nodiscard]] double delay() {
        const double least = seconds(*ack_.delay);
        const double most = std::max(least, held_seconds(ack_).value_or(least));
        adaptive_ = last_ ? std::clamp(adaptive_ / 2 + (now_ - *last_), least, most) : least;
        return adaptive_;
    }

    void answer(std::uint32_t generation) {
        acks_.push_back({now_ + one_way_, come_, generation + 1});
        told_ = come_;
        untold_bytes_ = 0;
        timer_ = never_s;
    }

    void acknowledge() {
        const Event ack = acks_.front();
        acks_.pop_front();
        now_ = ack.at;
        acked_ = ack.count;
        rounds_now_ = ack.generation;
        cwnd_ += cwnd_ < ssthresh_ ? sender_.congestion.growth : 1 / cwnd_;
        send();
    }

    const SenderSpec& sender_;
    const AckSpec& ack_;
    std::optional<double> line_bps_;
    std::uint32_t window_;
    double one_way_ = 0;
    double now_ = 0;
    double line_free_ = 0;
    double cwnd_;
    double ssthresh_;
    std::uint32_t sent_ = 0;
    std::uint32_t acked_ = 0;
    std::uint32_t come_ = 0;
    std::uint32_t told_ = 0;
    double untold_bytes_ = 0;
    double timer_ = never_s;
    double adaptive_ = 0;
    std::optional<double> last_;
    std::uint32_t generation_ = 0;
    std::uint32_t rounds_now_ = 1;
    std::uint32_t rounds_ = 0;
    std::deque<Event> frames_;
    std::deque<Event> acks_;
};

}  // namespace

double payload_per_frame(const SenderSpec& sender) {
    return static_cast<double>(sender.block.bytes()) / sender.block.frames;
}

double wire_bytes_per_frame(const SenderSpec& sender) {
    const BlockCut& block = sender.block;
    double sum = wire_bytes(sender, block.last);
    if (block.frames > 1) {
        sum += wire_bytes(sender, block.before_last) +
               (block.frames - 2.0) * wire_bytes(sender, block.full);
    }
    return sum / block.frames;
}

double frames_bps(const SenderSpec& sender, double frames_per_second) {
    return 8 * payload_per_frame(sender) * frames_per_second;
}

double link_bps(const SenderSpec& sender, double line_bps) {
    return line_bps * payload_per_frame(sender) / wire_bytes_per_frame(sender);
}

std::optional<double> window_bps(const SenderSpec& sender, Duration rtt) {
    const auto frames = frames_in_window(sender);
    if (!frames || rtt.count() <= 0) {
        return std::nullopt;
    }
    return frames_bps(sender, *frames / seconds(rtt));
}

std::optional<double> ack_timer_bps(const SenderSpec& sender, const AckSpec& ack, Duration rtt) {
    const auto frames = frames_in_window(sender);
    const auto held = held_seconds(ack);
    if (!frames || !held || answers(ack, *frames, *frames * payload_per_frame(sender))) {
        return std::nullopt;
    }
    const double cycle = *held + seconds(rtt);
    return cycle > 0 ? std::optional(frames_bps(sender, *frames / cycle)) : std::nullopt;
}

double generator_fps(double frame_ticks, double call_ticks, double burst, double ticks_per_second) {
    return ticks_per_second / (frame_ticks + call_ticks / burst);
}

std::optional<ObjectTime>
object_time(const SenderSpec& sender, const AckSpec& ack, const Path& path) {
    if (sender.block.frames > most_frames ||
        (sender.congestion.on && sender.congestion.initial_frames == 0)) {
        return std::nullopt;
    }
    return Fetch(sender, ack, path).time();
}

}  // namespace gensink::flow::law
