// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "host/doctor.hpp"

#include <vector>

/// The parts of host::checks, each appending its lines.
namespace gensink::host::detail {

/// What every part looks at.
struct Patient {
    const plan::Topology& topology;
    const Probes& probes;
    const Need& need;
};

void check_processors(const Patient& patient, std::vector<Check>& checks);
void check_memory(const Patient& patient, std::vector<Check>& checks);
void check_nics(const Patient& patient, std::vector<Check>& checks);
void check_privileges(const Patient& patient, std::vector<Check>& checks);
void check_neighbours(const Patient& patient, std::vector<Check>& checks);

/// PCI address, kernel interface or name of an EAL device: "0000:01:00.0,arg=1" gives
/// "0000:01:00.0", "net_af_packet0,iface=v0" gives "v0", "net_null0" gives "".
struct DeviceName {
    std::string pci;
    std::string interface;
    std::string driver;  ///< of a virtual device, without its number: "net_af_packet"
};

[[nodiscard]] DeviceName parse_device(const std::string& device);

}  // namespace gensink::host::detail
