// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gensink::report::detail {

enum class Style { plain, bold, good, bad, doubt };

/// `text` between ANSI sequences, if `colour`.
[[nodiscard]] std::string styled(std::string_view text, Style style, bool colour);

struct CellText {
    CellText() = default;

    explicit CellText(std::string what) : text(std::move(what)) {}

    CellText(std::string what, Style how) : text(std::move(what)), style(how) {}

    std::string text;
    Style style = Style::plain;
};

/// Columns under one title, kept together when a table folds; an empty title is no title.
struct ColumnGroup {
    std::string title;
    std::vector<std::string> columns;
    bool left = false;  ///< words rather than numbers
};

/// A table that never loses a column: what does not fit in the width follows below, under the same
/// key columns. Key columns whose rows are all empty are left out.
class Table {
  public:
    Table(std::vector<std::string> keys, std::vector<ColumnGroup> groups)
        : keys_(std::move(keys)), groups_(std::move(groups)) {}

    /// One text a key column, then one a column of the groups, in order.
    void add(std::vector<CellText> row) { rows_.push_back(std::move(row)); }

    [[nodiscard]] bool empty() const { return rows_.empty(); }

    [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

    [[nodiscard]] const std::vector<ColumnGroup>& groups() const { return groups_; }

    [[nodiscard]] const std::vector<std::vector<CellText>>& rows() const { return rows_; }

    /// Indices of the key columns that are not empty throughout.
    [[nodiscard]] std::vector<std::size_t> shown_keys() const;

    [[nodiscard]] std::string render(std::size_t width, bool colour) const;

  private:
    struct Span {
        std::size_t first;  ///< column index, keys not counted
        std::size_t count;
        std::string title;
        bool left;
    };

    [[nodiscard]] std::vector<Span> spans(std::size_t width) const;
    /// Spans side by side within the width, as many blocks as that takes.
    [[nodiscard]] std::vector<std::vector<Span>>
    blocks(const std::vector<Span>& spans, std::size_t width) const;
    [[nodiscard]] std::size_t column_width(std::size_t column) const;
    [[nodiscard]] std::size_t span_width(const Span& span) const;
    [[nodiscard]] std::string title_of(std::size_t column) const;
    [[nodiscard]] std::size_t keys_width() const;
    [[nodiscard]] std::string
    span_text(const std::vector<CellText>& row, const Span& span, bool colour) const;
    void render_block(const std::vector<Span>& block, bool colour, std::string& out) const;
    void render_row(
        const std::vector<CellText>& row,
        const std::vector<Span>& block,
        bool colour,
        std::string& out
    ) const;

    std::vector<std::string> keys_;
    std::vector<ColumnGroup> groups_;
    std::vector<std::vector<CellText>> rows_;
};

}  // namespace gensink::report::detail
