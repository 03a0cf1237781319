// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cores/loops.hpp"
#include "engine/classifier.hpp"
#include "engine/control.hpp"
#include "engine/mutator.hpp"
#include "flow/pacer.hpp"
#include "kernel/tcp_queue.hpp"
#include "kernel/tcp_sink.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// One choice per core: from a description to a loop over sockets. Unlike a port's loop, one that
/// has nothing to do sleeps, as a program that uses the kernel would.
namespace gensink::kernel {

using cores::GenLoop;
using cores::SinkLoop;

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
