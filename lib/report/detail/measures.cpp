// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>

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
            shown.intended = shown.intended || mean_intended(sample).has_value();
        }
    }
    return shown;
}

[[nodiscard]] std::vector<CellText>
rate_row(const Page& page, const Sample& sample, const RateColumns& shown) {
    const CellSummary& cell = page.saved.plan.cells.at(sample.cell);
    std::vector<CellText> row = key_values(page, cell);
    row.emplace_back(number(cell.frame_bytes));
    if (shown.intended) {
        const std::optional<double> intended = mean_intended(sample);
        row.emplace_back(intended ? fps(intended) : "max");
    }
    row.emplace_back(fps(mean(sample, "tx.fps")));
    row.emplace_back(fps(mean(sample, "rx.fps")));
    row.emplace_back(loss_of(sample));
    const std::string end = shown.sink ? "rx" : "tx";
    const std::optional<double> l1 = mean(sample, end + ".bps_l1");
    row.emplace_back(number(scaled(l1, 1e-9)));
    row.emplace_back(number(scaled(mean(sample, end + ".bps_l2"), 1e-9)));
    row.emplace_back(number(scaled(mean(sample, end + ".bps_payload"), 1e-9)));
    if (shown.line) {
        row.emplace_back(percent(cell.line_bps ? scaled(l1, 1.0 / *cell.line_bps) : std::nullopt));
    }
    row.push_back(trials_text(sample));
    return row;
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

}  // namespace

bool shows_rates(const Page& page, LoadKind kind) {
    return has_kind(page, kind) && (kind != LoadKind::cost || !has_kind(page, LoadKind::max));
}

bool shows_costs(const Page& page, LoadKind kind) {
    return has_kind(page, kind) && (kind != LoadKind::max || !has_kind(page, LoadKind::cost));
}

std::string load_text(LoadKind kind) {
    switch (kind) {
    case LoadKind::max:
        return "load max";
    case LoadKind::cost:
        return "equal intended load";
    default:
        return "the profile's load";
    }
}

void add_rates(Page& page) {
    for (const LoadKind kind : shown_kinds) {
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
        for (const Sample& sample : page.samples) {
            if (sample.kind == kind) {
                table.add(rate_row(page, sample, shown));
            }
        }
        page.table(table);
        add_invalid_note(page, kind);
    }
}

void add_costs(Page& page) {
    for (const LoadKind kind : shown_kinds) {
        if (!shows_costs(page, kind)) {
            continue;
        }
        page.title(fmt::format(
            "Cost per frame at {} ({}, ns; mean of trials)",
            load_text(kind),
            is_virtual(page) ? "ticks of virtual time" : "TSC ticks"
        ));
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

/// Shown where something is copied or attached.
void add_payload(Page& page) {
    Table table(
        key_titles(page), {{"B copied a frame", {"gensink", "driver"}}, {"segments", {"a frame"}}}
    );
    bool moved = false;
    for (const Sample& sample : page.samples) {
        if (!shows_costs(page, sample.kind)) {
            continue;
        }
        std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(sample.cell));
        const auto copied = mean(sample, "tx.bytes_copied_per_frame");
        const auto segments = mean(sample, "tx.segments_per_frame");
        moved = moved || copied.value_or(0) > 0 || segments.value_or(1) > 1;
        row.emplace_back(number(copied));
        row.emplace_back(number(mean(sample, "tx.driver_bytes_copied_per_frame")));
        row.emplace_back(number(segments));
        table.add(std::move(row));
    }
    if (moved) {
        page.title("Payload: what was copied, and by whom");
        page.table(table);
    }
}

}  // namespace gensink::report::detail
