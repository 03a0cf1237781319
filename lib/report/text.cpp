// SPDX-License-Identifier: BSD-3-Clause
#include "report/text.hpp"

#include "report/detail/names.hpp"
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gensink::report {

namespace {

using detail::Page;
using detail::Style;

[[nodiscard]] Style style_of(const experiment::ExperimentResult& result) {
    if (result.failed) {
        return Style::bad;
    }
    const bool said = result.has_verdict || result.verdict == experiment::Verdict::invalid;
    return said ? detail::style_of(result.verdict) : Style::bold;
}

/// A headline names every point; beyond a few lines the table says it better.
[[nodiscard]] std::string first_lines(const std::string& text, const std::string& rest) {
    constexpr unsigned most = 5;
    std::size_t end = 0;
    for (unsigned line = 0; line < most; ++line) {
        end = text.find('\n', end);
        if (end == std::string::npos) {
            return text;
        }
        ++end;
    }
    return text.substr(0, end) + rest;
}

[[nodiscard]] bool is_model(const CellSummary& cell) {
    return cell.wire == plan::WireKind::model;
}

/// What the wires are that no NIC is behind.
void mark_wires(const std::vector<CellSummary>& cells, std::vector<std::string>& marks) {
    if (!cells.empty() && std::all_of(cells.begin(), cells.end(), is_model)) {
        marks.emplace_back("model: virtual time, not a measurement");
    } else if (std::any_of(cells.begin(), cells.end(), is_model)) {
        marks.emplace_back("some cells: model, virtual time, not a measurement");
    }
    const auto is_loopback = [](const CellSummary& cell) {
        return cell.wire == plan::WireKind::kernel && cell.sink && cell.sink->device.empty() &&
               cell.gen.netns == cell.sink->netns;
    };
    if (std::any_of(cells.begin(), cells.end(), is_loopback)) {
        marks.emplace_back("kernel sockets over loopback: not a NIC result");
    }
    const auto is_cable = [](const CellSummary& cell) {
        return cell.wire == plan::WireKind::cable;
    };
    if (!cells.empty() && std::all_of(cells.begin(), cells.end(), is_cable)) {
        marks.emplace_back("in-process cable: not a NIC result");
    } else if (std::any_of(cells.begin(), cells.end(), is_cable)) {
        marks.emplace_back("some cells: in-process cable, not a NIC result");
    }
}

/// "gen 0000:01:00.0 (driver ixgbe) -> sink ..." once a distinct wire.
[[nodiscard]] std::vector<std::string> wires(const Saved& saved) {
    std::vector<std::string> lines;
    const auto end_text = [](const EndSummary& end, plan::WireKind wire) {
        const std::string at = end.netns.empty() ? "" : " in netns " + end.netns;
        if (wire == plan::WireKind::kernel) {
            return fmt::format("{}{}", end.name(), at);
        }
        return fmt::format(
            "{}{} ({}, {} x {} descriptors)",
            end.name(),
            at,
            end.driver,
            end.queues,
            end.descriptors
        );
    };
    for (const CellSummary& cell : saved.plan.cells) {
        if (cell.wire != plan::WireKind::ports && cell.wire != plan::WireKind::kernel) {
            continue;
        }
        std::string text = fmt::format(
            "wire: {} -> {}",
            end_text(cell.gen, cell.wire),
            cell.sink ? end_text(*cell.sink, cell.wire) : "no sink"
        );
        if (std::find(lines.begin(), lines.end(), text) == lines.end()) {
            lines.push_back(std::move(text));
        }
    }
    return lines;
}

[[nodiscard]] std::string link_text(const char* end, const trial::LinkReport& link) {
    const std::string facts = describe_link(link);
    return facts.empty() ? "" : fmt::format("{} {}", end, facts);
}

/// Links as the devices report them, once each distinct pair.
[[nodiscard]] std::vector<std::string> links(const Saved& saved) {
    std::vector<std::string> lines;
    for (const trial::TrialResult& one : saved.result.trials) {
        const std::string gen = link_text("generator", one.counts.gen_link);
        const std::string sink = link_text("sink", one.counts.sink_link);
        if (!gen.empty() || !sink.empty()) {
            const char* between = gen.empty() || sink.empty() ? "" : "; ";
            std::string text = fmt::format("link: {}{}{}", gen, between, sink);
            if (std::find(lines.begin(), lines.end(), text) == lines.end()) {
                lines.push_back(std::move(text));
            }
        }
    }
    return lines;
}

void add_head(Page& page) {
    const Saved& saved = page.saved;
    page.paragraph(
        saved.plan.summary.empty() ? saved.plan.name
                                   : fmt::format("{}: {}", saved.plan.name, saved.plan.summary)
    );
    if (const std::string text = detail::marks_of(saved); !text.empty()) {
        page.paragraph(text);
    }
    detail::add_wires(page);
    page.line();
    const std::string text = first_lines(
        wrap(detail::headline_of(saved.result), page.options.width, "    "),
        "    ... and more, in the table below"
    );
    page.line(detail::styled(text, style_of(saved.result), page.options.colour));
    if (saved.result.failed) {
        page.paragraph("The run failed; the reasons are below.");
    }
}

}  // namespace

std::string describe_link(const trial::LinkReport& link) {
    std::vector<std::string> facts;
    if (link.bps) {
        facts.push_back(bits_per_second(static_cast<double>(*link.bps)));
    }
    if (link.full_duplex) {
        facts.emplace_back(*link.full_duplex ? "full duplex" : "HALF DUPLEX");
    }
    if (link.flow_control) {
        facts.push_back(fmt::format(
            "flow control {}",
            detail::flow_control_names.at(static_cast<std::size_t>(*link.flow_control))
        ));
    }
    return join(facts, ", ");
}

namespace detail {

bool is_virtual(const Page& page) {
    const auto& cells = page.saved.plan.cells;
    return !cells.empty() && std::all_of(cells.begin(), cells.end(), is_model);
}

void Page::put(std::variant<std::string, Table> part) const {
    if (sections->empty()) {
        sections->emplace_back();
    }
    sections->back().parts.push_back(std::move(part));
}

void Page::line(std::string_view text) {
    if (sections == nullptr) {
        out.append(text).append("\n");
    } else if (!text.empty()) {
        put(std::string(text));
    }
}

void Page::title(std::string_view text) {
    if (sections != nullptr) {
        sections->push_back({std::string(text), {}});
        return;
    }
    line();
    line(styled(wrap(text, options.width, "    "), Style::bold, options.colour));
}

void Page::table(const Table& table) {
    if (sections != nullptr) {
        put(table);
    } else {
        out += table.render(options.width, options.colour);
    }
}

void Page::paragraph(std::string_view text, std::string_view indent) {
    line(sections != nullptr ? std::string(text) : wrap(text, options.width, indent));
}

std::string headline_of(const experiment::ExperimentResult& result) {
    if (!result.has_verdict) {
        return result.headline.empty() ? "nothing was compared" : result.headline;
    }
    const std::string word = experiment::name(result.verdict);
    if (result.headline.find(word) != std::string::npos) {
        return result.headline;
    }
    return result.headline.empty() ? word : word + ": " + result.headline;
}

std::string marks_of(const Saved& saved) {
    std::vector<std::string> marks;
    const auto& cells = saved.plan.cells;
    mark_wires(cells, marks);
    if (std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.fault; })) {
        marks.emplace_back("FAULTS PLANTED on purpose");
    }
    if (saved.plan.shared_cores) {
        marks.emplace_back("SHARED CORES (see Warnings)");
    }
    if (saved.result.partial) {
        marks.emplace_back("PARTIAL: the run ended early");
    }
    if (saved.plan.quick) {
        marks.emplace_back("quick trials");
    }
    std::set<std::string> memory;
    for (const trial::TrialResult& trial : saved.result.trials) {
        const bool real = trial.cell < cells.size() && !is_model(cells[trial.cell]);
        if (real && !trial.opened.memory.empty()) {
            memory.insert(trial.opened.memory);
        }
    }
    if (!memory.empty()) {
        marks.push_back(fmt::format("memory: {}", join({memory.begin(), memory.end()}, " and ")));
    }
    return join(marks, "; ");
}

