// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

/// Sections on what was measured: rates, costs, costs by core and cause.
namespace gensink::report::detail {

namespace {

using trial::LoadKind;

/// Whether there is anything to show at a kind of load. A search's probes are each at their own
/// load: their means say nothing.
[[nodiscard]] bool has_kind(const Page& page, LoadKind kind) {
    return kind != LoadKind::probe &&
           std::ranges::any_of(page.samples, [kind](const Sample& sample) {
               return sample.kind == kind && !sample.trials.empty();
           });
}

/// Rates are read at load max and costs at equal load, where there are trials of both.
[[nodiscard]] bool shows_rates(const Page& page, LoadKind kind) {
    return has_kind(page, kind) && (kind != LoadKind::cost || !has_kind(page, LoadKind::max));
}

[[nodiscard]] bool shows_costs(const Page& page, LoadKind kind) {
    return has_kind(page, kind) && (kind != LoadKind::max || !has_kind(page, LoadKind::cost));
}

[[nodiscard]] std::string load_text(LoadKind kind) {
    switch (kind) {
    case LoadKind::max:
        return "load max";
    case LoadKind::cost:
        return "equal intended load";
    default:
        return "the profile's load";
    }
}

/// Counted trials of those made; marked when the numbers come from trials that do not count.
[[nodiscard]] CellText trials_text(const Sample& sample) {
    if (!sample.counted) {
        return {fmt::format("0 of {} !", sample.made), Style::bad};
    }
    if (sample.invalid > 0) {
        return {fmt::format("{}, {} invalid", sample.trials.size(), sample.invalid), Style::bad};
    }
    if (sample.trials.size() == sample.made) {
        return CellText(count(sample.made));
    }
    return {fmt::format("{} of {}", sample.trials.size(), sample.made), Style::doubt};
}

void add_invalid_note(Page& page, LoadKind kind) {
    const bool any = std::any_of(page.samples.begin(), page.samples.end(), [&](const auto& sample) {
        return sample.kind == kind && !sample.counted;
    });
    if (any) {
        page.paragraph("  ! no trial of this row counts: its numbers are for diagnosis only");
    }
}

[[nodiscard]] std::optional<double> intended(const Sample& sample) {
    const auto paced = [](const trial::TrialResult* one) {
        return one->intended_fps.has_value();
    };
    if (sample.trials.empty() || !std::all_of(sample.trials.begin(), sample.trials.end(), paced)) {
        return std::nullopt;
    }
    double sum = 0;
    for (const trial::TrialResult* one : sample.trials) {
        sum += *one->intended_fps;
    }
    return sum / static_cast<double>(sample.trials.size());
}

[[nodiscard]] std::string loss_of(const Sample& sample) {
    std::int64_t lost = 0;
    std::uint64_t accepted = 0;
    for (const trial::TrialResult* one : sample.trials) {
        if (!one->ledger.has_sink) {
            return "-";
        }
        lost += one->ledger.lost;
        accepted += one->ledger.accepted;
    }
    return loss(lost, accepted);
}

[[nodiscard]] std::optional<double> scaled(std::optional<double> value, double factor) {
    return value ? std::optional(*value * factor) : std::nullopt;
}

/// Columns that would be the same, or absent, in every row are left out.
struct RateColumns {
    bool sink = false;      ///< some cell has one; else the rates are those offered
    bool intended = false;  ///< some cell is paced
    bool line = false;      ///< some cell's line rate is known
};

[[nodiscard]] RateColumns rate_columns(const Page& page, LoadKind kind) {
    RateColumns shown;
    for (const Sample& sample : page.samples) {
        if (sample.kind == kind) {
            const CellSummary& cell = page.saved.plan.cells.at(sample.cell);
            shown.sink = shown.sink || cell.sink.has_value();
            shown.line = shown.line || cell.line_bps.has_value();
            shown.intended = shown.intended || intended(sample).has_value();
        }
    }
    return shown;
}

void add_rate_rows(Page& page, LoadKind kind, const RateColumns& shown, Table& table) {
    for (const Sample& sample : page.samples) {
        if (sample.kind != kind) {
            continue;
        }
        const CellSummary& cell = page.saved.plan.cells.at(sample.cell);
        std::vector<CellText> row = key_values(page, cell);
        row.emplace_back(number(cell.frame_bytes));
        if (shown.intended) {
            row.emplace_back(intended(sample) ? fps(intended(sample)) : "max");
        }
        row.emplace_back(fps(mean(sample, "tx.fps")));
        row.emplace_back(fps(mean(sample, "rx.fps")));
        row.emplace_back(loss_of(sample));
        std::optional<double> l1;
        for (const char* layer : {"bps_l1", "bps_l2", "bps_payload"}) {
            const std::optional<double> bps =
                mean(sample, fmt::format("{}.{}", shown.sink ? "rx" : "tx", layer));
            l1 = l1 ? l1 : bps;
            row.emplace_back(number(scaled(bps, 1e-9)));
        }
        if (shown.line) {
            row.emplace_back(
                percent(cell.line_bps ? scaled(l1, 1.0 / *cell.line_bps) : std::nullopt)
            );
        }
        row.push_back(trials_text(sample));
        table.add(std::move(row));
    }
}

void add_cost_rows(Page& page, LoadKind kind, Table& table) {
    for (const Sample& sample : page.samples) {
        if (sample.kind != kind) {
            continue;
        }
        std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(sample.cell));
        for (const char* metric :
             {"tx.ticks_per_frame",
              "tx.ns_per_frame",
              "tx.occupied_ticks_per_frame",
              "tx.occupied_ns_per_frame",
              "rx.ticks_per_frame",
              "rx.ns_per_frame",
              "rx.occupied_ticks_per_frame",
              "rx.occupied_ns_per_frame",
              "tx.burst_accepted",
              "rx.burst_received"}) {
            row.emplace_back(number(mean(sample, metric)));
        }
        row.push_back(trials_text(sample));
        table.add(std::move(row));
    }
}

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
    row.emplace_back(fmt::format("{} (cpu {})", lcore, sum.cpu));
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
        {{"share of the core's ticks", std::move(causes)}, {"ticks/frame", {"busy", "occupied"}}}
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
    page.title(fmt::format("{} cores by cause, at {}", gen ? "Generator" : "Sink", load_text(kind))
    );
    if (rows > most_core_rows && !page.options.all_cores) {
        page.line(fmt::format("  {} rows: gensink report --cores RESULT.json prints them", rows));
        return;
    }
    page.table(table);
}

