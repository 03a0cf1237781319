// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/markup.hpp"

#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::report::detail {

namespace {

[[nodiscard]] const char* class_of(Style style) {
    switch (style) {
    case Style::good:
        return " class=\"good\"";
    case Style::bad:
        return " class=\"bad\"";
    case Style::doubt:
        return " class=\"doubt\"";
    case Style::bold:
        return " class=\"bold\"";
    default:
        return "";
    }
}

/// A group's title is put before those of its columns, so that one row names each column whole.
[[nodiscard]] std::string header_of(const Table& table, const std::vector<std::size_t>& keys) {
    std::string out;
    for (const std::size_t key : keys) {
        out += fmt::format("<th class=\"word\">{}</th>", escaped(table.keys().at(key)));
    }
    for (const ColumnGroup& group : table.groups()) {
        for (const std::string& column : group.columns) {
            out += fmt::format(
                "<th{}>{}{}{}</th>",
                group.left ? " class=\"word\"" : "",
                escaped(group.title),
                group.title.empty() || column.empty() ? "" : " ",
                escaped(column)
            );
        }
    }
    return out;
}

[[nodiscard]] std::string
row_of(const Table& table, const std::vector<std::size_t>& keys, const std::vector<CellText>& row) {
    std::string out;
    for (const std::size_t key : keys) {
        out += fmt::format("<th class=\"word\" scope=\"row\">{}</th>", escaped(row.at(key).text));
    }
    std::size_t column = table.keys().size();
    for (const ColumnGroup& group : table.groups()) {
        for (std::size_t i = 0; i < group.columns.size(); ++i, ++column) {
            const CellText& cell = row.at(column);
            const std::string text = escaped(cell.text);
            out += group.left && cell.style == Style::plain
                       ? fmt::format("<td class=\"word\">{}</td>", text)
                       : fmt::format("<td{}>{}</td>", class_of(cell.style), text);
        }
    }
    return out;
}

[[nodiscard]] std::string table_markup(const Table& table) {
    const std::vector<std::size_t> keys = table.shown_keys();
    std::string out = "<div class=\"scroll\"><table class=\"data\"><thead><tr>" +
                      header_of(table, keys) + "</tr></thead><tbody>";
    for (const std::vector<CellText>& row : table.rows()) {
        out += "<tr>" + row_of(table, keys, row) + "</tr>";
    }
    return out + "</tbody></table></div>\n";
}

[[nodiscard]] std::string part_markup(const std::variant<std::string, Table>& part) {
    if (const auto* table = std::get_if<Table>(&part)) {
        return table_markup(*table);
    }
    return "<p>" + escaped(std::get<std::string>(part)) + "</p>\n";
}

/// How a cause's part of a bar is dressed: the same at both ends.
[[nodiscard]] const char* dress_of(const std::string& cause) {
    if (cause == "sending" || cause == "receiving") {
        return "work";
    }
    if (cause == "pacing" || cause == "polling") {
        return "idle";
    }
    return cause == "ring full" ? "ring" : cause == "pool empty" ? "pool" : "other";
}

/// One core's bar, with its shares in words.
[[nodiscard]] std::string core_markup(const CoreTime& core) {
    std::string bars;
    std::vector<std::string> words;
    words.reserve(core.shares.size());
    for (const auto& [cause, share] : core.shares) {
        if (share > 0) {
            bars += fmt::format(
                "<i class=\"{}\" style=\"width:{:.2f}%\" title=\"{} {}\"></i>",
                dress_of(cause),
                share * 100,
                cause,
                percent(share)
            );
            words.push_back(cause + " " + percent(share));
        }
    }
    const std::string said = escaped(join(words, ", "));
    return fmt::format(
        "<div class=\"core\"><span>{}</span><div class=\"bar\" role=\"img\" "
        "aria-label=\"{}\">{}</div>"
        "<small>{}</small></div>\n",
        escaped(core.core),
        said,
        bars,
        said
    );
}

/// A place that frames reach, or are lost at.
[[nodiscard]] std::string place(const char* kind, const char* name, const std::string& frames) {
    return fmt::format(
        "<div class=\"place {}\"><span>{}</span><b>{}</b></div>", kind, name, frames
    );
}

[[nodiscard]] std::string flow_markup(const LedgerFlow& flow) {
    const trial::Ledger& sum = flow.sum;
    std::string out = fmt::format(
        "<p>{} of the measure phase of {} trial{}.</p><div class=\"flow\">",
        flow.in_bytes ? "Bytes of TCP" : "Frames",
        flow.trials,
        flow.trials == 1 ? "" : "s"
    );
    out += place("whole", "built", count(sum.built));
    out += "<i aria-hidden=\"true\">&rarr;</i>" + place("whole", "accepted", count(sum.accepted));
    if (!sum.has_sink) {
        return out + "</div><p>No sink: the ledger ends at device out.</p>";
    }
    out += "<i aria-hidden=\"true\">&rarr;</i><div class=\"split\">";
    out += place("good", "in order", count(sum.in_order));
    out += place(sum.late > 0 ? "some" : "none", "late", count(sum.late));
    out += place(sum.corrupt > 0 ? "bad" : "none", "corrupt", count(sum.corrupt));
    out += place(sum.lost != 0 ? "bad" : "none", "lost", signed_count(sum.lost));
    out += place(sum.residue != 0 ? "bad" : "none", "residue", signed_count(sum.residue));
    return out + "</div></div>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string markup(const std::vector<Section>& sections) {
    std::string out;
    for (const Section& section : sections) {
        out += "<section class=\"part\">";
        if (!section.title.empty()) {
            out += "<h2>" + escaped(section.title) + "</h2>\n";
        }
        for (const auto& part : section.parts) {
            out += part_markup(part);
        }
        out += "</section>\n";
    }
    return out;
}

std::string markup(const std::vector<CoreTime>& cores) {
    if (cores.empty()) {
        return {};
    }
    constexpr std::size_t most_open = 24;
    std::string out = "<section class=\"part\"><h2>Where each core's time went</h2>\n";
    const bool folded = cores.size() > most_open;
    out += folded ? fmt::format("<details><summary>{} bars</summary>\n", cores.size()) : "";
    std::string cell;
    for (const CoreTime& core : cores) {
        if (core.cell != cell) {
            cell = core.cell;
            out += "<h3>" + escaped(cell) + "</h3>\n";
        }
        out += core_markup(core);
    }
    out += folded ? "</details>\n" : "";
    return out + "</section>\n";
}

std::string markup(const std::vector<LedgerFlow>& flows) {
    if (flows.empty()) {
        return {};
    }
    std::string out = "<section class=\"part\"><h2>Ledger, from built to in order</h2>\n";
    for (const LedgerFlow& flow : flows) {
        out += flow_markup(flow);
    }
    return out + "</section>\n";
}

}  // namespace gensink::report::detail
