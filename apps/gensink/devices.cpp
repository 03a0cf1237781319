// SPDX-License-Identifier: BSD-3-Clause
#include "host/data_dir.hpp"
#include "host/topology.hpp"
#include "profile/driver_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.hpp"
#include "probe.hpp"

namespace gensink::app {
namespace {

using Drivers = std::vector<profile::DriverConfig>;

/// The drivers-config entry for a PCI id, or "default".
std::string entry_for(const Drivers& drivers, const plan::Nic& nic) {
    const std::string id = fmt::format("{:04x}:{:04x}", nic.vendor, nic.device);
    for (const profile::DriverConfig& d : drivers) {
        if (std::find(d.pci.begin(), d.pci.end(), id) != d.pci.end()) {
            return d.driver;
        }
    }
    return nic.pci.empty() ? "af_packet" : "default";
}

std::string speed(const plan::Nic& nic) {
    return nic.speed_bps ? fmt::format("{:g} Gbit/s", static_cast<double>(*nic.speed_bps) / 1e9)
                         : "-";
}

std::string link(const plan::Nic& nic) {
    return !nic.link_up ? "-" : *nic.link_up ? "up" : "down";
}

void list_nics(const plan::Topology& topology, const Drivers& drivers) {
    fmt::print("Network devices of this host\n");
    constexpr auto row = "  {:<14} {:<12} {:<14} {:<10} {:<5} {:<12} {:<5} {}\n";
    fmt::print(
        fmt::runtime(row),
        "pci",
        "interface",
        "kernel driver",
        "id",
        "numa",
        "speed",
        "link",
        "drivers-config"
    );
    const auto or_dash = [](const std::string& text) {
        return text.empty() ? std::string("-") : text;
    };
    for (const plan::Nic& nic : topology.nics) {
        fmt::print(
            fmt::runtime(row),
            or_dash(nic.pci),
            or_dash(nic.interface),
            or_dash(nic.driver),
            nic.pci.empty() ? "-" : fmt::format("{:04x}:{:04x}", nic.vendor, nic.device),
            nic.socket ? std::to_string(nic.socket->value) : "-",
            speed(nic),
            link(nic),
            entry_for(drivers, nic)
        );
    }
    if (topology.nics.empty()) {
        fmt::print("  none\n");
    }
}

void list_drivers(const Drivers& drivers) {
    fmt::print("\nDriver classes that gensink knows (drivers-config)\n");
    for (const profile::DriverConfig& d : drivers) {
        fmt::print(
            "  {:<10} largest frame {:>5} B, queues {:>2}: {}\n",
            d.driver,
            d.largest_frame_bytes,
            d.max_queues,
            d.summary
        );
    }
    fmt::print("\nAny DPDK device can be named: `gensink devices net_null0` or `gensink devices "
               "0000:01:00.0` opens it and "
               "shows its limits.\n");
}

Status devices(const std::vector<std::string>& names) {
    if (!names.empty()) {
        return probe_in_child(names);
    }
    const auto topology = host::topology();
    if (!topology) {
        return report_errors({{topology.error()}});
    }
    const auto folder = host::data_dir("drivers-config");
    if (!folder) {
        return report_errors({{folder.error()}});
    }
    const auto drivers = profile::load_drivers(*folder);
    if (!drivers) {
        return report_errors(drivers.error());
    }
    list_nics(*topology, *drivers);
    list_drivers(*drivers);
    return Status::ok;
}

}  // namespace

void add_devices(Command root, Status& status) {
    auto names = std::make_shared<std::vector<std::string>>();
    Command command = root.add_command("devices", "ports of this host, their drivers and limits");
    command.add_option("DEVICE", *names, "DPDK devices to open and look at");
    command.callback([names, &status] { status = devices(*names); });
}

}  // namespace gensink::app