constexpr LoadKind kinds[]{LoadKind::as_planned, LoadKind::max, LoadKind::cost};

}  // namespace

void add_rates(Page& page) {
    for (const LoadKind kind : kinds) {
        if (!shows_rates(page, kind)) {
            continue;
        }
        const RateColumns shown = rate_columns(page, kind);
        std::vector<std::string> rates{"offered", "received", "loss"};
        if (shown.intended) {
            rates.insert(rates.begin(), "intended");
        }
        std::vector<std::string> rest{"trials"};
        if (shown.line) {
            rest.insert(rest.begin(), "of line");
        }
        page.title(fmt::format("Rates at {}", load_text(kind)));
        Table table(
            key_titles(page),
            {{"frame", {"bytes"}},
             {"", std::move(rates)},
             {shown.sink ? "received Gbit/s" : "offered Gbit/s", {"l1", "l2", "payload"}},
             {"", std::move(rest)}}
        );
        add_rate_rows(page, kind, shown, table);
        page.table(table);
        add_invalid_note(page, kind);
    }
}

void add_costs(Page& page) {
    for (const LoadKind kind : kinds) {
        if (!shows_costs(page, kind)) {
            continue;
        }
        page.title(fmt::format("Cost per frame at {} (TSC ticks, ns)", load_text(kind)));
        Table table(
            key_titles(page),
            {{"tx busy", {"ticks", "ns"}},
             {"tx occupied", {"ticks", "ns"}},
             {"rx busy", {"ticks", "ns"}},
             {"rx occupied", {"ticks", "ns"}},
             {"burst", {"tx", "rx"}},
             {"", {"trials"}}}
        );
        add_cost_rows(page, kind, table);
        page.table(table);
        add_invalid_note(page, kind);
    }
}

void add_cores(Page& page) {
    for (const LoadKind kind : kinds) {
        if (shows_costs(page, kind)) {
            add_core_table(page, kind, true);
            add_core_table(page, kind, false);
        }
    }
}

}  // namespace gensink::report::detail
