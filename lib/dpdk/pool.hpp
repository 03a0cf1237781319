// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "plan/plan.hpp"
#include "wire/frame.hpp"

#include <rte_mempool.h>

#include <cstdint>
#include <memory>
#include <string>

namespace gensink::dpdk {

struct PoolDeleter {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
};

using Pool = std::unique_ptr<rte_mempool, PoolDeleter>;

/// Bytes of a receive buffer for frames of up to `frame_bytes` with FCS, in one segment: no more
/// where the driver takes small ones, which keeps all buffers on few pages; else the 2 KiB that
/// most devices want, or more.
[[nodiscard]] std::uint32_t
rx_room_bytes(std::uint32_t frame_bytes, const plan::DriverFacts& driver);

/// Pool for received frames. Error environment.
[[nodiscard]] Result<Pool> make_rx_pool(
    const std::string& name, std::uint32_t frames, std::uint32_t room_bytes, SocketId socket
);

struct Template {
    wire::FrameFields fields;  ///< payload_bytes: the largest of the stream
    std::uint8_t stream = 0;
    bool offload_udp_checksum = false;
    bool is_ack = false;  ///< an ACK frame, whatever payload_bytes says
};

/// Pool of one stream, every frame written once. Error environment.
[[nodiscard]] Result<Pool>
make_tx_pool(const std::string& name, std::uint32_t frames, const Template& frame, SocketId socket);

/// Pool of segments without memory of their own, to be attached to bytes elsewhere; each has its
/// reference count in its private area. Error environment.
[[nodiscard]] Result<Pool>
make_segment_pool(const std::string& name, std::uint32_t segments, SocketId socket);

}  // namespace gensink::dpdk
