// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/pool.hpp"

#include "dpdk/eal.hpp"
#include "wire/ack.hpp"

#include <fmt/format.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <bit>
#include <span>

namespace gensink::dpdk {
namespace {

Result<Pool>
make_pool(const std::string& name, std::uint32_t frames, std::uint32_t room, SocketId socket) {
    // A cache flushes at 1.5 times its size; two of them (generator, sink) must not hold all
    // frames.
    const unsigned cache = std::min<unsigned>(RTE_MEMPOOL_CACHE_MAX_SIZE, frames / 8);
    rte_mempool* const pool = rte_pktmbuf_pool_create(
        name.c_str(),
        frames,
        cache,
        0,
        static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + room),
        socket.value
    );
    if (pool == nullptr) {
        Error error = dpdk_error(
            ErrorKind::environment,
            fmt::format("no memory for {} frames of {} bytes", frames, room),
            name,
            -1
        );
        error.message += "; raise --set host.memory or lower tx.pool, tx.ring, sink.ring";
        return tl::unexpected<Error>(std::move(error));
    }
    return Pool(pool);
}

std::uint32_t template_bytes(const Template& t) {
    return t.is_ack ? wire::ack_frame_bytes_without_fcs
                    : wire::frame_bytes_without_fcs(t.fields.payload_bytes);
}

void write_template(rte_mempool*, void* argument, void* object, unsigned) {
    const Template& t = *static_cast<const Template*>(argument);
    auto* const m = static_cast<rte_mbuf*>(object);
    const std::uint32_t bytes = template_bytes(t);
    const std::span<std::byte> out{rte_pktmbuf_mtod(m, std::byte*), bytes};
    if (t.is_ack) {
        wire::write_ack_template(out, t.fields);
    } else {
        wire::write_frame(out, t.fields);
    }
    m->nb_segs = 1;
    m->next = nullptr;
    m->data_len = static_cast<std::uint16_t>(bytes);
    m->pkt_len = bytes;
    if (t.offload_udp_checksum) {
        m->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_UDP_CKSUM;
        m->l2_len = wire::ethernet_bytes;
        m->l3_len = wire::ipv4_bytes;
    }
}

void nobody_frees(void*, void*) {}

void write_shared_info(rte_mempool*, void*, void* object, unsigned) {
    auto* const info =
        static_cast<rte_mbuf_ext_shared_info*>(rte_mbuf_to_priv(static_cast<rte_mbuf*>(object)));
    info->free_cb = &nobody_frees;
    info->fcb_opaque = nullptr;
    rte_mbuf_ext_refcnt_set(info, 1);
}

}  // namespace

std::uint32_t rx_room_bytes(std::uint32_t frame_bytes, const plan::DriverFacts& driver) {
    const std::uint32_t room = (frame_bytes + 63) / 64 * 64;
    if (driver.small_buffers) {
        return room;
    }
    // Drivers may want room for a header of their own (virtio 12 B) or for tags.
    constexpr std::uint32_t more = 64;
    // e1000 splits what exceeds the largest power of two over several buffers (DPDK 22.11
    // em_rxtx.c, em_rctl_bsize); vmxnet3 knows no buffer of 16 KiB (14 bits, vmxnet3_defs.h).
    return std::max<std::uint32_t>(
        RTE_MBUF_DEFAULT_DATAROOM,
        driver.power_of_two_buffers ? std::bit_ceil(room + more) : room + more
    );
}

Result<Pool> make_rx_pool(
    const std::string& name, std::uint32_t frames, std::uint32_t room_bytes, SocketId socket
) {
    return make_pool(name, frames, room_bytes, socket);
}

Result<Pool> make_tx_pool(
    const std::string& name, std::uint32_t frames, const Template& frame, SocketId socket
) {
    const std::uint32_t bytes = template_bytes(frame);
    Result<Pool> pool = make_pool(name, frames, (bytes + 63) / 64 * 64, socket);
    if (pool) {
        Template copy = frame;
        rte_mempool_obj_iter(pool->get(), &write_template, &copy);
        // The raw frame of a pool has a reference already; drivers give it back that way.
    }
    return pool;
}

Result<Pool> make_segment_pool(const std::string& name, std::uint32_t segments, SocketId socket) {
    rte_mempool* const pool = rte_pktmbuf_pool_create(
        name.c_str(),
        segments,
        RTE_MEMPOOL_CACHE_MAX_SIZE,
        RTE_ALIGN(sizeof(rte_mbuf_ext_shared_info), RTE_MBUF_PRIV_ALIGN),
        0,
        socket.value
    );
    if (pool == nullptr) {
        return tl::unexpected<Error>(dpdk_error(
            ErrorKind::environment, fmt::format("no memory for {} segments", segments), name, -1
        ));
    }
    rte_mempool_obj_iter(pool, &write_shared_info, nullptr);
    return Pool(pool);
}

}  // namespace gensink::dpdk
