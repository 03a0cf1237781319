// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cores/loops.hpp"
#include "engine/acker.hpp"
#include "engine/control.hpp"
#include "engine/fault.hpp"
#include "engine/mutator.hpp"
#include "engine/payload.hpp"
#include "engine/reflect.hpp"
#include "engine/segments.hpp"
#include "engine/sink.hpp"
#include "flow/flow_set.hpp"
#include "flow/pacer.hpp"

#include <rte_mempool.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// One choice per core: from a description to a compiled loop. Virtual calls end at run().
namespace gensink::dpdk {

using cores::GenLoop;
using cores::SinkLoop;

/// What makes a queue a closed loop.
struct ClosedSpec {
    flow::FlowSetSpec flows;
    engine::SegmentSpec segments;
};

struct GenQueueSpec {
    std::uint16_t port = 0;
    std::uint16_t queue = 0;
    rte_mempool* pool = nullptr;
    engine::StreamSpec stream;
    flow::PacerSpec pacer;
    engine::PayloadSpec payload{};
    rte_mempool* segments = nullptr;     ///< where payload is attached
    std::uint64_t iova_offset = 0;       ///< from the payload's address to the device's
    std::optional<ClosedSpec> closed{};  ///< in all queues of a loop, or in none
};

struct GenLoopSpec {
    engine::LoopSpec loop;
    bool paced = false;
    std::vector<GenQueueSpec> queues;
};

struct SinkQueueSpec {
    std::uint16_t port = 0;
    std::uint16_t queue = 0;
    rte_mempool* pool = nullptr;  ///< of the joined stream on a cable; else of copies for faults
    rte_mempool* acks = nullptr;  ///< of ACK templates
};

struct SinkLoopSpec {
    engine::LoopSpec loop;
    engine::SinkSpec sink;
    bool cable = false;
    bool full = true;
    bool faulty = false;
    engine::FaultSpec fault;
    std::optional<engine::AckerSpec> acker;  ///< closed loop
    std::vector<SinkQueueSpec> queues;
};

[[nodiscard]] std::unique_ptr<GenLoop> make_gen_loop(const GenLoopSpec& spec);
[[nodiscard]] std::unique_ptr<SinkLoop> make_sink_loop(const SinkLoopSpec& spec);
/// A loop that sends back what arrives, from the port's address `mac`.
[[nodiscard]] std::unique_ptr<SinkLoop>
make_reflect_loop(const SinkLoopSpec& spec, const std::array<std::uint8_t, 6>& mac);

}  // namespace gensink::dpdk
