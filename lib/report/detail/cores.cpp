// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/bar.hpp"
#include "report/detail/charts.hpp"
#include "report/detail/page.hpp"
#include "report/format.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

/// The section on costs by core and cause.
namespace gensink::report::detail {

namespace {

using trial::LoadKind;

/// Ticks by cause and frames of one core, summed over a sample's trials.
struct CoreSum {
    unsigned cpu = 0;
    std::vector<std::uint64_t> ticks;
    std::uint64_t wall_ticks = 0;
    std::uint64_t frames = 0;
    std::vector<std::uint64_t> hz;  ///< core clocks seen, sorted
};

using CoreSums = std::map<unsigned, CoreSum>;  ///< by lcore

template <class Core, class Frames>
void sum_cores(const std::vector<Core>& cores, Frames frames, CoreSums& sums) {
    for (const Core& core : cores) {
        CoreSum& sum = sums[core.lcore.value];
        sum.cpu = core.thread.cpu.value;
        sum.ticks.resize(core.measured.cause_ticks.size());
        for (std::size_t cause = 0; cause < sum.ticks.size(); ++cause) {
            sum.ticks[cause] += core.measured.cause_ticks.at(cause);
        }
        sum.wall_ticks += core.measure_end_ticks - core.measure_start_ticks;
        sum.frames += frames(core.measured);
        for (const std::uint64_t hz : {core.thread.core_hz_before, core.thread.core_hz_after}) {
            if (hz != 0) {
                sum.hz.insert(std::ranges::upper_bound(sum.hz, hz), hz);
            }
        }
    }
}

[[nodiscard]] CoreSums core_sums(const Sample& sample, bool gen) {
    CoreSums sums;
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

[[nodiscard]] std::optional<double> quotient(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole))
                     : std::nullopt;
}

[[nodiscard]] std::uint64_t total(const std::vector<std::uint64_t>& ticks) {
    return std::accumulate(ticks.begin(), ticks.end(), std::uint64_t{0});
}

[[nodiscard]] std::string core_text(const CellSummary& cell, unsigned lcore, const CoreSum& sum) {
    const bool real = cell.wire != plan::WireKind::model;
    return real ? fmt::format("{} (cpu {})", lcore, sum.cpu) : std::to_string(lcore);
}

/// What one end does, cause by cause.
struct EndCauses {
    bool gen = true;
    const char* title;
    std::vector<std::string> causes;
    const char* letters;  ///< in bars
};

[[nodiscard]] EndCauses end_causes(bool gen) {
    return gen ? EndCauses{gen, "Generator", {"sending", "pacing", "window", "ring full", "pool empty"}, "#.wre"}
               : EndCauses{gen, "Sink", {"receiving", "acking", "polling"}, "#a."};
}

/// Ticks a frame: of the causes that any core knows, where cores are what the profile is about;
/// else of those that moved frames, and of all.
struct PerFrame {
    std::vector<std::size_t> causes;
    std::vector<std::string> titles;
};

[[nodiscard]] PerFrame
per_frame_columns(const EndCauses& end, const std::vector<CoreSums>& all, bool detailed) {
    if (!detailed) {
        return {{0}, {"busy", "occupied"}};
    }
    PerFrame shown;
    for (std::size_t cause = 0; cause < end.causes.size(); ++cause) {
        const bool any = std::ranges::any_of(all, [&](const CoreSums& sums) {
            return std::ranges::any_of(sums, [&](const auto& core) {
                return core.second.ticks.at(cause) != 0;
            });
        });
        if (any) {
            shown.causes.push_back(cause);
            shown.titles.push_back(end.causes[cause]);
        }
    }
    shown.titles.emplace_back("all");
    return shown;
}

[[nodiscard]] std::vector<CellText> core_row(
    const Page& page,
    const CellSummary& cell,
    const CoreSums::value_type& core,
    const PerFrame& per_frame
) {
    const auto& [lcore, sum] = core;
    const std::uint64_t all = total(sum.ticks);
    std::vector<CellText> row = key_values(page, cell);
    row.emplace_back(core_text(cell, lcore, sum));
    for (const std::uint64_t ticks : sum.ticks) {
        row.emplace_back(percent(quotient(ticks, all)));
    }
    for (const std::size_t cause : per_frame.causes) {
        row.emplace_back(number(quotient(sum.ticks.at(cause), sum.frames)));
    }
    row.emplace_back(number(quotient(all, sum.frames)));
    return row;
}

/// Rows that the table of one end would have; beyond this many it is left to result.json.
constexpr std::size_t most_core_rows = 16;

[[nodiscard]] std::vector<CoreSums> sums_at(const Page& page, LoadKind kind, bool gen) {
    std::vector<CoreSums> all;
    for (const Sample& sample : page.samples) {
        all.push_back(sample.kind == kind ? core_sums(sample, gen) : CoreSums{});
    }
    return all;
}

[[nodiscard]] std::size_t rows_of(const std::vector<CoreSums>& all) {
    std::size_t rows = 0;
    for (const CoreSums& sums : all) {
        rows += sums.size();
    }
    return rows;
}

void add_core_table(Page& page, LoadKind kind, bool gen) {
    const EndCauses end = end_causes(gen);
    const std::vector<CoreSums> all = sums_at(page, kind, gen);
    const std::size_t rows = rows_of(all);
    if (rows == 0) {
        return;
    }
    page.title(
        fmt::format("{} cores by cause, at {}; all trials together", end.title, load_text(kind))
    );
    if (rows > most_core_rows && !page.options.all_cores) {
        page.line(fmt::format("  {} rows: gensink report --cores RESULT.json prints them", rows));
        return;
    }
    std::vector<std::string> keys = key_titles(page);
    keys.emplace_back("lcore");
    const PerFrame per_frame = per_frame_columns(end, all, asks_for_cores(page));
    Table table(
        std::move(keys), {{"share of ticks", end.causes}, {"ticks/frame", per_frame.titles}}
    );
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const auto& core : all[i]) {
            const CellSummary& cell = page.saved.plan.cells.at(page.samples[i].cell);
            table.add(core_row(page, cell, core, per_frame));
        }
    }
    page.table(table);
}

