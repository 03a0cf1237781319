// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <string>

namespace gensink::report {

/// One row a trial (calibration and probes too, as round 0), after a header, as RFC 4180 wants it:
/// CRLF, quotes where needed. Absent is an empty field. Columns: run_id, profile, arm, placebo, one
/// a swept key (under its full name), round, attempt, load_kind, complete, valid, reasons (codes,
/// with ';'), intended_fps, frame_bytes (mean, with FCS), measure_seconds, sink_measure_seconds;
/// the ledger: built ... residue, in frames; tx_<cause>_ticks and rx_<cause>_ticks of the measure
/// phase over all cores; then every metric under its own name.
[[nodiscard]] std::string csv(const Saved& saved);

}  // namespace gensink::report
