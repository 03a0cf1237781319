// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/detail/port_info.hpp"
#include "dpdk/eal.hpp"
#include "dpdk/port.hpp"

#include <fmt/format.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

/// A port's configuration and queues.
namespace gensink::dpdk {
namespace {

/// The descriptor numbers that the device accepts, nearest to the one asked for.
Result<std::uint16_t>
adjusted_descriptors(PortId id, std::uint16_t asked, const std::string& name) {
    std::uint16_t rx = asked;
    std::uint16_t tx = asked;
    const int code = rte_eth_dev_adjust_nb_rx_tx_desc(id.value, &rx, &tx);
    if (code != 0) {
        return tl::unexpected<Error>(
            dpdk_error(ErrorKind::device, "the device refused its descriptor numbers", name, code)
        );
    }
    return std::max(rx, tx);
}

}  // namespace

Result<void> Port::configure(const PortSpec& spec) {
    const rte_eth_dev_info info = detail::info_of(id_);
    if (spec.queues > info.max_tx_queues || spec.queues > info.max_rx_queues) {
        return fail(
            ErrorKind::device,
            fmt::format(
                "{} queues wanted, the device has {} transmit and {} receive queues; lower "
                "tx.queues, sink.queues",
                spec.queues,
                info.max_tx_queues,
                info.max_rx_queues
            ),
            name_
        );
    }
    if (spec.chains && (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) == 0) {
        return fail(
            ErrorKind::device,
            "tx.payload: zero_copy sends frames of two segments, which the device cannot take; "
            "use copy",
            name_
        );
    }
    if (auto fits = check_mtu(spec, info); !fits) {
        return fits;
    }
    const rte_eth_conf conf = configuration(spec, info);
    const int code = rte_eth_dev_configure(id_.value, spec.queues, spec.queues, &conf);
    if (code != 0) {
        return tl::unexpected<Error>(
            dpdk_error(ErrorKind::device, "the device refused its configuration", name_, code)
        );
    }
    if (kernel_) {
        kernel_->expect_queues();
    }
    Result<void> done = set_up_queues(spec, info, conf.txmode.offloads);
    if (done && kernel_) {
        std::ranges::move(kernel_->adopt_queues(), std::back_inserter(warnings_));
    }
    return done;
}

/// A frame above what the driver tells passes where the kernel's interface lets it.
Result<void> Port::check_mtu(const PortSpec& spec, const rte_eth_dev_info& info) const {
    const auto mtu =
        kernel_ && spec.frame_bytes > info.max_rx_pktlen ? kernel_->mtu() : std::nullopt;
    const std::uint32_t needed = spec.frame_bytes - RTE_ETHER_HDR_LEN - RTE_ETHER_CRC_LEN;
    if (!mtu || needed <= *mtu) {
        return {};
    }
    return fail(
        ErrorKind::device,
        fmt::format(
            "frames of {} B need an MTU of {} at `{}`, which has {}: `ip link set dev {} mtu {}`, "
            "in "
            "its network namespace and at the other end, too",
            spec.frame_bytes,
            needed,
            kernel_->interface(),
            *mtu,
            kernel_->interface(),
            needed
        ),
        name_
    );
}

/// What the device can do of what is wanted; the rest becomes warnings.
rte_eth_conf Port::configuration(const PortSpec& spec, const rte_eth_dev_info& info) {
    rte_eth_conf conf{};
    const auto mtu = static_cast<std::uint16_t>(
        std::max<std::uint32_t>(spec.frame_bytes, RTE_ETHER_MAX_LEN) - RTE_ETHER_HDR_LEN -
        RTE_ETHER_CRC_LEN
    );
    // af_packet tells 1518 B whatever its slots hold, and passes no MTU on: the interface's holds.
    const std::uint32_t told = info.max_rx_pktlen - RTE_ETHER_HDR_LEN - RTE_ETHER_CRC_LEN;
    conf.rxmode.mtu =
        kernel_ ? static_cast<std::uint16_t>(std::min<std::uint32_t>(mtu, told)) : mtu;
    if (spec.queues > 1) {
        conf.rx_adv_conf.rss_conf.rss_hf =
            info.flow_type_rss_offloads & (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP);
        if (conf.rx_adv_conf.rss_conf.rss_hf != 0) {
            conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        } else if (remove_ || !kernel_) {
            warnings_.push_back(name_ + ": no receive-side scaling by UDP flow");
        }
    }
    if (spec.udp_checksum_offload) {
        offloads_udp_checksum_ = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_UDP_CKSUM) != 0;
        if (offloads_udp_checksum_) {
            conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
        } else {
            warnings_.push_back(
                name_ + ": no UDP checksum offload; gensink writes it, or none where tx.payload "
                        "copies or attaches"
            );
        }
    }
    // Never shared or chained frames, and one pool a queue: what FAST_FREE asks for (rte_ethdev.h).
    if (spec.chains) {
        conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    } else if (spec.one_pool) {
        conf.txmode.offloads |= info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
    }
    return conf;
}

