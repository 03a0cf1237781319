// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace gensink::dpdk {

/// Frames that a device missed since start(), from its driver's sum of what it read. A driver may
/// take the device's register for cleared by each read when it is not (em_ethdev.c of DPDK 22.11,
/// eth_em_stats_get, on QEMU's 82540): its sum then grows by the whole register each time. A second
/// read right after the first tells: what was missed in between is less than what was missed since
/// the read before, unless the register told all of it again.
class MissCount {
  public:
    /// `sum` reads the driver's sum, as in since_start().
    template <class Sum>
    void start(Sum sum) {
        const std::uint64_t first = sum();
        last_ = sum();
        base_ = last_;
        shown_ = last_ - first;
    }

    template <class Sum>
    [[nodiscard]] std::uint64_t since_start(Sum sum) {
        const std::uint64_t first = sum();
        const std::uint64_t grown = first - last_;
        last_ = first;
        if (grown == 0) {
            return first - base_;
        }
        last_ = sum();
        const std::uint64_t again = last_ - first;
        return again >= grown ? again - std::min(again, shown_) : last_ - base_;
    }

  private:
    std::uint64_t last_ = 0;
    std::uint64_t base_ = 0;   ///< the sum at the start
    std::uint64_t shown_ = 0;  ///< by a register that is not cleared, at the start
};

}  // namespace gensink::dpdk
