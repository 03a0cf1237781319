// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "flow/load.hpp"

#include <algorithm>
#include <cstdint>

/// When the next frame may leave.
namespace gensink::flow {

/// A span of time in whole ticks plus a 32-bit fraction. Whole ticks alone would send 64-byte
/// frames of 10 Gbit/s 0.085 % too fast at 2.1 GHz; one 64-bit Q32 word would wrap after 2 s.
struct FineTicks {
    std::uint64_t ticks = 0;
    std::uint32_t fraction = 0;

    constexpr void operator+=(FineTicks other) {
        const std::uint64_t sum = std::uint64_t{fraction} + other.fraction;
        ticks += other.ticks + (sum >> 32);
        fraction = static_cast<std::uint32_t>(sum);
    }
};

/// `numerator / fps` ticks, rounded to the nearest 2^-32. Needs fps > 0.
[[nodiscard]] FineTicks fine_ticks(double numerator_ticks, double fps);

struct PacerSpec {
    FineTicks interval;  ///< between two frames of this queue
    FineTicks offset;    ///< of this queue's first frame after the start
    std::uint32_t burst = 1;
    Fill fill = Fill::full;
    std::uint64_t flush_after_ticks = 0;  ///< 0: never
    Behind behind = Behind::catch_up;
};

/// Departures of queue `index` of `queues`, that share `fps` in turn: every queue has the same
/// interval, and the offsets interleave them, so the shares sum to fps exactly.
[[nodiscard]] PacerSpec share(double tsc_hz, double fps, unsigned queues, unsigned index);

/// No pacing: a full burst is always due.
class MaxPacer {
  public:
    static constexpr bool paced = false;

    explicit MaxPacer(const PacerSpec& spec) : burst_(spec.burst) {}

    void start(std::uint64_t, std::uint32_t) {}

    [[nodiscard]] std::uint32_t due(std::uint64_t) { return burst_; }

    void commit(std::uint32_t) {}

    [[nodiscard]] std::uint64_t next(std::uint64_t now) const { return now; }

    [[nodiscard]] std::uint64_t skipped() const { return 0; }

    /// Without a schedule a frame should leave when it can.
    [[nodiscard]] static std::uint64_t intended(std::uint32_t) { return 0; }

  private:
    std::uint32_t burst_;
};

/// Evenly spaced departures. Each is counted as owed once its time has come; a commit pays.
class RatePacer {
  public:
    static constexpr bool paced = true;

    explicit RatePacer(const PacerSpec& spec) : spec_(spec) {}

    /// The first departure is at `now` plus the offset; `held` frames are owed already, and
    /// whatever else was owed is forgotten.
    void start(std::uint64_t now, std::uint32_t held) {
        next_ = FineTicks{now, 0};
        next_ += spec_.offset;
        owed_ = held;
        oldest_ = now;
    }

    /// Frames to send now: 0, or 1..burst.
    [[nodiscard]] std::uint32_t due(std::uint64_t now) {
        while (owed_ < spec_.burst && next_.ticks <= now) {
            if (owed_ == 0) {
                oldest_ = next_.ticks;
            }
            next_ += spec_.interval;
            ++owed_;
        }
        if (spec_.behind == Behind::skip && owed_ == spec_.burst && next_.ticks <= now) {
            skip(now);
        }
        const bool flush =
            spec_.flush_after_ticks != 0 && owed_ != 0 && now - oldest_ >= spec_.flush_after_ticks;
        if (owed_ == spec_.burst || spec_.fill == Fill::due || flush) {
            return owed_;
        }
        return 0;
    }

    void commit(std::uint32_t frames) { owed_ -= frames; }

    /// Tick of the next departure, or of the flush, that could make a send due.
    [[nodiscard]] std::uint64_t next(std::uint64_t) const {
        const bool flushes = spec_.flush_after_ticks != 0 && owed_ != 0;
        return flushes ? std::min(next_.ticks, oldest_ + spec_.flush_after_ticks) : next_.ticks;
    }

    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

    /// When the i-th of the owed frames should have left, i < due(), to the tick's whole part of
    /// an interval.
    [[nodiscard]] std::uint64_t intended(std::uint32_t i) const {
        return next_.ticks - (owed_ - i) * spec_.interval.ticks;
    }

  private:
    void skip(std::uint64_t now) {
        while (next_.ticks <= now) {
            next_ += spec_.interval;
            ++skipped_;
        }
    }

    PacerSpec spec_;
    FineTicks next_;
    std::uint64_t oldest_ = 0;
    std::uint64_t skipped_ = 0;
    std::uint32_t owed_ = 0;
};

}  // namespace gensink::flow
