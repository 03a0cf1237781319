// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "cores/ends.hpp"
#include "dpdk/cable.hpp"
#include "dpdk/loops.hpp"
#include "dpdk/pool.hpp"
#include "dpdk/port.hpp"
#include "dpdk/source.hpp"
#include "engine/mailbox.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <rte_cycles.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// An open datapath, and the steps that make it from a plan.
namespace gensink::dpdk::detail {

/// Locally administered, for ports that have no address of their own.
inline constexpr plan::MacAddress default_mac{0x02, 0x67, 0x73, 0, 0, 1};

/// Everything that one trial holds. Members are destroyed from the last to the first: loops before
/// ports, ports before the pools that their queues point to, rings (with frames in them) before
/// pools.
struct Open {
    plan::TrialPlan plan;
    std::uint32_t run_id = 0;
    std::vector<Pool> rx_pools;
    std::vector<Pool> tx_pools;
    Source source;                    ///< empty: payload is in the templates
    std::vector<Pool> segment_pools;  ///< one a stream, where payload is attached
    std::vector<Pool> ack_pools;      ///< one a sink queue, in the closed loop
    Pool control_pool;  ///< of frames to the other end's control thread; null: none needed
    std::vector<std::unique_ptr<engine::Mailbox>>
        mail;                        ///< one a sink loop, where its peer is elsewhere
    std::uint64_t control_sent = 0;  ///< frames to the other end since the port was started
    engine::Outbox outbox{nullptr};  ///< of the first sink loop's first queue
    std::optional<Cable> cable;
    std::optional<Port> gen;
    std::optional<Port> sink;
    cores::Ends ends{rte_get_tsc_hz()};
};

/// UDP payload of the largest frame.
[[nodiscard]] std::uint16_t largest_payload(const plan::TrialPlan& plan);

/// Pools of the generator's templates, one a stream, and of segments, and the payload's source.
/// Error environment.
Result<void> make_tx_pools(Open& open);
/// Pools of the sink's ACKs. Error environment.
Result<void> make_ack_pools(Open& open);
/// Pool of frames to the other end's control thread. Error environment.
Result<void> make_control_pool(Open& open);
/// True where the frame left, or will leave with the sink's loop.
bool send_control(Open& open, std::span<const std::byte> frame);
/// Gives what has come beside the data to `read`; false where something may be lost.
bool receive_control(Open& open, const std::function<void(std::span<const std::byte>)>& read);
void make_gen_loops(Open& open);
void make_sink_loops(Open& open);

/// `ended`: the loops have returned, so that their reports are complete.
[[nodiscard]] trial::Snapshot take_snapshot(Open& open, bool ended);

}  // namespace gensink::dpdk::detail