/// "2,980", "2,980 .. 3,397" in MHz; "-" where it was not probed.
[[nodiscard]] std::string clock_text(const CoreSum& sum) {
    if (sum.hz.empty()) {
        return "-";
    }
    const auto mhz = [](std::uint64_t hz) {
        return count((hz + 500'000) / 1'000'000);
    };
    const std::string low = mhz(sum.hz.front());
    const std::string high = mhz(sum.hz.back());
    return low == high ? low : fmt::format("{} .. {}", low, high);
}

/// A bar a core of one end.
[[nodiscard]] std::size_t
add_bar_rows(const Page& page, const Sample& sample, bool gen, Table& to) {
    constexpr std::size_t bar_width = 30;
    const EndCauses end = end_causes(gen);
    const CellSummary& cell = page.saved.plan.cells.at(sample.cell);
    const CoreSums sums = core_sums(sample, gen);
    for (const auto& [lcore, sum] : sums) {
        std::vector<CellText> row = key_values(page, cell);
        row.emplace_back(
            fmt::format("{} {}", gen ? "generator" : "sink", core_text(cell, lcore, sum))
        );
        row.emplace_back("[" + bar(sum.ticks, sum.wall_ticks, end.letters, bar_width) + "]");
        row.emplace_back(percent(quotient(total(sum.ticks), sum.wall_ticks)));
        row.emplace_back(clock_text(sum));
        to.add(std::move(row));
    }
    return sums.size();
}

/// What the time of each core of both ends went into.
void add_bars(Page& page, LoadKind kind) {
    std::vector<std::string> keys = key_titles(page);
    keys.emplace_back("core");
    Table table(std::move(keys), {{"", {"time by cause"}, true}, {"", {"of wall", "core MHz"}}});
    std::size_t rows = 0;
    for (const Sample& sample : page.samples) {
        if (sample.kind == kind) {
            rows += add_bar_rows(page, sample, true, table);
            rows += add_bar_rows(page, sample, false, table);
        }
    }
    if (rows == 0 || (rows > 2 * most_core_rows && !page.options.all_cores)) {
        return;
    }
    page.title(fmt::format("Cores at {}: where their time went", load_text(kind)));
    page.line("  # sending or receiving  . pacing or polling  a acking  w window  r ring full  "
              "e pool empty");
    page.table(table);
}

}  // namespace

bool asks_for_cores(const Page& page) {
    if (page.options.all_cores) {
        return true;
    }
    const auto costs_of = [&](std::string_view end) {
        return std::ranges::any_of(page.saved.plan.metrics, [&](const std::string& name) {
            const trial::Metric* metric = trial::find_metric(name);
            return metric != nullptr && metric->kind == trial::MetricKind::cost &&
                   name.starts_with(end);
        });
    };
    return costs_of("cpu.") || (costs_of("tx.") && costs_of("rx."));
}

namespace {

[[nodiscard]] std::string place_of(const CellSummary& cell, LoadKind kind) {
    const std::string point = point_text(cell.point);
    return fmt::format(
        "{}{}{}, {}",
        cell.placebo ? "placebo" : cell.arm,
        point.empty() ? "" : " at ",
        point,
        load_text(kind)
    );
}

void add_core_times(
    const Page& page, const Sample& sample, const EndCauses& end, std::vector<CoreTime>& times
) {
    const CellSummary& cell = page.saved.plan.cells.at(sample.cell);
    for (const auto& [lcore, sum] : core_sums(sample, end.gen)) {
        CoreTime time;
        time.cell = place_of(cell, sample.kind);
        time.core =
            fmt::format("{} {}", end.gen ? "generator" : "sink", core_text(cell, lcore, sum));
        for (std::size_t cause = 0; cause < sum.ticks.size(); ++cause) {
            time.shares.emplace_back(
                end.causes.at(cause), quotient(sum.ticks[cause], sum.wall_ticks).value_or(0)
            );
        }
        times.push_back(std::move(time));
    }
}

}  // namespace

std::vector<CoreTime> core_times(const Page& page) {
    std::vector<CoreTime> times;
    for (const Sample& sample : page.samples) {
        if (shows_costs(page, sample.kind)) {
            add_core_times(page, sample, end_causes(true), times);
            add_core_times(page, sample, end_causes(false), times);
        }
    }
    return times;
}

void add_cores(Page& page) {
    for (const LoadKind kind : shown_kinds) {
        if (shows_costs(page, kind)) {
            if (asks_for_cores(page)) {
                add_bars(page, kind);
            }
            add_core_table(page, kind, true);
            add_core_table(page, kind, false);
            if (asks_for_cores(page) && !is_virtual(page)) {
                add_cpus(page, kind);
            }
        }
    }
}

}  // namespace gensink::report::detail
