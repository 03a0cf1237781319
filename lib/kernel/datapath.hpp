// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <memory>

namespace gensink::kernel {

/// A datapath over the kernel's sockets, in the network namespace of the calling process.
[[nodiscard]] std::unique_ptr<trial::Datapath> make_datapath(const plan::Environment& environment);

}  // namespace gensink::kernel
