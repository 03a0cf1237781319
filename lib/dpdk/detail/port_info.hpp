// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"

#include <rte_ethdev.h>

namespace gensink::dpdk::detail {

/// What the driver tells of a port; zeros where it tells nothing.
[[nodiscard]] rte_eth_dev_info info_of(PortId id);

}  // namespace gensink::dpdk::detail
