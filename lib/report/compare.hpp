// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "report/published.hpp"
#include "report/saved.hpp"
#include "report/text.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Two saved results side by side. Their trials share no round, so intervals are Welch's.
namespace gensink::report {

/// A setting or a fact of the host that is not the same in both.
struct Difference {
    std::string what;  ///< "tx.burst", "host CPU"
    std::string a;
    std::string b;
};

/// The profile's keys that differ between a cell of A and one of B, by index into plan.cells of
/// each; absent where a profile cannot be read any more.
using KeyDifferences =
    std::function<std::optional<std::vector<Difference>>(std::size_t a, std::size_t b)>;

struct CompareOptions {
    double margin_ratio = 0.02;
    double confidence = 0.99;  ///< of all intervals of a metric together
    bool force = false;        ///< compare although more than one setting differs
    KeyDifferences keys{};     ///< empty: settings are told by what the results say of the cells
};

/// A metric of one cell, B over A: gains are signed so that > 0 means that B is better.
struct CellComparison {
    std::string metric;
    std::string arm;  ///< "one-by-one", or "plain / batched" where the names differ
    std::vector<std::pair<std::string, std::string>> point;
    bool placebo = false;  ///< leaves the verdict alone
    trial::LoadKind load_kind{};
    std::size_t trials_a = 0;
    std::size_t trials_b = 0;
    std::optional<double> mean_a;
    std::optional<double> mean_b;
    std::optional<double> gain_ratio;
    std::optional<experiment::Interval> interval;
    experiment::Verdict verdict = experiment::Verdict::inconclusive;
    std::string refusal;  ///< why there is no verdict
};

struct SavedComparison {
    std::vector<Difference> differences;
    std::vector<std::string> notes;
    std::vector<CellComparison> cells;  ///< metric-major; the first metric decides
    experiment::Verdict verdict = experiment::Verdict::inconclusive;
    std::string headline;
};

/// What differs between the cells that both results have, and between their hosts. A key that
/// differs stands for the facts that follow from it.
[[nodiscard]] std::vector<Difference>
differences(const Saved& a, const Saved& b, const KeyDifferences& keys = {});

/// Compares every metric of A (and of B) in every cell that both have; placebos are left out.
/// Errors: usage where no cell matches, or where more than one thing differs and `force` is not
/// set (the message names them); measurement where a result has no valid trial.
[[nodiscard]] Result<SavedComparison>
compare(const Saved& a, const Saved& b, const CompareOptions& options);

/// Compares two published tables in every cell that both have. Errors: usage where no cell matches
/// or the metrics are not the same, or unknown.
[[nodiscard]] Result<SavedComparison>
compare(const Published& a, const Published& b, const CompareOptions& options);

/// The comparison as a person reads it.
[[nodiscard]] std::string compare_text(
    const Saved& a,
    const Saved& b,
    const SavedComparison& comparison,
    const CompareOptions& options,
    const TextOptions& text
);
[[nodiscard]] std::string compare_text(
    const Published& a,
    const Published& b,
    const SavedComparison& comparison,
    const CompareOptions& options,
    const TextOptions& text
);

}  // namespace gensink::report
