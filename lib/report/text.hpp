// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <cstddef>
#include <string>

namespace gensink::report {

struct TextOptions {
    std::size_t width = 100;  ///< columns; tables fold, nothing is left out
    bool colour = false;      ///< bold and colour by ANSI sequences
    bool all_cores = false;   ///< cost by core and cause, however many rows that takes
};

/// "10.00 Gbit/s, full duplex, flow control off"; empty where nothing is known.
[[nodiscard]] std::string describe_link(const trial::LinkReport& link);

/// The result as a person reads it: verdict first, then rates, costs, ledger, warnings.
[[nodiscard]] std::string text(const Saved& saved, const TextOptions& options = {});

}  // namespace gensink::report
