// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/cable.hpp"

#include "dpdk/eal.hpp"

#include <fmt/format.h>
#include <rte_bus_vdev.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace gensink::dpdk {
namespace {

Result<PortId> make_port(
    const std::string& name,
    const std::vector<rte_ring*>& rx,
    const std::vector<rte_ring*>& tx,
    SocketId socket
) {
    const int id = rte_eth_from_rings(
        name.c_str(),
        rx.data(),
        static_cast<unsigned>(rx.size()),
        tx.data(),
        static_cast<unsigned>(tx.size()),
        static_cast<unsigned>(socket.value)
    );
    if (id < 0) {
        return tl::unexpected<Error>(
            dpdk_error(ErrorKind::environment, "cannot make a port of the cable", name, -1)
        );
    }
    return PortId{static_cast<std::uint16_t>(id)};
}

}  // namespace

void Cable::RingDeleter::operator()(rte_ring* ring) const {
    void* frame = nullptr;
    while (rte_ring_dequeue(ring, &frame) == 0) {
        rte_pktmbuf_free(static_cast<rte_mbuf*>(frame));
    }
    rte_ring_free(ring);
}

Result<std::vector<Cable::Ring>> Cable::make_rings(
    const std::string& name, std::uint16_t queues, std::uint32_t descriptors, SocketId socket
) {
    std::vector<Ring> rings;
    for (std::uint16_t q = 0; q < queues; ++q) {
        const std::string ring = fmt::format("{}{}", name, q);
        rings.emplace_back(rte_ring_create(
            ring.c_str(), descriptors, socket.value, RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ
        ));
        if (!rings.back()) {
            return tl::unexpected<Error>(dpdk_error(
                ErrorKind::environment,
                fmt::format(
                    "no memory for a ring of {} frames; raise --set host.memory", descriptors
                ),
                ring,
                -1
            ));
        }
    }
    return rings;
}

Result<Cable> Cable::make(std::uint16_t queues, std::uint32_t descriptors, SocketId socket) {
    Cable cable;
    auto forward = make_rings("cable-fwd", queues, descriptors, socket);
    if (!forward) {
        return tl::unexpected<Error>(forward.error());
    }
    auto backward = make_rings("cable-bwd", queues, descriptors, socket);
    if (!backward) {
        return tl::unexpected<Error>(backward.error());
    }
    cable.forward_ = std::move(*forward);
    cable.backward_ = std::move(*backward);
    std::vector<rte_ring*> to_sink;
    std::vector<rte_ring*> to_gen;
    for (std::uint16_t q = 0; q < queues; ++q) {
        to_sink.push_back(cable.forward_[q].get());
        to_gen.push_back(cable.backward_[q].get());
    }
    const Result<PortId> gen = make_port("cable-gen", to_gen, to_sink, socket);
    if (!gen) {
        return tl::unexpected<Error>(gen.error());
    }
    cable.gen_ = *gen;
    cable.gen_name_ = "net_ring_cable-gen";
    const Result<PortId> sink = make_port("cable-sink", to_sink, to_gen, socket);
    if (!sink) {
        return tl::unexpected<Error>(sink.error());
    }
    cable.sink_ = *sink;
    cable.sink_name_ = "net_ring_cable-sink";
    return cable;
}

Cable::Cable(Cable&&) noexcept = default;

Cable::~Cable() {
    for (const std::string* name : {&gen_name_, &sink_name_}) {
        if (!name->empty()) {
            rte_vdev_uninit(name->c_str());
        }
    }
}

}  // namespace gensink::dpdk