void add_wires(Page& page) {
    for (const std::string& wire : wires(page.saved)) {
        page.paragraph(wire);
    }
    for (const std::string& link : links(page.saved)) {
        page.paragraph(link);
    }
}

void add_foot(Page& page) {
    const Saved& saved = page.saved;
    const HostFacts& host = saved.run.host;
    page.line();
    std::vector<std::string> facts;
    const bool real = !is_virtual(page);
    const auto add = [&](const char* what, const std::string& value) {
        if (real && !value.empty()) {
            facts.push_back(fmt::format("{}{}", what, value));
        }
    };
    add("", host.cpu_model);
    add("", host.topology);
    add("kernel ", host.kernel);
    add("governor ", host.governor);
    add("on ", host.virtualization);
    add("TSC ",
        saved.tsc_hz ? fmt::format("{:.6g} GHz", static_cast<double>(*saved.tsc_hz) / 1e9) : "");
    if (!facts.empty()) {
        page.paragraph(fmt::format("host: {}", join(facts, "; ")));
    }
    std::vector<std::string> versions;
    for (const auto& [name, version] : saved.run.versions) {
        versions.push_back(fmt::format("{} {}", name, version));
    }
    page.paragraph(fmt::format(
        "run {}{}; profile digest {}; seed {}{}{}",
        saved.run.id.empty() ? "-" : saved.run.id,
        saved.run.started.empty() ? "" : ", " + saved.run.started,
        saved.plan.profile_digest.empty() ? "-" : saved.plan.profile_digest,
        saved.plan.seed,
        saved.plan.overrides.empty()
            ? ""
            : fmt::format("; --set {}", join(saved.plan.overrides, " --set ")),
        versions.empty() ? "" : fmt::format("; {}", join(versions, ", "))
    ));
}

void add_sections(Page& page) {
    add_comparisons(page);
    add_expectations(page);
    add_predictions(page);
    add_searches(page);
    add_transfers(page);
    add_cells(page);
    add_rates(page);
    add_costs(page);
    add_payload(page);
    add_fits(page);
    add_knees(page);
    add_cores(page);
    add_ledger(page);
    add_reasons(page);
    add_warnings(page);
}

std::vector<std::string> key_titles(const Page& page) {
    std::vector<std::string> titles{"arm"};
    for (const std::string& key : page.keys) {
        titles.push_back(short_key(key));
    }
    return titles;
}

std::vector<CellText> key_values(const Page& page, const CellSummary& cell) {
    std::vector<CellText> values{CellText(cell.placebo ? "placebo" : cell.arm)};
    for (const std::string& key : page.keys) {
        values.emplace_back(value_at(cell.point, key));
    }
    return values;
}

}  // namespace detail

std::string text(const Saved& saved, const TextOptions& options) {
    Page page{saved, options, detail::samples(saved), detail::swept_keys(saved), {}};
    add_head(page);
    detail::add_sections(page);
    detail::add_foot(page);
    return std::move(page.out);
}

}  // namespace gensink::report
