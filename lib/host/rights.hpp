// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "host/probes.hpp"

#include <string>

namespace gensink::host {

/// The right that an EAL device needs and this process lacks, with what grants it: "CAP_NET_RAW is
/// not held; run gensink with sudo". Empty: none is known to be lacking.
[[nodiscard]] std::string missing_right(const std::string& device, const Probes& probes);

}  // namespace gensink::host
