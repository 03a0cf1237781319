// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"

#include <rte_ring.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gensink::dpdk {

/// Two net_ring ports of this process, joined queue by queue in both directions.
class Cable {
  public:
    /// Exact-size single-producer, single-consumer rings of `descriptors` frames. Error
    /// environment.
    [[nodiscard]] static Result<Cable>
    make(std::uint16_t queues, std::uint32_t descriptors, SocketId socket);

    Cable(Cable&&) noexcept;
    Cable& operator=(Cable&&) = delete;
    Cable(const Cable&) = delete;
    Cable& operator=(const Cable&) = delete;
    /// Removes the ports; frames still in the rings go back to their pools.
    ~Cable();

    [[nodiscard]] PortId gen() const { return gen_; }

    [[nodiscard]] PortId sink() const { return sink_; }

  private:
    Cable() = default;

    struct RingDeleter {
        void operator()(rte_ring* ring) const;
    };

    using Ring = std::unique_ptr<rte_ring, RingDeleter>;
    static Result<std::vector<Ring>> make_rings(
        const std::string& name, std::uint16_t queues, std::uint32_t descriptors, SocketId socket
    );

    std::vector<Ring> forward_;   ///< generator to sink
    std::vector<Ring> backward_;  ///< sink to generator
    std::string gen_name_;
    std::string sink_name_;
    PortId gen_;
    PortId sink_;
};

}  // namespace gensink::dpdk
