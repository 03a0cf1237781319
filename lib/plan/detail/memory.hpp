// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"

#include <cstdint>

namespace gensink::plan::detail {

/// Frames that a generator's stream can have on the way at once, rounded up to 2^n - 1 (the size
/// that DPDK's mempool uses best: rte_mempool.h).
[[nodiscard]] std::uint32_t tx_pool_frames(const TrialPlan& trial);

/// Frames that one of the sink's queues can hold.
[[nodiscard]] std::uint32_t rx_pool_frames(const TrialPlan& trial, const EndPlan& sink);

/// Slots of each of the cable's rings.
[[nodiscard]] std::uint32_t cable_ring_frames(const EndPlan& gen);

/// EAL heap of a worker that opens these ends of a trial, in bytes.
[[nodiscard]] std::uint64_t worker_memory_bytes(const TrialPlan& trial, bool gen, bool sink);

}  // namespace gensink::plan::detail
