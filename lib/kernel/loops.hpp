// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "counters/counts.hpp"
#include "counters/histogram.hpp"
#include "engine/classifier.hpp"
#include "engine/control.hpp"
#include "engine/mutator.hpp"
#include "flow/pacer.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel/tcp_queue.hpp"
#include "kernel/tcp_sink.hpp"

/// One choice per core: from a description to a loop over sockets. Unlike a port's loop, one that
/// has nothing to do sleeps, as a program that uses the kernel would.
namespace gensink::kernel {

class GenLoop {
  public:
    GenLoop() = default;
    GenLoop(const GenLoop&) = delete;
    GenLoop& operator=(const GenLoop&) = delete;
    GenLoop(GenLoop&&) = delete;
    GenLoop& operator=(GenLoop&&) = delete;
    virtual ~GenLoop() = default;
    virtual void run(const engine::Control& control) = 0;
    [[nodiscard]] virtual counters::TxCounts total() const = 0;
    [[nodiscard]] virtual const engine::LoopReport<counters::TxCounts>& report() const = 0;
    [[nodiscard]] virtual std::span<const counters::TxStreamCounts> streams_measured() const = 0;
    [[nodiscard]] virtual counters::TxQueueState queue_state(std::size_t queue) const = 0;
    /// Nothing is on its way any more. Once run() has returned.
    [[nodiscard]] virtual bool is_delivered() const = 0;
    /// errno of a send that failed for good; 0: none has. Safe while the loop runs.
    [[nodiscard]] virtual int failure() const = 0;
    virtual void add_holds(counters::Histogram& to) const = 0;
};

class SinkLoop {
  public:
    SinkLoop() = default;
    SinkLoop(const SinkLoop&) = delete;
    SinkLoop& operator=(const SinkLoop&) = delete;
    SinkLoop(SinkLoop&&) = delete;
    SinkLoop& operator=(SinkLoop&&) = delete;
    virtual ~SinkLoop() = default;
    virtual void run(const engine::Control& control) = 0;
    [[nodiscard]] virtual counters::SinkCounts total() const = 0;
    [[nodiscard]] virtual counters::Phase phase() const = 0;
    [[nodiscard]] virtual engine::StreamSeen stream(std::size_t index) const = 0;
    [[nodiscard]] virtual const engine::LoopReport<counters::SinkCounts>& report() const = 0;
};

/// A stream at the generator.
struct GenStreamSpec {
    std::vector<int> sockets;  ///< one, or the connections of TCP
    flow::PacerSpec pacer;
    engine::StreamSpec stream;  ///< UDP
};

struct GenLoopSpec {
    engine::LoopSpec loop;
    bool paced = false;
    plan::KernelPlan kernel;
    std::uint64_t block_bytes = 0;      ///< TCP
    std::span<const std::byte> source;  ///< TCP
    int source_fd = -1;                 ///< TCP
    std::vector<GenStreamSpec> streams;
};

[[nodiscard]] std::unique_ptr<GenLoop> make_gen_loop(const GenLoopSpec& spec);

/// `sockets`: one a stream of this core. `fields`: of the largest frame.
[[nodiscard]] std::unique_ptr<SinkLoop> make_udp_sink(
    const engine::LoopSpec& loop,
    const engine::SinkSpec& sink,
    const std::vector<int>& sockets,
    const wire::FrameFields& fields
);

[[nodiscard]] std::unique_ptr<SinkLoop> make_tcp_sink(
    const engine::LoopSpec& loop, std::uint32_t read_bytes, std::size_t streams, TcpDoor door
);

}  // namespace gensink::kernel
