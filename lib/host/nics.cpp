// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/nics.hpp"

#include "host/detail/text.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>

namespace gensink::host::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t network_class = 0x02;  // PCI base class, bits 16-23 of the class code

/// "0000:01:00.0": domain, bus, device and function in hexadecimal.
bool is_pci_address(const std::string& name) {
    return name.size() >= 12 && std::count(name.begin(), name.end(), ':') == 2 &&
           name[name.size() - 2] == '.' &&
           name.find_first_not_of("0123456789abcdef:.") == std::string::npos;
}

/// PCI function that an interface belongs to; virtio puts a bus of its own in between.
std::string pci_of(const fs::path& interface) {
    std::error_code error;
    std::string found;
    const fs::path device = fs::canonical(interface / "device", error);
    if (!error) {
        for (const fs::path& part : device) {
            if (is_pci_address(part.string())) {
                found = part.string();
            }
        }
    }
    return found;
}

/// Carrier cannot be read while an interface is set down; operstate says so.
std::optional<bool> link_of(const fs::path& interface) {
    if (const auto carrier = read_number(interface / "carrier")) {
        return *carrier != 0;
    }
    if (read_text(interface / "operstate") == "down") {
        return false;
    }
    return std::nullopt;
}

plan::Nic read_interface(const fs::path& interface) {
    plan::Nic nic;
    nic.interface = interface.filename().string();
    nic.pci = pci_of(interface);
    nic.driver = link_name(interface / "device" / "driver");
    const auto mbps = read_signed(interface / "speed");
    if (mbps && *mbps > 0) {
        nic.speed_bps = static_cast<std::uint64_t>(*mbps) * 1'000'000;
    }
    nic.link_up = link_of(interface);
    return nic;
}

void add_pci_facts(const fs::path& function, plan::Nic& nic) {
    nic.pci = function.filename().string();
    nic.driver = link_name(function / "driver");
    nic.vendor = static_cast<std::uint16_t>(read_number(function / "vendor").value_or(0));
    nic.device = static_cast<std::uint16_t>(read_number(function / "device").value_or(0));
    const auto node = read_signed(function / "numa_node");
    if (node && *node >= 0) {
        nic.socket = SocketId{static_cast<int>(*node)};
    }
}

}  // namespace

std::vector<plan::Nic> read_nics(const fs::path& root) {
    std::multimap<std::string, plan::Nic> by_pci;
    std::vector<plan::Nic> plain;
    for (const fs::path& interface : entries(root / "sys/class/net")) {
        std::error_code error;
        if (!fs::is_directory(interface, error)) {  // bonding_masters is a file
            continue;
        }
        plan::Nic nic = read_interface(interface);
        if (nic.pci.empty()) {
            plain.push_back(std::move(nic));
        } else {
            by_pci.emplace(nic.pci, std::move(nic));
        }
    }
    std::vector<plan::Nic> nics;
    for (const fs::path& function : entries(root / "sys/bus/pci/devices")) {
        if (read_number(function / "class").value_or(0) >> 16 != network_class) {
            continue;
        }
        const auto [first, last] = by_pci.equal_range(function.filename().string());
        for (auto it = first; it != last; ++it) {
            add_pci_facts(function, it->second);
            nics.push_back(it->second);
        }
        if (first == last) {
            add_pci_facts(function, nics.emplace_back());
        }
    }
    nics.insert(nics.end(), plain.begin(), plain.end());
    return nics;
}

}  // namespace gensink::host::detail
