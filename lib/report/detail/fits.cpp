// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>

/// The section on laws fitted over a sweep.
namespace gensink::report::detail {

namespace {

[[nodiscard]] std::string interval_text(const std::optional<experiment::Interval>& interval) {
    return interval ? fmt::format("{} .. {}", number(interval->low), number(interval->high)) : "-";
}

/// b of the reference arm's fit at the same point and metric.
[[nodiscard]] std::optional<double> reference_b(const Page& page, const experiment::Fit& fit) {
    for (const experiment::Fit& other : page.saved.result.fits) {
        if (other.arm == page.saved.plan.fit_reference && other.metric == fit.metric &&
            other.point == fit.point) {
            return other.b;
        }
    }
    return std::nullopt;
}

[[nodiscard]] std::vector<CellText> fit_keys(const Page& page, const experiment::Fit& fit) {
    std::vector<CellText> row{CellText(fit.arm)};
    for (const std::string& key : page.keys) {
        row.emplace_back(value_at(fit.point, key));
    }
    return row;
}

[[nodiscard]] CellText law_text(const experiment::Fit& fit) {
    return fit.law_holds ? CellText("holds") : CellText("law does not hold here", Style::doubt);
}

/// In ms, as round trips are told.
[[nodiscard]] std::optional<double> in_ms(double seconds) {
    return seconds * 1e3;
}

void add_affine_fits(Page& page, const std::vector<const experiment::Fit*>& fits) {
    if (fits.empty()) {
        return;
    }
    page.title(fmt::format(
        "Fit {} = ({} - offset) / RTT, over the points that the window limits",
        fits.front()->metric,
        fits.front()->key
    ));
    Table table(
        key_titles(page),
        {{"", {"law"}, true},
         {"worst", {"misfit"}},
         {"RTT ms", {"mean", "interval"}},
         {"", {"offset B", "R^2"}}}
    );
    for (const experiment::Fit* fit : fits) {
        std::vector<CellText> row = fit_keys(page, *fit);
        row.push_back(law_text(*fit));
        row.emplace_back(percent(fit->worst_misfit_ratio));
        row.emplace_back(number(in_ms(fit->a)));
        std::optional<experiment::Interval> interval;
        if (fit->a_interval) {
            interval =
                experiment::Interval{fit->a_interval->low * 1e3, fit->a_interval->high * 1e3};
        }
        row.emplace_back(interval_text(interval));
        row.emplace_back(number(fit->b));
        row.emplace_back(fmt::format("{:.5f}", fit->r_squared));
        table.add(std::move(row));
    }
    page.table(table);
    for (const experiment::Fit* fit : fits) {
        if (!fit->left_out.empty()) {
            page.paragraph(fmt::format("  {}: left out {}", fit->arm, join(fit->left_out, ", ")));
        }
    }
}

/// Where two lines cross: below it one arm is cheaper, above it the other.
void add_crossings(Page& page, const std::vector<const experiment::Fit*>& fits) {
    for (const experiment::Fit* one : fits) {
        const experiment::Fit& first = *fits.front();
        const double slope = first.b - one->b;
        const double at = (one->a - first.a) / slope;
        if (one->arm == first.arm || one->point != first.point) {
            continue;
        }
        std::string text = fmt::format(
            "  {}: b is {} of that of {}", one->arm, percent(one->b / first.b), first.arm
        );
        if (slope != 0 && at > 0) {
            text += fmt::format("; the lines cross at {} = {}", one->key, number(at));
        }
        page.paragraph(text);
    }
}

/// inverse: a + b / key; else a + b * key.
void add_plain_fits(
    Page& page, const std::vector<const experiment::Fit*>& fits, plan::LawKind law
) {
    if (fits.empty()) {
        return;
    }
    page.title(fmt::format(
        "Fit {} = a + b {} {} ({})",
        fits.front()->metric,
        law == plan::LawKind::inverse ? '/' : '*',
        fits.front()->key,
        unit_text(fits.front()->metric)
    ));
    const std::string& reference = page.saved.plan.fit_reference;
    std::vector<ColumnGroup> groups{
        {"", {"law"}, true},
        {"worst", {"misfit"}},
        {"", {"a", "interval"}},
        {"", {"b", "interval"}},
        {"", {"R^2"}},
    };
    if (!reference.empty()) {
        groups.insert(groups.end() - 1, {"", {"b of " + reference}});
    }
    Table table(key_titles(page), std::move(groups));
    for (const experiment::Fit* one : fits) {
        const experiment::Fit& fit = *one;
        std::vector<CellText> row = fit_keys(page, fit);
        row.push_back(law_text(fit));
        row.emplace_back(percent(fit.worst_misfit_ratio));
        row.emplace_back(number(fit.a));
        row.emplace_back(interval_text(fit.a_interval));
        row.emplace_back(number(fit.b));
        row.emplace_back(interval_text(fit.b_interval));
        if (!reference.empty()) {
            row.emplace_back(number(reference_b(page, fit)));
        }
        row.emplace_back(fmt::format("{:.3f}", fit.r_squared));
        table.add(std::move(row));
    }
    page.table(table);
    if (law == plan::LawKind::linear) {
        add_crossings(page, fits);
    }
}

}  // namespace

void add_fits(Page& page) {
    const auto of = [&page](plan::LawKind law) {
        std::vector<const experiment::Fit*> fits;
        for (const experiment::Fit& fit : page.saved.result.fits) {
            if (fit.law == law) {
                fits.push_back(&fit);
            }
        }
        return fits;
    };
    add_plain_fits(page, of(plan::LawKind::inverse), plan::LawKind::inverse);
    add_plain_fits(page, of(plan::LawKind::linear), plan::LawKind::linear);
    add_affine_fits(page, of(plan::LawKind::affine));
}

}  // namespace gensink::report::detail
