// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>

/// The highest load within a loss bound (RFC 2544 section 26.1), as a pure function of a
/// measurement.
namespace gensink::experiment {

struct SearchBounds {
    double loss_ratio = 0.0;         ///< 0: not one frame (NDR); else PDR
    double resolution_ratio = 0.01;  ///< of the answer; also what offered may miss of intended
    unsigned repeats = 2;            ///< trials per probe, all must pass
};

/// What one trial at one load has shown.
struct Probe {
    double offered_fps = 0;
    std::optional<double> received_fps;  ///< absent without a sink
    double loss_ratio = 0;               ///< lost of offered; exactly 0 only for no loss
};

/// Tries a load, absent: max. Absent: no trial can be had, the search ends.
using Measure = std::function<std::optional<Probe>(std::optional<double> intended_fps)>;

struct Found {
    std::optional<double> max_offered_fps;
    std::optional<double> max_received_fps;
    std::optional<double> found_fps;  ///< highest offered load that every repeat carried, or none
    double low_fps = 0;               ///< bracket at the end: offered, and carried
    double high_fps = 0;              ///< bracket at the end: failed, or the maximum
    unsigned probes = 0;              ///< trials made
    bool complete = false;            ///< false: it ended early
};

/// Loss within the bound, and no frame unsent beyond the resolution: unsent frames count against a
/// load as lost ones do. At max nothing is intended, so nothing is unsent.
[[nodiscard]] bool
passes(const SearchBounds& bounds, std::optional<double> intended_fps, const Probe& probe);

/// Loads at max; where that passes, it is the answer. Else bisects between what is proven, at first
/// nothing, and what max offered. A load that was not offered in full, though nothing was lost, is
/// tried again; then what was offered is proven, and more is not to be had. Ends when the bracket
/// is within the resolution of its upper end, or the upper end within the resolution of the maximum
/// with nothing passed.
[[nodiscard]] Found ndr_search(const SearchBounds& bounds, const Measure& measure);

}  // namespace gensink::experiment
