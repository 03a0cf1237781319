// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gensink::host::detail {

namespace {

constexpr std::array<std::string_view, 3> user_space_drivers{
    "vfio-pci", "uio_pci_generic", "igb_uio"};
/// DPDK shares the device with these; it stays bound to the kernel (DPDK 22.11 NIC guides).
constexpr std::array<std::string_view, 4> shared_drivers{"mlx4_core", "mlx5_core", "mana", "ionic"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// It chooses vfio-pci or uio_pci_generic itself, and refuses a NIC that the host needs.
std::string bind_command(const plan::Nic& nic) {
    return "sudo tools/bind " + nic.pci;
}

/// Whether the experiment drives this device by its PCI address.
bool is_wanted(const Patient& patient, const plan::Nic& nic) {
    return std::any_of(
        patient.need.devices.begin(),
        patient.need.devices.end(),
        [&](const std::string& device) {
            return !nic.pci.empty() && parse_device(device).pci == nic.pci;
        }
    );
}

Check binding(const Patient& patient, const plan::Nic& nic) {
    const std::string label = "NIC " + nic.pci;
    const bool wanted = is_wanted(patient, nic);
    if (contains(user_space_drivers, nic.driver)) {
        return {label, CheckStatus::ok, nic.driver + ": ready for DPDK", ""};
    }
    if (contains(shared_drivers, nic.driver)) {
        return {label, CheckStatus::ok, nic.driver + ": DPDK shares it with the kernel", ""};
    }
    const std::string holder =
        nic.driver.empty() ? "no driver" : fmt::format("kernel driver {}", nic.driver);
    const std::string shown = nic.interface.empty() ? holder : holder + " as " + nic.interface;
    if (patient.probes.default_route.contains(nic.interface)) {
        return {
            label,
            wanted ? CheckStatus::fail : CheckStatus::ok,
            shown + ", carries the default route: never bind it to a DPDK driver",
            wanted ? "name another port in the profile or with --ports" : ""};
    }
    const CheckStatus status = wanted ? CheckStatus::fail : CheckStatus::warn;
    std::string command = bind_command(nic);
    if (patient.probes.routed.contains(nic.interface)) {
        return {
            label,
            status,
            fmt::format("{}, carries routes: bind it only if nothing needs them", shown),
            std::move(command)};
    }
    const char* const other = nic.interface.empty() ? "" : " (af_packet can use it as it is)";
    return {
        label, status, fmt::format("{}: not ready for DPDK{}", shown, other), std::move(command)};
}

Check iommu(const Patient& patient) {
    if (patient.probes.iommu) {
        return {"IOMMU", CheckStatus::ok, "on: vfio-pci works", ""};
    }
    if (!patient.probes.hypervisor.empty()) {
        return {
            "IOMMU",
            CheckStatus::warn,
            "none in this guest: vfio-pci does not work, uio_pci_generic does (as root)",
            "sudo modprobe uio_pci_generic"};
    }
    return {
        "IOMMU",
        CheckStatus::warn,
        "off: vfio-pci does not work, uio_pci_generic does (as root)",
        "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&intel_iommu=on iommu=pt /' /etc/default/grub && "
        "sudo update-grub && sudo reboot"};
}

Check link(const plan::Nic& nic, bool wanted) {
    const std::string label = "link " + (nic.interface.empty() ? nic.pci : nic.interface);
    const std::string speed =
        nic.speed_bps ? fmt::format(", {} Mbit/s", *nic.speed_bps / 1'000'000) : "";
    if (!nic.link_up) {
        return {label, CheckStatus::unknown, "only its driver in DPDK knows" + speed, ""};
    }
    if (*nic.link_up) {
        return {label, CheckStatus::ok, "up" + speed, ""};
    }
    return {
        label,
        wanted ? CheckStatus::fail : CheckStatus::warn,
        "down: set down, no cable, or the peer is down",
        fmt::format("sudo ip link set {} up", nic.interface)};
}

void check_wanted(const Patient& patient, std::vector<Check>& checks) {
    for (const std::string& device : patient.need.devices) {
        const DeviceName name = parse_device(device);
        const auto& nics = patient.topology.nics;
        const auto it = std::find_if(nics.begin(), nics.end(), [&](const plan::Nic& nic) {
            return (!name.pci.empty() && nic.pci == name.pci) ||
                   (!name.interface.empty() && nic.interface == name.interface);
        });
        // A tap makes its interface; one in another namespace cannot be seen from here.
        const bool made = name.driver == "net_tap" || name.driver == "net_memif";
        if (it != nics.end() && !made) {
            checks.push_back(link(*it, true));
        } else if (!name.pci.empty()) {
            checks.push_back(
                {"NIC " + name.pci, CheckStatus::fail, "no such network function", "lspci -D"}
            );
        } else if (!name.interface.empty() && !made && !patient.need.netns) {
            checks.push_back(
                {"link " + name.interface, CheckStatus::fail, "no such interface", "ip link"}
            );
        }
    }
}

}  // namespace

DeviceName parse_device(const std::string& device) {
    DeviceName name;
    const std::string first = device.substr(0, device.find(','));
    if (std::count(first.begin(), first.end(), ':') == 2) {
        name.pci = first;
        return name;
    }
    name.driver = first.substr(0, first.find_last_not_of("0123456789") + 1);
    const std::size_t argument = device.find(",iface=");
    if (argument != std::string::npos) {
        const std::size_t start = argument + std::string_view(",iface=").size();
        name.interface = device.substr(start, device.find(',', start) - start);
    }
    return name;
}

void check_nics(const Patient& patient, std::vector<Check>& checks) {
    bool any = false;
    std::string last;
    for (const plan::Nic& nic : patient.topology.nics) {
        if (!nic.pci.empty() && nic.pci != last) {
            checks.push_back(binding(patient, nic));
            last = nic.pci;
            any = true;
        }
    }
    if (any) {
        checks.push_back(iommu(patient));
    } else {
        checks.push_back({"NICs", CheckStatus::ok, "no PCI network function; the cable works", ""});
    }
    check_wanted(patient, checks);
}

}  // namespace gensink::host::detail
