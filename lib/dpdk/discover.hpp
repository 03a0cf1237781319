// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gensink::dpdk {

/// A device as DPDK opens it.
struct Discovered {
    std::string device;
    std::string driver;
    plan::DeviceLimits limits;
    SocketId socket;
    trial::LinkReport link;  ///< of a port that is not started: most know nothing yet
    std::optional<plan::MacAddress> mac;
    bool udp_checksum_offload = false;
    bool fast_free = false;
};

/// Starts EAL and opens each device in turn. For a child process of its own, as EAL starts once.
/// An element is an error where the device cannot be opened. Error: environment.
[[nodiscard]] Result<std::vector<Result<Discovered>>>
discover(const std::vector<std::string>& devices);

}  // namespace gensink::dpdk
