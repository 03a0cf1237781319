// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/topology.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gensink::host {

/// The machine as a result records it. Absent or empty is unknown.
struct Facts {
    std::string hostname;
    std::string cpu_model;
    std::string microcode;
    std::optional<unsigned> cpus;     ///< that this process may use
    std::optional<unsigned> sockets;  ///< NUMA nodes
    std::optional<bool> smt;          ///< hardware threads share cores
    std::optional<bool> invariant_tsc;
    std::optional<bool> turbo;
    std::string governor;
    std::string kernel;          ///< release
    std::string kernel_options;  ///< those that bear on a measurement, as booted
    std::string mitigations;     ///< "name: state" of each that the CPU needs
    std::string hugepages;       ///< "node 0: 512 of 1024 x 2 MiB free"
    std::string topology;        ///< "1 socket, 2 CPUs; isolated: 2-3"
    std::string virtualization;  ///< hypervisor and container
    std::vector<std::string> nics;
};

[[nodiscard]] Facts facts(const plan::Topology& topology);

/// The same with a copy of /proc and /sys under `root`.
[[nodiscard]] Facts facts(const plan::Topology& topology, const std::filesystem::path& root);

/// "node 0: 512 of 1024 x 2 MiB free"; empty when none are set aside.
[[nodiscard]] std::string describe_hugepages(const plan::Topology& topology);

/// "2 MiB", "1 GiB", "640 KiB": the largest binary unit that divides `bytes`.
[[nodiscard]] std::string describe_bytes(std::uint64_t bytes);

}  // namespace gensink::host
