// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "base/units.hpp"
#include "profile/keys.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gensink::profile {

/// A file of drivers-config: what a class of drivers does, as written.
struct DriverConfig {
    std::string driver;  ///< the entry's name
    std::string summary;
    std::vector<std::string> devices;  ///< prefixes of EAL device names: "net_af_packet"
    std::vector<std::string> drivers;  ///< driver names as a port reports them: "net_e1000_em"
    std::vector<std::string> pci;      ///< "8086:100e"
    std::uint32_t largest_frame_bytes = 1518;
    std::uint16_t tx_descriptors = 1024;
    std::uint16_t rx_descriptors = 1024;
    std::uint16_t min_descriptors = 64;
    std::uint16_t max_descriptors = 4096;
    std::uint16_t max_queues = 1;
    std::string tx_frames;  ///< exact | approximate | absent
    std::string rx_frames;
    std::string rx_missed;
    std::string tx_errors;
    std::string doorbell;
    bool loses_refused = false;
    bool lossless = false;
    bool needs_root = false;
    Duration settle{0};
    std::optional<std::uint64_t> line_bps;
    std::vector<std::string> eal;  ///< extra EAL arguments

    /// How a virtual device's arguments say what the plan decides; empty where it cannot be said.
    struct Arguments {
        std::string interface;      ///< name of the argument that names a kernel interface: "iface"
        std::string new_interface;  ///< the same, where the driver makes the interface
        std::string queues;         ///< "qpairs"
        std::string ring;           ///< "framecnt"
        std::string ring_log2;      ///< "rsize"
        std::string buffer;         ///< "bsize": bytes of a frame's buffer
        std::uint32_t buffer_bytes = 0;  ///< that argument's default
        std::string gen;                 ///< added at the generator where nothing of it is written
        std::string sink;  ///< the same at the sink; {socket} is a name of this run's own
    };

    Arguments arguments;
    bool copies_sent = false;           ///< each frame, by the processor
    bool one_segment = false;           ///< of a frame that is sent
    bool system_calls = false;          ///< a long turn may be the kernel's work
    bool small_buffers = false;         ///< receive buffers may be as small as the largest frame
    bool power_of_two_buffers = false;  ///< of a receive buffer, so much is used
    std::uint32_t pool_extra = 0;       ///< buffers of a receive queue's pool that the driver keeps
    bool keeps_buffers = false;         ///< a stopped port keeps its receive buffers
    bool separate_workers = false;      ///< generator and sink cannot be in one process
    bool invents_frames = false;        ///< receives what nobody sent: no sink
};

/// The keys of such a file.
[[nodiscard]] std::span<const KeySpec> driver_keys();

/// Parses one file, as strictly as a profile. Errors: profile.
[[nodiscard]] Results<DriverConfig> load_driver(std::string_view text, std::string_view file);

/// All `*.yaml` of a folder, by name. Errors: profile; environment where it cannot be read.
[[nodiscard]] Results<std::vector<DriverConfig>> load_drivers(const std::filesystem::path& folder);

}  // namespace gensink::profile
