// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/detail/open.hpp"

namespace gensink::kernel::detail {

trial::Snapshot take_snapshot(Open& o, bool ended) {
    trial::Snapshot s = o.ends.snapshot(o.plan, ended);
    for (const StreamSocket& one : o.sink_sockets) {
        const auto drops = o.plan.is_tcp() ? std::nullopt : drops_of(one.socket.fd());
        if (drops) {
            s.sink_kernel.socket_dropped = s.sink_kernel.socket_dropped.value_or(0) + *drops;
        }
    }
    return s;
}

}  // namespace gensink::kernel::detail
