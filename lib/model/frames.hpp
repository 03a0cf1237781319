// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace gensink::model {

/// All headers, gensink's, and a whole ACK: nobody reads a modelled frame any further.
inline constexpr std::size_t kept_bytes = 128;

/// A frame of any length of which the first bytes exist.
struct Frame {
    std::array<std::byte, kept_bytes> data{};
    std::uint32_t length = 0;  ///< without FCS
};

/// Frames that look like one template; grows until `most` exist.
class FrameStore {
  public:
    FrameStore(std::span<const std::byte> like, std::size_t most) : most_(most) {
        std::copy_n(like.begin(), std::min(like.size(), kept_bytes), template_.data.begin());
        template_.length = static_cast<std::uint32_t>(like.size());
    }

    /// All n frames or none.
    [[nodiscard]] bool take(Frame** frames, std::uint32_t n) {
        while (free_.size() < n) {
            if (all_.size() == most_) {
                return false;
            }
            free_.push_back(&all_.emplace_back(template_));
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            frames[i] = free_.back();
            free_.pop_back();
        }
        return true;
    }

    void give_back(Frame** frames, std::uint32_t n) {
        free_.insert(free_.end(), frames, frames + n);
    }

    /// Frames that could still be taken.
    [[nodiscard]] std::size_t left() const { return most_ - all_.size() + free_.size(); }

  private:
    Frame template_;
    std::size_t most_;
    std::deque<Frame> all_;  ///< keeps addresses
    std::vector<Frame*> free_;
};

}  // namespace gensink::model
