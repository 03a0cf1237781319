// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/table.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <utility>

namespace gensink::report::detail {

namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t column_gap = 2;
constexpr std::size_t group_gap = 2;

void end_line(std::string& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out.append(line).append("\n");
}

}  // namespace

std::string styled(std::string_view text, Style style, bool colour) {
    if (!colour || style == Style::plain || text.empty()) {
        return std::string(text);
    }
    const char* start = "\x1b[1m";
    if (style == Style::good) {
        start = "\x1b[1;32m";
    } else if (style == Style::bad) {
        start = "\x1b[1;31m";
    } else if (style == Style::doubt) {
        start = "\x1b[1;33m";
    }
    return std::string(start).append(text).append("\x1b[0m");
}

std::string Table::title_of(std::size_t column) const {
    if (column < keys_.size()) {
        return keys_[column];
    }
    column -= keys_.size();
    for (const ColumnGroup& group : groups_) {
        if (column < group.columns.size()) {
            return group.columns[column];
        }
        column -= group.columns.size();
    }
    return {};
}

std::size_t Table::column_width(std::size_t column) const {
    std::size_t width = columns(title_of(column));
    for (const auto& row : rows_) {
        width = std::max(width, columns(row.at(column).text));
    }
    return width;
}

std::size_t Table::span_width(const Span& span) const {
    std::size_t width = (span.count - 1) * column_gap;
    for (std::size_t i = 0; i < span.count; ++i) {
        width += column_width(keys_.size() + span.first + i);
    }
    return std::max(width, columns(span.title));
}

std::vector<std::size_t> Table::shown_keys() const {
    std::vector<std::size_t> shown;
    for (std::size_t key = 0; key < keys_.size(); ++key) {
        const bool used = std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
            return !row.at(key).text.empty();
        });
        if (used) {
            shown.push_back(key);
        }
    }
    return shown;
}

std::size_t Table::keys_width() const {
    std::size_t width = indent;
    for (const std::size_t key : shown_keys()) {
        width += column_width(key) + column_gap;
    }
    return width;
}

std::vector<Table::Span> Table::spans(std::size_t width) const {
    std::vector<Span> all;
    std::size_t first = 0;
    for (const ColumnGroup& group : groups_) {
        // A group that is too wide for a line is cut where the line ends.
        const std::size_t end = first + group.columns.size();
        while (first < end) {
            Span span{first, 1, group.title, group.left};
            while (first + span.count < end) {
                const Span more{first, span.count + 1, group.title, group.left};
                if (keys_width() + span_width(more) > width) {
                    break;
                }
                span = more;
            }
            first += span.count;
            all.push_back(span);
        }
    }
    return all;
}

std::string
Table::span_text(const std::vector<CellText>& row, const Span& span, bool colour) const {
    std::string text;
    std::size_t plain = (span.count - 1) * column_gap;
    for (std::size_t i = 0; i < span.count; ++i) {
        const std::size_t column = keys_.size() + span.first + i;
        const CellText& cell = row.at(column);
        const std::size_t width = column_width(column);
        const std::size_t have = columns(cell.text);
        const std::string space(width > have ? width - have : 0, ' ');
        const std::string shown = styled(cell.text, cell.style, colour);
        text.append(i == 0 ? 0 : column_gap, ' ').append(span.left ? shown : space);
        text.append(span.left ? space : shown);
        plain += width;
    }
    // A title wider than its columns leaves room beside them.
    const std::string fill(span_width(span) - plain, ' ');
    return span.left ? text + fill : fill + text;
}

void Table::render_row(
    const std::vector<CellText>& row, const std::vector<Span>& block, bool colour, std::string& out
) const {
    std::string line(indent, ' ');
    for (const std::size_t key : shown_keys()) {
        line += styled(pad_right(row.at(key).text, column_width(key)), row.at(key).style, colour);
        line.append(column_gap, ' ');
    }
    for (const Span& span : block) {
        line.append(&span == &block.front() ? 0 : group_gap, ' ');
        line += span_text(row, span, colour);
    }
    end_line(out, std::move(line));
}

void Table::render_block(const std::vector<Span>& block, bool colour, std::string& out) const {
    const bool titled = std::any_of(block.begin(), block.end(), [](const Span& span) {
        return !span.title.empty();
    });
    if (titled) {
        std::string line(keys_width(), ' ');
        bool first_span = true;
        for (const Span& span : block) {
            line.append(first_span ? 0 : group_gap, ' ');
            line += span.left ? pad_right(span.title, span_width(span))
                              : pad_left(span.title, span_width(span));
            first_span = false;
        }
        end_line(out, std::move(line));
    }
    std::vector<CellText> titles;
    std::size_t total = keys_.size();
    for (const ColumnGroup& group : groups_) {
        total += group.columns.size();
    }
    for (std::size_t column = 0; column < total; ++column) {
        titles.emplace_back(title_of(column));
    }
    render_row(titles, block, false, out);
    for (const auto& row : rows_) {
        render_row(row, block, colour, out);
    }
}

std::vector<std::vector<Table::Span>>
Table::blocks(const std::vector<Span>& spans, std::size_t width) const {
    std::vector<std::vector<Span>> all;
    std::size_t used = 0;
    for (const Span& span : spans) {
        const std::size_t more = span_width(span) + group_gap;
        if (all.empty() || used + more > width) {
            all.emplace_back();
            used = keys_width() + span_width(span);
        } else {
            used += more;
        }
        all.back().push_back(span);
    }
    return all;
}

std::string Table::render(std::size_t width, bool colour) const {
    const std::vector<Span> all = spans(width);
    auto folded = blocks(all, width);
    // As narrow as so many blocks allow: a last block of one column would be hard to read.
    for (std::size_t narrow = keys_width(); folded.size() > 1 && narrow < width; ++narrow) {
        if (auto even = blocks(all, narrow); even.size() == folded.size()) {
            folded = std::move(even);
            break;
        }
    }
    std::string out;
    for (const std::vector<Span>& block : folded) {
        render_block(block, colour, out);
    }
    return out;
}

}  // namespace gensink::report::detail
