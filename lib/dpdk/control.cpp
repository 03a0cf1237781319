// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control.hpp"

#include "dpdk/detail/open.hpp"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstring>

/// The link as the control thread uses it, beside the loops.
namespace gensink::dpdk::detail {
namespace {

constexpr std::uint32_t control_frames = 511;

const Port& port_of(const Open& o) {
    return o.gen ? *o.gen : *o.sink;
}

/// What nobody's loop took. False where so much lay there that the ring may have been full.
bool poll(
    const Open& o, std::uint16_t queue, const std::function<void(std::span<const std::byte>)>& read
) {
    const std::uint32_t enough = (o.gen ? o.plan.gen : *o.plan.sink).descriptors / 2U;
    std::array<rte_mbuf*, 64> frames{};
    std::uint32_t taken = 0;
    std::uint16_t n = 0;
    do {
        n = rte_eth_rx_burst(port_of(o).id().value, queue, frames.data(), frames.size());
        for (std::uint16_t i = 0; i < n; ++i) {
            const auto* bytes = rte_pktmbuf_mtod(frames[i], const std::byte*);
            const std::uint32_t length = frames[i]->data_len;
            if (wire::is_control(bytes, length) || wire::may_ask(bytes, length)) {
                read({bytes, length});
            }
        }
        rte_pktmbuf_free_bulk(frames.data(), n);
        taken += n;
    } while (n == frames.size() && taken < 2 * enough);
    return taken < enough;
}

}  // namespace

Result<void> make_control_pool(Open& o) {
    Result<Pool> pool = make_rx_pool(
        "control",
        control_frames,
        rx_room_bytes(engine::Mailbox::longest + wire::fcs_bytes, {}),
        port_of(o).socket()
    );
    if (!pool) {
        return tl::unexpected<Error>(pool.error());
    }
    o.control_pool = std::move(*pool);
    return {};
}

bool send_control(Open& o, std::span<const std::byte> frame) {
    const bool busy = o.ends.sink_runs() && o.plan.transport;
    if (o.ends.gen_runs() || (busy && o.outbox.load(std::memory_order_acquire) != nullptr)) {
        return false;
    }
    rte_mbuf* m = rte_pktmbuf_alloc(o.control_pool.get());
    if (m == nullptr) {
        return false;
    }
    const auto bytes = static_cast<std::uint16_t>(frame.size());
    std::memcpy(rte_pktmbuf_append(m, bytes), frame.data(), bytes);
    if (busy) {
        o.outbox.store(m, std::memory_order_release);
        return true;
    }
    if (rte_eth_tx_burst(port_of(o).id().value, 0, &m, 1) == 1) {
        ++o.control_sent;
        return true;
    }
    rte_pktmbuf_free(m);
    return false;
}

bool receive_control(Open& o, const std::function<void(std::span<const std::byte>)>& read) {
    // In the open loop the generator's loops never receive.
    if (o.plan.transport && o.ends.gen_runs()) {
        return false;
    }
    bool all = true;
    for (const auto& mail : o.mail) {
        mail->take(read);
    }
    if (!o.ends.sink_runs()) {
        const std::uint16_t queues = o.gen ? o.plan.gen.queues : o.plan.sink->queues;
        for (std::uint16_t queue = 0; queue < queues; ++queue) {
            all = poll(o, queue, read) && all;
        }
    }
    return all;
}

}  // namespace gensink::dpdk::detail
