// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "engine/control.hpp"
#include "host/reports.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/loops.hpp"
#include "kernel/socket.hpp"
#include "kernel/source.hpp"
#include "kernel/thread.hpp"

namespace gensink::kernel::detail {

/// A socket and the stream that it carries.
struct StreamSocket {
    Socket socket;
    std::uint8_t stream = 0;
};

/// Everything that one trial holds: threads are destroyed before loops, loops before sockets.
struct Open {
    plan::TrialPlan plan;
    std::uint32_t run_id = 0;
    Source source;  ///< TCP
    std::vector<StreamSocket> gen_sockets;
    std::vector<StreamSocket> sink_sockets;
    engine::Control gen_control;
    engine::Control sink_control;
    host::EndsMeter cpus;  ///< of the threads
    std::vector<std::unique_ptr<GenLoop>> gen_loops;
    std::vector<std::unique_ptr<SinkLoop>> sink_loops;
    std::vector<std::unique_ptr<Thread>> gen_threads;
    std::vector<std::unique_ptr<Thread>> sink_threads;
};

/// The sink's sockets, which must be there before the generator's. Error environment.
Result<void> open_sink(Open& open);
/// The generator's sockets, of UDP, and its source. Error environment.
Result<void> open_generator(Open& open);
/// TCP's connections, once the sink listens. Error environment.
Result<void> connect_generator(Open& open);
void make_gen_loops(Open& open);
void make_sink_loops(Open& open);
/// `ended`: the loops have returned, so that their reports are complete.
[[nodiscard]] trial::Snapshot take_snapshot(const Open& open, bool ended);

}  // namespace gensink::kernel::detail
