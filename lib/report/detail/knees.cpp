// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

/// The section on the smallest burst that will do.
namespace gensink::report::detail {

namespace {

using experiment::Knee;
using experiment::KneePoint;
using experiment::KneeStanding;

[[nodiscard]] CellText standing_text(const Knee& knee, std::size_t i) {
    if (i == knee.best) {
        return {"best", Style::bold};
    }
    switch (knee.points.at(i).standing) {
    case KneeStanding::within:
        return {i == knee.proven ? "knee" : "within", Style::good};
    case KneeStanding::below:
        return CellText("below");
    case KneeStanding::undecided:
        break;
    }
    return {"undecided", Style::doubt};
}

void add_knee_rows(const Page& page, const Knee& knee, Table& table) {
    for (std::size_t i = 0; i < knee.points.size(); ++i) {
        const KneePoint& point = knee.points[i];
        std::vector<CellText> row{CellText(knee.arm)};
        for (const std::string& key : page.keys) {
            row.emplace_back(key == plan::knee_key ? point.burst : value_at(knee.point, key));
        }
        row.emplace_back(value_text(knee.metric, point.mean));
        row.emplace_back(percent(point.mean ? std::optional(point.ratio) : std::nullopt));
        row.emplace_back(
            point.interval
                ? fmt::format(
                      "{:.2f} .. {:.2f} %", 100 * point.interval->low, 100 * point.interval->high
                  )
                : "-"
        );
        row.push_back(standing_text(knee, i));
        row.emplace_back(number(point.hold_p50_us));
        row.emplace_back(number(point.hold_p99_us));
        table.add(std::move(row));
    }
}

}  // namespace

void add_knees(Page& page) {
    const std::vector<Knee>& knees = page.saved.result.knees;
    if (knees.empty()) {
        return;
    }
    const Knee& first = knees.front();
    page.title(fmt::format(
        "Knee: the smallest {} within {} of the best {}; {} intervals, simultaneous",
        short_key(plan::knee_key),
        percent(first.margin_ratio),
        first.metric,
        percent(page.saved.plan.confidence)
    ));
    Table table(
        key_titles(page),
        {{"at load max", {first.metric, "of the best", "interval"}},
         {"", {"standing"}, true},
         {"held us, at equal load", {"p50", "p99"}}}
    );
    for (const Knee& knee : knees) {
        add_knee_rows(page, knee, table);
    }
    page.table(table);
    for (const Knee& knee : knees) {
        page.paragraph("  " + describe(knee));
    }
}

}  // namespace gensink::report::detail
