// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/device.hpp"

#include "profile/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

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

/// The kernel's view of the device, or an error where it should be there and is not.
const Nic* find_nic(
    const Device& device, const Topology& topology, const std::string& where, Problems& problems
) {
    const auto find = [&](std::string Nic::*field, const std::string& value) -> const Nic* {
        const auto at = std::ranges::find_if(topology.nics, [&](const Nic& nic) {
            return nic.*field == value;
        });
        return at == topology.nics.end() ? nullptr : &*at;
    };
    if (is_pci(device.name)) {
        const std::string pci = full_pci(device.name);
        const Nic* nic = find(&Nic::pci, pci);
        if (nic == nullptr) {
            problems.add(
                where, fmt::format("no network device at PCI {}{}", pci, known_devices(topology))
            );
        }
        return nic;
    }
    // Another namespace's interfaces are not shown here.
    const bool checked = device.config != nullptr && device.netns.empty();
    const auto interface =
        checked ? argument(device.name, device.config->arguments.interface) : std::nullopt;
    if (!interface) {
        return nullptr;
    }
    const Nic* nic = find(&Nic::interface, *interface);
    if (nic == nullptr) {
        problems.add(
            where,
            fmt::format(
                "no interface `{}` in this namespace{}", *interface, known_devices(topology)
            )
        );
    }
    return nic;
}

/// True where an end's net_tap makes the kernel interface that the device sits on: it is not there
/// before the run.
bool made_by_a_tap(std::string_view device, const profile::Settings& settings) {
    const auto interface = argument(device, "iface");
    const auto makes_it = [&](const std::optional<std::string>& other) {
        return other && other->starts_with("net_tap") && argument(*other, "iface") == interface;
    };
    return interface && (makes_it(settings.find<std::string>("wire.gen")) ||
                         makes_it(settings.find<std::string>("wire.sink")));
}

Trust trust_of(const std::string& text) {
    return text == "exact" ? Trust::exact : text == "absent" ? Trust::absent : Trust::approximate;
}

/// True if the device's arguments already hold one that the text would add.
bool has_any_of(std::string_view device, std::string_view text) {
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view pair = text.substr(0, comma);
        if (argument(device, pair.substr(0, pair.find('=')))) {
            return true;
        }
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return false;
}

}  // namespace

std::optional<std::string> argument(std::string_view device, std::string_view key) {
    std::size_t comma = device.find(',');
    while (comma != std::string_view::npos) {
        device.remove_prefix(comma + 1);
        comma = device.find(',');
        const std::string_view pair = device.substr(0, comma);
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos && pair.substr(0, equals) == key) {
            return std::string(pair.substr(equals + 1));
        }
    }
    return std::nullopt;
}

Device find_device(
    Side side,
    const profile::Settings& settings,
    const Topology& topology,
    std::span<const DriverConfig> drivers,
    Problems& problems
) {
    const bool gen = side == Side::gen;
    const std::string_view key = gen ? "wire.gen" : "wire.sink";
    const std::string_view driver_key = gen ? "wire.gen_driver" : "wire.sink_driver";
    Device device;
    const bool cable = settings.get<std::string>("wire.kind") == "cable";
    if (cable) {
        device.config = by_device(drivers, "net_ring");
    } else {
        device.name =
            (gen ? settings.find<std::string>("wire.gen") : settings.find<std::string>("wire.sink"))
                .value_or("");
        device.netns = (gen ? settings.find<std::string>("wire.gen_netns")
                            : settings.find<std::string>("wire.sink_netns"))
                           .value_or("");
        device.config = by_device(drivers, device.name);
        if (!made_by_a_tap(device.name, settings)) {
            device.nic = find_nic(device, topology, settings.where(key), problems);
        }
        if (device.config == nullptr && device.nic != nullptr && is_pci(device.name)) {
            device.config = by_pci(drivers, *device.nic);
        }
    }
    if (const auto wanted = gen ? settings.find<std::string>("wire.gen_driver")
                                : settings.find<std::string>("wire.sink_driver")) {
        device.config = by_name(drivers, *wanted);
        if (device.config == nullptr) {
            std::vector<std::string_view> names;
            for (const DriverConfig& config : drivers) {
                names.emplace_back(config.driver);
            }
            problems.add(
                settings.where(driver_key),
                fmt::format(
                    "no `{}` in drivers-config; it has {}", *wanted, profile::join_words(names)
                )
            );
            return device;
        }
    }
    if (device.config == nullptr) {
        device.config = by_name(drivers, "default");
    }
    if (device.config == nullptr) {
        problems.add(settings.where(key), "drivers-config has no entry for it, and no `default`");
    }
    return device;
}

DriverFacts facts_of(const DriverConfig& config) {
    DriverFacts facts;
    facts.name = config.driver;
    facts.tx_frames = trust_of(config.tx_frames);
    facts.rx_frames = trust_of(config.rx_frames);
    facts.rx_missed = trust_of(config.rx_missed);
    facts.tx_errors = trust_of(config.tx_errors);
    facts.doorbell = config.doorbell;
    facts.loses_refused = config.loses_refused;
    facts.small_buffers = config.small_buffers;
    facts.system_calls = config.system_calls;
    facts.settle = config.settle;
    facts.line_bps = config.line_bps;
    facts.limits.max_frame_bytes = config.largest_frame_bytes;
    facts.limits.max_queues = config.max_queues;
    facts.limits.min_descriptors = config.min_descriptors;
    facts.limits.max_descriptors = config.max_descriptors;
    return facts;
}

std::string complete_device(const Device& device, Side side, const ArgumentFacts& facts) {
    const DriverConfig::Arguments& known = device.config->arguments;
    std::string name = device.name;
    const auto add = [&](const std::string& key, std::uint64_t value) {
        if (!key.empty() && !argument(name, key)) {
            name += fmt::format(",{}={}", key, value);
        }
    };
    std::string pair = side == Side::gen ? known.gen : known.sink;
    if (!pair.empty() && !has_any_of(name, pair)) {
        if (const std::size_t at = pair.find("{socket}"); at != std::string::npos) {
            pair.replace(at, std::string_view("{socket}").size(), facts.socket);
        }
        name += "," + pair;
    }
    if (facts.queues > 1) {
        add(known.queues, facts.queues);
    }
    if (facts.ring) {
        add(known.ring, *facts.ring);
        add(known.ring_log2, static_cast<std::uint64_t>(std::bit_width(*facts.ring) - 1));
    }
    if (!known.buffer.empty() && facts.frame_bytes > known.buffer_bytes) {
        add(known.buffer, (facts.frame_bytes + 63) / 64 * 64);
    }
    return name;
}

}  // namespace gensink::plan::detail
