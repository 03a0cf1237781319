// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "host/probes.hpp"
#include "plan/plan.hpp"
#include "plan/topology.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gensink::host {

/// ok: nothing stands in the way. warn: a run works, its numbers suffer, or a NIC is not ready.
/// fail: the run cannot be made. unknown: the kernel does not tell.
enum class CheckStatus { ok, warn, fail, unknown };

[[nodiscard]] const char* name(CheckStatus status);

struct Check {
    std::string name;  ///< "hugepages node 0"
    CheckStatus status = CheckStatus::ok;
    std::string found;  ///< what is the case, and why it matters where it does
    std::string fix;    ///< a shell command, or what to do where none helps; empty where ok
};

/// What one experiment asks of the host: the most that any of its cells needs at once.
struct Need {
    /// Memory that environments take on one socket.
    struct Memory {
        SocketId socket;
        std::uint64_t bytes = 0;
    };

    std::string profile;
    std::size_t threads = 0;           ///< datapath threads at once
    std::vector<CpuId> cpus;           ///< that datapath threads are pinned to, ascending
    std::vector<Memory> memory;        ///< ascending by socket
    std::vector<std::string> devices;  ///< EAL devices, each once
    bool netns = false;                ///< an end is in another network namespace
};

[[nodiscard]] Need need(const plan::Plan& plan, const plan::Topology& topology);

/// Everything that stands between this host and a good measurement, in the order of a report:
/// processors, memory, devices, privileges, neighbours.
[[nodiscard]] std::vector<Check>
checks(const plan::Topology& topology, const Probes& probes, const Need& need);

/// Whether the experiment can be made at all: no check fails.
[[nodiscard]] bool can_run(const std::vector<Check>& checks);

}  // namespace gensink::host
