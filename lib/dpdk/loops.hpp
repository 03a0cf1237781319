// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/control.hpp"
#include "engine/fault.hpp"
#include "engine/mutator.hpp"
#include "engine/sink.hpp"
#include "flow/pacer.hpp"

#include <rte_mempool.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// One choice per core: from a description to a compiled loop. Virtual calls end at run().
namespace gensink::dpdk {

class GenLoop {
  public:
    GenLoop() = default;
    GenLoop(const GenLoop&) = delete;
    GenLoop& operator=(const GenLoop&) = delete;
    virtual ~GenLoop() = default;
    virtual void run(const engine::Control& control) = 0;
    [[nodiscard]] virtual counters::TxCounts total() const = 0;
    [[nodiscard]] virtual const engine::LoopReport<counters::TxCounts>& report() const = 0;
    [[nodiscard]] virtual std::span<const counters::TxStreamCounts> streams_measured() const = 0;
};

class SinkLoop {
  public:
    SinkLoop() = default;
    SinkLoop(const SinkLoop&) = delete;
    SinkLoop& operator=(const SinkLoop&) = delete;
    virtual ~SinkLoop() = default;
    virtual void run(const engine::Control& control) = 0;
    [[nodiscard]] virtual counters::SinkCounts total() const = 0;
    [[nodiscard]] virtual counters::Phase phase() const = 0;
    [[nodiscard]] virtual engine::StreamSeen stream(std::size_t index) const = 0;
    [[nodiscard]] virtual const engine::LoopReport<counters::SinkCounts>& report() const = 0;
};

struct GenQueueSpec {
    std::uint16_t port = 0;
    std::uint16_t queue = 0;
    rte_mempool* pool = nullptr;
    engine::StreamSpec stream;
    flow::PacerSpec pacer;
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
};

struct SinkLoopSpec {
    engine::LoopSpec loop;
    engine::SinkSpec sink;
    bool cable = false;
    bool full = true;
    bool faulty = false;
    engine::FaultSpec fault;
    std::vector<SinkQueueSpec> queues;
};

[[nodiscard]] std::unique_ptr<GenLoop> make_gen_loop(const GenLoopSpec& spec);
[[nodiscard]] std::unique_ptr<SinkLoop> make_sink_loop(const SinkLoopSpec& spec);

}  // namespace gensink::dpdk
