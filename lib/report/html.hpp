// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <string>

namespace gensink::report {

/// The result as one page that opens from disk: the verdict, charts, all tables of the text, host
/// and profile. It asks nothing of a network, and allows none (Content-Security-Policy); names in
/// it are text, never markup. Charts are drawn by uPlot, where the build had it.
[[nodiscard]] std::string html(const Saved& saved);

}  // namespace gensink::report
