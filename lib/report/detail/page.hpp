// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/selection.hpp"
#include "report/detail/table.hpp"
#include "report/saved.hpp"
#include "report/text.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gensink::report::detail {

/// What a section says, in order, for renderings other than text.
struct Section {
    std::string title;  ///< empty: what stands before the first title
    std::vector<std::variant<std::string, Table>> parts;
};

/// A result while it is put together; each section appends itself, or nothing.
struct Page {
    const Saved& saved;
    const TextOptions& options;
    std::vector<Sample> samples;
    std::vector<std::string> keys;  ///< swept
    std::string out;
    std::vector<Section>* sections = nullptr;  ///< takes all in place of `out`

    void line(std::string_view text = {});

    /// A section's title after an empty line.
    void title(std::string_view text);

    void table(const Table& table);

    /// Wrapped to the width, every line after the first indented by four columns.
    void paragraph(std::string_view text, std::string_view indent = "    ");

  private:
    void put(std::variant<std::string, Table> part) const;
};

/// "in-process cable: not a NIC result; SHARED CORES; ..."
[[nodiscard]] std::string marks_of(const Saved& saved);
/// The headline, led by the verdict's word unless it says it itself.
[[nodiscard]] std::string headline_of(const experiment::ExperimentResult& result);

void add_wires(Page& page);
/// Comparisons, rates, costs, ..., reasons, warnings.
void add_sections(Page& page);
/// Host, versions, profile.
void add_foot(Page& page);

/// Titles of the columns arm, then one a swept key.
[[nodiscard]] std::vector<std::string> key_titles(const Page& page);
/// Their values for one cell.
[[nodiscard]] std::vector<CellText> key_values(const Page& page, const CellSummary& cell);

[[nodiscard]] Style style_of(experiment::Verdict verdict);

/// A value of a metric with its unit where that has a prefix; others carry it in the title.
[[nodiscard]] std::string value_text(std::string_view metric, std::optional<double> value);
/// "ticks, less is better", or nothing for an unknown metric.
[[nodiscard]] std::string unit_text(std::string_view metric);

/// Kinds of load that have tables of their own, in order.
inline constexpr std::array shown_kinds{
    trial::LoadKind::as_planned, trial::LoadKind::max, trial::LoadKind::cost};

/// Rates are read at load max and costs at equal load, where there are trials of both.
[[nodiscard]] bool shows_rates(const Page& page, trial::LoadKind kind);
[[nodiscard]] bool shows_costs(const Page& page, trial::LoadKind kind);
/// "load max", "equal intended load", ...
[[nodiscard]] std::string load_text(trial::LoadKind kind);

/// Every cell runs in virtual time: there is no host, core or clock to speak of.
[[nodiscard]] bool is_virtual(const Page& page);

/// What cores cost is what the profile is about: it names costs of both ends, or of all CPUs.
[[nodiscard]] bool asks_for_cores(const Page& page);

void add_comparisons(Page& page);
void add_predictions(Page& page);
void add_transfers(Page& page);
void add_cells(Page& page);
void add_rates(Page& page);
void add_costs(Page& page);
void add_cores(Page& page);
/// The kernel's account of the cores' CPUs, and hardware counters.
void add_cpus(Page& page, trial::LoadKind kind);
void add_payload(Page& page);
void add_fits(Page& page);
void add_knees(Page& page);
void add_searches(Page& page);
void add_expectations(Page& page);
void add_ledger(Page& page);
void add_reasons(Page& page);
void add_warnings(Page& page);

}  // namespace gensink::report::detail
