// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"
#include "report/text.hpp"
#include "stats/interval.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Many results of one profile over time, and where a metric moved to another level.
namespace gensink::report {

struct HistoryOptions {
    std::string profile;  ///< its name; empty: all
    std::string metric;   ///< empty: the first of each result
    double margin_ratio = 0.02;
    double confidence = 0.99;  ///< of the changes of one cell together
};

/// One result in the history of a cell.
struct HistoryEntry {
    std::string started;
    std::string path;
    std::string version;                                     ///< gensink's
    std::vector<std::pair<std::string, std::string>> facts;  ///< host, versions, profile
    std::size_t trials = 0;
    std::optional<double> mean;
    std::optional<stats::Interval> interval;  ///< of the mean over its trials
    std::string refusal;                      ///< why it has no say: INVALID, no trial, no value
    std::optional<stats::Change> change;      ///< a new level begins here
};

/// A metric in one cell over time.
struct HistorySeries {
    std::string profile;
    std::string metric;
    std::string arm;
    std::vector<std::pair<std::string, std::string>> point;
    trial::LoadKind load_kind{};
    std::vector<HistoryEntry> entries;  ///< oldest first
};

/// Takes results one at a time, as all of them may not fit in memory.
class History {
  public:
    explicit History(HistoryOptions options) : options_(std::move(options)) {}

    /// Adds what a result says; placebos and other profiles are left out. `path` is shown.
    void add(const Saved& saved, const std::string& path);

    /// Sorts by time, marks changes, and gives all series in the order in which they came.
    /// A result's mean counts as one value, as its trials share its circumstances.
    [[nodiscard]] std::vector<HistorySeries> finish() &&;

  private:
    HistorySeries& series_of(const HistorySeries& like);

    HistoryOptions options_;
    std::vector<HistorySeries> series_;
};

/// The history as a person reads it; changes first.
[[nodiscard]] std::string history_text(
    const std::vector<HistorySeries>& series, const HistoryOptions& options, const TextOptions& text
);

}  // namespace gensink::report
