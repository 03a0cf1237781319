// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "trial/result.hpp"

namespace gensink::trial::detail {

/// Why a trial ended, from the error of a datapath's call.
[[nodiscard]] Reason to_reason(const Error& error);

}  // namespace gensink::trial::detail
