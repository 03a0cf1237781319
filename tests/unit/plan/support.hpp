// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/make.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "catch.hpp"

namespace gensink::plan::test {

/// A host with `count` CPUs on one socket, no hugepages, NICs on PCI (the first two unknown) and
/// one interface.
inline Topology host(unsigned count) {
    Topology topology;
    for (unsigned i = 0; i < count; ++i) {
        topology.cpus.push_back({CpuId{i}, SocketId{0}, {}, false});
    }
    topology.nics.push_back({"0000:01:00.0", "", "vfio-pci", 0x1234, 0x0001, SocketId{0}, {}, {}});
    topology.nics.push_back({"0000:02:00.0", "", "vfio-pci", 0x1234, 0x0001, SocketId{0}, {}, {}});
    topology.nics.push_back({"0000:03:00.0", "", "vfio-pci", 0x8086, 0x100e, SocketId{0}, {}, {}});
    topology.nics.push_back({"", "veth0", "veth", 0, 0, {}, 10'000'000'000, true});
    topology.root = true;
    return topology;
}

/// Folder of the sources, from the environment that meson gives each test.
inline std::string source_root() {
    const char* root = std::getenv("GENSINK_SOURCE_ROOT");
    return root == nullptr ? "." : root;
}

inline std::vector<profile::DriverConfig> drivers() {
    const auto all = profile::load_drivers(source_root() + "/drivers-config");
    REQUIRE(all);
    return *all;
}

inline Results<Plan> try_plan(
    const std::string& text, const Topology& topology, const profile::LoadOptions& options = {}
) {
    const auto profile = profile::load("gensink: 1\nname: test\n" + text, "p.yaml", options);
    if (!profile) {
        UNSCOPED_INFO(profile.error().front().where << ": " << profile.error().front().message);
    }
    REQUIRE(profile);
    return make(*profile, topology, drivers(), "7");
}

inline Plan planned(
    const std::string& text,
    const Topology& topology = host(8),
    const profile::LoadOptions& options = {}
) {
    auto plan = try_plan(text, topology, options);
    if (!plan) {
        for (const Error& error : plan.error()) {
            UNSCOPED_INFO(error.where << ": " << error.message);
        }
    }
    REQUIRE(plan);
    return *plan;
}

/// All errors, a line each.
inline std::string refused(const std::string& text, const Topology& topology = host(8)) {
    const auto plan = try_plan(text, topology);
    REQUIRE_FALSE(plan);
    std::string all;
    for (const Error& error : plan.error()) {
        all += error.where + ": " + error.message + "\n";
    }
    return all;
}

inline void says(const std::string& message, const std::string& part) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
}

inline bool warns(const std::vector<std::string>& warnings, const std::string& part) {
    for (const std::string& warning : warnings) {
        if (warning.find(part) != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace gensink::plan::test
