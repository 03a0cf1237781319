// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "cores/ends.hpp"
#include "host/clock.hpp"
#include "kernel/loops.hpp"
#include "kernel/socket.hpp"
#include "kernel/source.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <vector>

namespace gensink::kernel::detail {

/// A socket and the stream that it carries.
struct StreamSocket {
    Socket socket;
    std::uint8_t stream = 0;
};

/// Everything that one trial holds: loops end before sockets go.
struct Open {
    plan::TrialPlan plan;
    std::uint32_t run_id = 0;
    Source source;  ///< TCP
    std::vector<StreamSocket> gen_sockets;
    std::vector<StreamSocket> sink_sockets;
    cores::Ends ends{host::tsc_hz()};
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
[[nodiscard]] trial::Snapshot take_snapshot(Open& open, bool ended);

}  // namespace gensink::kernel::detail