Result<void>
Port::set_up_queues(const PortSpec& spec, const rte_eth_dev_info& info, std::uint64_t tx_offloads) {
    const Result<std::uint16_t> descriptors = adjusted_descriptors(id_, spec.descriptors, name_);
    if (!descriptors) {
        return tl::unexpected<Error>(descriptors.error());
    }
    if (*descriptors != spec.descriptors) {
        warnings_.push_back(
            fmt::format("{}: {} descriptors instead of {}", name_, *descriptors, spec.descriptors)
        );
    }
    tx_descriptors_ = *descriptors;
    const auto numa = static_cast<unsigned>(socket().value);
    for (std::uint16_t q = 0; q < spec.queues; ++q) {
        rte_eth_txconf tx = info.default_txconf;
        tx.offloads = tx_offloads;
        tx.tx_rs_thresh = spec.rs_thresh != 0 ? spec.rs_thresh : tx.tx_rs_thresh;
        tx.tx_free_thresh = spec.free_thresh != 0 ? spec.free_thresh : tx.tx_free_thresh;
        tx.tx_thresh.pthresh = spec.pthresh.value_or(tx.tx_thresh.pthresh);
        tx.tx_thresh.hthresh = spec.hthresh.value_or(tx.tx_thresh.hthresh);
        tx.tx_thresh.wthresh = spec.wthresh.value_or(tx.tx_thresh.wthresh);
        int code = rte_eth_tx_queue_setup(id_.value, q, *descriptors, numa, &tx);
        if (code == 0) {
            code = set_up_rx_queue({q}, *descriptors, spec.rx_pool);
        }
        if (code != 0) {
            return tl::unexpected<Error>(dpdk_error(
                ErrorKind::device, fmt::format("the device refused queue {}", q), name_, code
            ));
        }
    }
    check_thresholds(spec);
    return {};
}

/// The kernel frees the queue of a closed XDP socket in a work queue of its own (Linux
/// net/xdp/xsk_buff_pool.c, xp_put_pool), so that another finds it busy for some milliseconds.
int Port::set_up_rx_queue(QueueId queue, std::uint16_t descriptors, rte_mempool* pool) const {
    constexpr Duration step = std::chrono::milliseconds(20);
    constexpr Duration limit = std::chrono::seconds(2);
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const int code = rte_eth_rx_queue_setup(
            id_.value,
            queue.value,
            descriptors,
            static_cast<unsigned>(socket().value),
            nullptr,
            pool
        );
        if (code == 0 || !kernel_ || std::chrono::steady_clock::now() >= end) {
            return code;
        }
        std::this_thread::sleep_for(step);
    }
}

/// Many drivers have no such thresholds, and say nothing.
void Port::check_thresholds(const PortSpec& spec) {
    rte_eth_txq_info queue{};
    const rte_eth_thresh& has = queue.conf.tx_thresh;
    const bool told = rte_eth_tx_queue_info_get(id_.value, 0, &queue) == 0;
    const auto check = [&](const char* key, bool wanted, bool heeded) {
        if (wanted && !(told && heeded)) {
            warnings_.push_back(
                fmt::format("{}: the driver does not say that it heeds {}", name_, key)
            );
        }
    };
    check("tx.rs_thresh", spec.rs_thresh != 0, queue.conf.tx_rs_thresh == spec.rs_thresh);
    check("tx.free_thresh", spec.free_thresh != 0, queue.conf.tx_free_thresh == spec.free_thresh);
    check("tx.pthresh", spec.pthresh.has_value(), has.pthresh == spec.pthresh);
    check("tx.hthresh", spec.hthresh.has_value(), has.hthresh == spec.hthresh);
    check("tx.wthresh", spec.wthresh.has_value(), has.wthresh == spec.wthresh);
}

}  // namespace gensink::dpdk
