// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <map>

/// The section on costs by core and cause.
namespace gensink::report::detail {

namespace {

using trial::LoadKind;

/// Ticks by cause and frames of one core, summed over a sample's trials.
struct CoreSum {
    unsigned cpu = 0;
    std::vector<std::uint64_t> ticks;
    std::uint64_t frames = 0;
};

template <class Core, class Frames>
void sum_cores(const std::vector<Core>& cores, Frames frames, std::map<unsigned, CoreSum>& sums) {
    for (const Core& core : cores) {
        CoreSum& sum = sums[core.lcore.value];
        sum.cpu = core.thread.cpu.value;
        sum.ticks.resize(core.measured.cause_ticks.size());
        for (std::size_t cause = 0; cause < sum.ticks.size(); ++cause) {
            sum.ticks[cause] += core.measured.cause_ticks.at(cause);
        }
        sum.frames += frames(core.measured);
    }
}

[[nodiscard]] std::map<unsigned, CoreSum> core_sums(const Sample& sample, bool gen) {
    std::map<unsigned, CoreSum> sums;
    for (const trial::TrialResult* one : sample.trials) {
        if (gen) {
            sum_cores(
                one->counts.gen, [](const auto& counts) { return counts.frames_accepted; }, sums
            );
        } else {
            sum_cores(
                one->counts.sink, [](const auto& counts) { return counts.frames; }, sums
            );
        }
    }
    return sums;
}

void add_core_row(
    const Page& page, const Sample& sample, unsigned lcore, const CoreSum& sum, Table& table
) {
    std::uint64_t all = 0;
    for (const std::uint64_t ticks : sum.ticks) {
        all += ticks;
    }
    std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(sample.cell));
    const bool real = page.saved.plan.cells.at(sample.cell).wire != plan::WireKind::model;
    row.emplace_back(real ? fmt::format("{} (cpu {})", lcore, sum.cpu) : std::to_string(lcore));
    for (const std::uint64_t ticks : sum.ticks) {
        row.emplace_back(percent(
            all > 0 ? std::optional(static_cast<double>(ticks) / static_cast<double>(all))
                    : std::nullopt
        ));
    }
    const auto per_frame = [&](std::uint64_t ticks) -> std::optional<double> {
        return sum.frames > 0
                   ? std::optional(static_cast<double>(ticks) / static_cast<double>(sum.frames))
                   : std::nullopt;
    };
    row.emplace_back(number(per_frame(sum.ticks.empty() ? 0 : sum.ticks.front())));
    row.emplace_back(number(per_frame(all)));
    table.add(std::move(row));
}

/// Rows that the table of one end would have; beyond this many it is left to result.json.
constexpr std::size_t most_core_rows = 16;

void add_core_table(Page& page, LoadKind kind, bool gen) {
    std::vector<std::string> keys = key_titles(page);
    keys.emplace_back("lcore");
    std::vector<std::string> causes =
        gen ? std::vector<std::string>{"sending", "pacing", "window", "ring full", "pool empty"}
            : std::vector<std::string>{"receiving", "acking", "polling"};
    Table table(
        std::move(keys),
        {{"share of ticks", std::move(causes)}, {"ticks/frame", {"busy", "occupied"}}}
    );
    std::size_t rows = 0;
    for (const Sample& sample : page.samples) {
        if (sample.kind == kind) {
            for (const auto& [lcore, sum] : core_sums(sample, gen)) {
                add_core_row(page, sample, lcore, sum, table);
                ++rows;
            }
        }
    }
    if (rows == 0) {
        return;
    }
    page.title(fmt::format(
        "{} cores by cause, at {}; all trials together", gen ? "Generator" : "Sink", load_text(kind)
    ));
    if (rows > most_core_rows && !page.options.all_cores) {
        page.line(fmt::format("  {} rows: gensink report --cores RESULT.json prints them", rows));
        return;
    }
    page.table(table);
}

}  // namespace

void add_cores(Page& page) {
    for (const LoadKind kind : shown_kinds) {
        if (shows_costs(page, kind)) {
            add_core_table(page, kind, true);
            add_core_table(page, kind, false);
        }
    }
}

}  // namespace gensink::report::detail
