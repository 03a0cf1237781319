// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/discover.hpp"

#include "dpdk/eal.hpp"
#include "dpdk/port.hpp"

#include <rte_ethdev.h>

namespace gensink::dpdk {
namespace {

Result<Discovered> look_at(const std::string& device) {
    const Result<Port> port = Port::probe(device);
    if (!port) {
        return tl::unexpected<Error>(port.error());
    }
    rte_eth_dev_info info{};
    if (rte_eth_dev_info_get(port->id().value, &info) != 0) {
        return fail(ErrorKind::device, "the device does not tell what it can do", device);
    }
    return Discovered{
        .device = device,
        .driver = port->driver(),
        .limits = port->limits(),
        .socket = port->socket(),
        .link = port->link(),
        .mac = port->mac(),
        .udp_checksum_offload = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_UDP_CKSUM) != 0,
        .fast_free = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0,
    };
}

}  // namespace

Result<std::vector<Result<Discovered>>> discover(const std::vector<std::string>& devices) {
    plan::Environment environment;
    environment.memory_mib = 64;
    environment.devices = devices;
    const Result<Eal> eal = Eal::start(environment);
    if (!eal) {
        return tl::unexpected<Error>(eal.error());
    }
    std::vector<Result<Discovered>> found;
    found.reserve(devices.size());
    for (const std::string& device : devices) {
        found.push_back(look_at(device));
    }
    return found;
}

}  // namespace gensink::dpdk
