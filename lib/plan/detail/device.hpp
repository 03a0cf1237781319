// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/detail/problems.hpp"
#include "plan/plan.hpp"
#include "plan/topology.hpp"
#include "profile/driver_config.hpp"
#include "profile/settings.hpp"

#include <optional>
#include <span>
#include <string>

namespace gensink::plan::detail {

enum class Side { gen, sink };

/// A device and what is known of its driver; config is null after an error.
struct Device {
    std::string name;  ///< as written; empty on the cable
    std::string netns;
    const profile::DriverConfig* config = nullptr;
    const Nic* nic = nullptr;  ///< where the kernel shows it
};

/// "iface" of "net_af_packet0,iface=v0"; absent where the device has no such argument.
[[nodiscard]] std::optional<std::string> argument(std::string_view device, std::string_view key);

/// True where a device's arguments hold one of those in "role=client,id=0".
[[nodiscard]] bool has_any_of(std::string_view device, std::string_view text);

/// Finds an end's device on the host and its entry of drivers-config.
[[nodiscard]] Device find_device(
    Side side,
    std::string netns,
    const profile::Settings& settings,
    const Topology& topology,
    std::span<const profile::DriverConfig> drivers,
    Problems& problems
);

[[nodiscard]] DriverFacts facts_of(const profile::DriverConfig& config);

/// Adds to a device's arguments what the plan has decided: queues, ring, buffers, role.
struct ArgumentFacts {
    std::uint16_t queues = 1;
    std::optional<std::uint16_t> ring;  ///< where the profile asks for one
    std::uint32_t frame_bytes = 0;      ///< largest of the experiment
    std::string socket;                 ///< of this run's own
};

[[nodiscard]] std::string
complete_device(const Device& device, Side side, const ArgumentFacts& facts);

}  // namespace gensink::plan::detail
