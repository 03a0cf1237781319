// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/device.hpp"

#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace gensink::plan::detail {

namespace {

using profile::DriverConfig;

bool is_pci(std::string_view device) {
    return !device.empty() && std::isxdigit(static_cast<unsigned char>(device.front())) != 0 &&
           device.find(':') != std::string_view::npos && !device.starts_with("net_");
}

/// "01:00.0" is short for "0000:01:00.0".
std::string full_pci(std::string_view device) {
    const std::string_view address = device.substr(0, device.find(','));
    const bool has_domain = std::ranges::count(address, ':') > 1;
    return has_domain ? std::string(address) : fmt::format("0000:{}", address);
}

const DriverConfig* by_name(std::span<const DriverConfig> drivers, std::string_view name) {
    const auto at = std::ranges::find_if(drivers, [&](const DriverConfig& config) {
        return config.driver == name;
    });
    return at == drivers.end() ? nullptr : &*at;
}

/// The entry with the longest prefix of the device's name.
const DriverConfig* by_device(std::span<const DriverConfig> drivers, std::string_view device) {
    const DriverConfig* best = nullptr;
    std::size_t longest = 0;
    for (const DriverConfig& config : drivers) {
        for (const std::string& prefix : config.devices) {
            if (device.starts_with(prefix) && prefix.size() > longest) {
                longest = prefix.size();
                best = &config;
            }
        }
    }
    return best;
}

const DriverConfig* by_pci(std::span<const DriverConfig> drivers, const Nic& nic) {
    const std::string id = fmt::format("{:04x}:{:04x}", nic.vendor, nic.device);
    const auto at = std::ranges::find_if(drivers, [&](const DriverConfig& config) {
        return std::ranges::find(config.pci, id) != config.pci.end();
    });
    return at == drivers.end() ? nullptr : &*at;
}

std::string known_devices(const Topology& topology) {
    std::string text;
    for (const Nic& nic : topology.nics) {
        const std::string& name = nic.pci.empty() ? nic.interface : nic.pci;
        text += text.empty() ? "; this host has " : ", ";
        text += name;
    }
    return text;
}

/// True where one of the ends' own drivers makes the kernel interface: it need not be there yet.
bool made_by_an_end(
    std::string_view interface,
    const profile::Settings& settings,
    std::span<const DriverConfig> drivers
) {
    const auto makes_it = [&](const std::optional<std::string>& device) {
        const DriverConfig* config = device ? by_device(drivers, *device) : nullptr;
        return config != nullptr && !config->arguments.new_interface.empty() &&
               argument(*device, config->arguments.new_interface) == interface;
    };
    return makes_it(settings.find<std::string>("wire.gen")) ||
           makes_it(settings.find<std::string>("wire.sink"));
}

const Nic* find(const Topology& topology, std::string Nic::*field, const std::string& value) {
    const auto at =
        std::ranges::find_if(topology.nics, [&](const Nic& nic) { return nic.*field == value; });
    return at == topology.nics.end() ? nullptr : &*at;
}

/// One end's keys, and what they say.
struct Written {
    std::string_view device_key;
    std::string_view driver_key;
    std::optional<std::string> device;
    std::optional<std::string> driver;
};

Written read_side(Side side, const profile::Settings& settings) {
    if (side == Side::gen) {
        return {
            "wire.gen",
            "wire.gen_driver",
            settings.find<std::string>("wire.gen"),
            settings.find<std::string>("wire.gen_driver")};
    }
    return {
        "wire.sink",
        "wire.sink_driver",
        settings.find<std::string>("wire.sink"),
        settings.find<std::string>("wire.sink_driver")};
}

/// The kernel's view of a PCI device, or an error where there is none.
const Nic* find_pci(
    const Device& device, const Topology& topology, const std::string& where, Problems& problems
) {
    const std::string pci = full_pci(device.name);
    const Nic* nic = find(topology, &Nic::pci, pci);
    if (nic == nullptr) {
        problems.add(
            where, fmt::format("no network device at PCI {}{}", pci, known_devices(topology))
        );
    }
    return nic;
}

/// A device that sits on a kernel interface, and does not name it. "ifcae=" was meant, perhaps.
void check_arguments(const Device& device, const std::string& where, Problems& problems) {
    const std::string& key = device.config->arguments.interface;
    if (key.empty() || argument(device.name, key)) {
        return;
    }
    const std::string name = device.name.substr(0, device.name.find(','));
    std::string message =
        fmt::format("needs {0}=, a kernel interface, as in {1},{0}=eth1", key, name);
    for (std::string_view rest = device.name; rest.find(',') != std::string_view::npos;) {
        rest.remove_prefix(rest.find(',') + 1);
        const std::string_view written = rest.substr(0, rest.find_first_of("=,"));
        const std::array<std::string_view, 1> meant{key};
        if (profile::nearest(written, meant)) {
            message += fmt::format("; `{}` is none of its arguments", written);
        }
    }
    problems.add(where, message);
}

/// The kernel's interface that a device is opened on, or an error where it should be there and is
/// not.
const Nic* find_interface(
    const Device& device,
    const profile::Settings& settings,
    const Topology& topology,
    std::span<const DriverConfig> drivers,
    Problems& problems
) {
    const std::string key =
        settings.find<std::string>("wire.gen") == device.name ? "wire.gen" : "wire.sink";
    if (device.config != nullptr) {
        check_arguments(device, settings.where(key), problems);
    }
    // Another namespace's interfaces are not shown here.
    const bool shown = device.config != nullptr && device.netns.empty();
    const auto interface =
        shown ? argument(device.name, device.config->arguments.interface) : std::nullopt;
    if (!interface || made_by_an_end(*interface, settings, drivers)) {
        return nullptr;
    }
    const Nic* nic = find(topology, &Nic::interface, *interface);
    if (nic == nullptr) {
        problems.add(
            settings.where(key),
            fmt::format(
                "no interface `{}` in this namespace{}", *interface, known_devices(topology)
            )
        );
    }
    return nic;
}

/// The entry that the profile asks for by name; null after an error.
const DriverConfig* find_wanted(
    const Written& written,
    const profile::Settings& settings,
    std::span<const DriverConfig> drivers,
    Problems& problems
) {
    const DriverConfig* config = by_name(drivers, *written.driver);
    if (config == nullptr) {
        std::vector<std::string_view> names;
        for (const DriverConfig& other : drivers) {
            names.emplace_back(other.driver);
        }
        problems.add(
            settings.where(written.driver_key),
            fmt::format(
                "no `{}` in drivers-config; it has {}", *written.driver, profile::join_words(names)
            )
        );
    }
    return config;
}

/// RTE_DEV_NAME_MAX_LEN, less the final 0 (DPDK 22.11 rte_dev.h).
constexpr std::size_t longest_name = 63;

/// What no device of DPDK is called.
void check_name(
    const Device& device,
    Side side,
    const Topology& topology,
    const std::string& where,
    Problems& problems
) {
    const std::string name = device.name.substr(0, device.name.find(','));
    if (name.size() > longest_name) {
        problems.add(
            where,
            fmt::format(
                "a device's name of {} characters; DPDK's have at most {}",
                name.size(),
                longest_name
            )
        );
    }
    const bool plain = std::ranges::all_of(name, [](char c) {
        return static_cast<unsigned char>(c) > ' ' && c != 0x7f;
    });
    if (!plain) {
        problems.add(where, "a device's name holds no spaces and no control characters");
    }
    // Another namespace's interfaces are not shown here.
    if (device.netns.empty() && find(topology, &Nic::interface, name) != nullptr) {
        problems.add(
            where,
            fmt::format(
                "`{0}` is a kernel interface, which is opened as net_af_packet{1},iface={0}",
                name,
                side == Side::gen ? 0 : 1
            )
        );
    }
}

}  // namespace

Device find_device(
    Side side,
    std::string netns,
    const profile::Settings& settings,
    const Topology& topology,
    std::span<const DriverConfig> drivers,
    Problems& problems
) {
    const Written written = read_side(side, settings);
    Device device;
    if (settings.get<std::string>("wire.kind") == "cable") {
        device.config = by_device(drivers, "net_ring");
    } else {
        device.name = written.device.value_or("");
        device.netns = std::move(netns);
        check_name(device, side, topology, settings.where(written.device_key), problems);
        device.config = by_device(drivers, device.name);
        if (is_pci(device.name)) {
            device.nic = find_pci(device, topology, settings.where(written.device_key), problems);
            device.config = device.nic == nullptr ? nullptr : by_pci(drivers, *device.nic);
        } else {
            device.nic = find_interface(device, settings, topology, drivers, problems);
        }
    }
    if (written.driver) {
        device.config = find_wanted(written, settings, drivers, problems);
        return device;
    }
    if (device.config == nullptr) {
        device.config = by_name(drivers, "default");
    }
    if (device.config == nullptr) {
        problems.add(
            settings.where(written.device_key),
            "drivers-config has no entry for it, and no `default`"
        );
    }
    return device;
}

}  // namespace gensink::plan::detail
