// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_pause.h>
#include <rte_prefetch.h>

#include <cstddef>
#include <cstdint>

/// The engine's ports and clock over DPDK.
namespace gensink::dpdk {

struct TscClock {
    [[nodiscard]] static std::uint64_t now() { return rte_rdtsc(); }
};

/// A transmit queue and the pool of its stream's templates. Frames are taken raw: the template
/// bytes, lengths and offload flags written once stay in place, since no driver resets them when it
/// frees a frame (rte_mbuf.h, rte_pktmbuf_prefree_seg).
struct EthTx {
    using Frame = rte_mbuf;

    std::uint16_t port = 0;
    std::uint16_t queue = 0;
    rte_mempool* pool = nullptr;
    rte_mempool* segments = nullptr;  ///< for frames of two segments; null: there are none
    std::uint64_t iova_offset = 0;    ///< from an address of the source to the device's

    [[nodiscard, gnu::always_inline]] inline bool take(rte_mbuf** frames, std::uint32_t n) const {
        return rte_mempool_get_bulk(pool, reinterpret_cast<void**>(frames), n) == 0;
    }

    [[nodiscard]] std::uint32_t send(rte_mbuf** frames, std::uint32_t n) const {
        return rte_eth_tx_burst(port, queue, frames, static_cast<std::uint16_t>(n));
    }

    void give_back(rte_mbuf** frames, std::uint32_t n) const {
        if (segments != nullptr) {
            rte_pktmbuf_free_bulk(frames, n);
        } else {
            rte_mempool_put_bulk(pool, reinterpret_cast<void**>(frames), n);
        }
    }

    [[nodiscard]] bool take_segments(rte_mbuf** out, std::uint32_t n) const {
        return rte_mempool_get_bulk(segments, reinterpret_cast<void**>(out), n) == 0;
    }

    void give_back_segments(rte_mbuf** unused, std::uint32_t n) const {
        rte_mempool_put_bulk(segments, reinterpret_cast<void**>(unused), n);
    }

    /// The segment's reference count lies in its private area, so that no two cores share one.
    void chain(
        rte_mbuf* frame,
        std::uint32_t own_bytes,
        rte_mbuf* segment,
        const std::byte* bytes,
        std::uint32_t n
    ) const {
        auto* const info = static_cast<rte_mbuf_ext_shared_info*>(rte_mbuf_to_priv(segment));
        rte_mbuf_ext_refcnt_set(info, 1);
        auto* const data = const_cast<std::byte*>(bytes);  // no driver writes what it sends
        rte_pktmbuf_attach_extbuf(
            segment,
            data,
            reinterpret_cast<std::uintptr_t>(data) + iova_offset,
            static_cast<std::uint16_t>(n),
            info
        );
        segment->data_len = static_cast<std::uint16_t>(n);
        segment->pkt_len = n;
        frame->data_len = static_cast<std::uint16_t>(own_bytes);
        frame->nb_segs = 2;
        frame->next = segment;
    }

    static std::uint32_t length(const rte_mbuf* frame) { return frame->pkt_len; }

    static void relax() { rte_pause(); }

    static void prefetch_record(const rte_mbuf* frame) { rte_prefetch0(frame); }

    static std::byte* bytes(rte_mbuf* frame) { return rte_pktmbuf_mtod(frame, std::byte*); }

    /// Writes only what changes: on the cable the line is then shared with the sink's core.
    static void set_length(rte_mbuf* frame, std::uint32_t bytes) {
        if (frame->pkt_len != bytes) {
            frame->data_len = static_cast<std::uint16_t>(bytes);
            frame->pkt_len = bytes;
        }
    }
};

/// A receive queue. Receive pools hold a whole frame in one segment.
struct EthRx {
    using Frame = rte_mbuf;

    std::uint16_t port = 0;
    std::uint16_t queue = 0;
    rte_mempool* copies = nullptr;  ///< for planted faults only

    [[nodiscard]] std::uint32_t receive(rte_mbuf** frames, std::uint32_t n) const {
        return rte_eth_rx_burst(port, queue, frames, static_cast<std::uint16_t>(n));
    }

    /// Frames as a driver makes them, whole, unshared and all of one pool, go back in one move.
    static void release(rte_mbuf** frames, std::uint32_t n) {
        rte_mempool* const pool = n == 0 ? nullptr : frames[0]->pool;
        bool plain = true;
        for (std::uint32_t i = 0; i < n; ++i) {
            const rte_mbuf* const m = frames[i];
            plain &= m->pool == pool && m->refcnt == 1 && m->nb_segs == 1 && RTE_MBUF_DIRECT(m);
        }
        if (plain && n != 0) {
            rte_mempool_put_bulk(pool, reinterpret_cast<void**>(frames), n);
        } else {
            rte_pktmbuf_free_bulk(frames, n);
        }
    }

    static const std::byte* bytes(const rte_mbuf* frame) {
        return rte_pktmbuf_mtod(frame, const std::byte*);
    }

    static std::byte* mutable_bytes(rte_mbuf* frame) { return rte_pktmbuf_mtod(frame, std::byte*); }

    static std::uint32_t length(const rte_mbuf* frame) { return frame->pkt_len; }

    static void relax() { rte_pause(); }

    static void prefetch_record(const rte_mbuf* frame) { rte_prefetch0(frame); }

    static void prefetch(const rte_mbuf* frame) {
        rte_prefetch0(rte_pktmbuf_mtod(frame, const void*));
    }

    [[nodiscard]] rte_mbuf* copy(const rte_mbuf* frame) const {
        return rte_pktmbuf_copy(frame, copies, 0, UINT32_MAX);
    }
};

/// The sink's end of a cable queue: every frame comes from the one pool of the stream joined to it,
/// unshared, and goes back there without a look at its mbuf unless it may have two segments.
struct CableRx {
    using Frame = rte_mbuf;

    std::uint16_t port = 0;
    std::uint16_t queue = 0;
    rte_mempool* pool = nullptr;  ///< null: frames of two segments come

    [[nodiscard]] std::uint32_t receive(rte_mbuf** frames, std::uint32_t n) const {
        return rte_eth_rx_burst(port, queue, frames, static_cast<std::uint16_t>(n));
    }

    void release(rte_mbuf** frames, std::uint32_t n) const {
        if (pool == nullptr) {
            rte_pktmbuf_free_bulk(frames, n);
        } else {
            rte_mempool_put_bulk(pool, reinterpret_cast<void**>(frames), n);
        }
    }

    static const std::byte* bytes(const rte_mbuf* frame) { return EthRx::bytes(frame); }

    static std::uint32_t length(const rte_mbuf* frame) { return EthRx::length(frame); }

    static void prefetch_record(const rte_mbuf* frame) { EthRx::prefetch_record(frame); }

    static void prefetch(const rte_mbuf* frame) { EthRx::prefetch(frame); }

    static void relax() { EthRx::relax(); }
};

}  // namespace gensink::dpdk
