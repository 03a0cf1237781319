// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/charts.hpp"
#include "report/detail/page.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Parts of a result as HTML.
namespace gensink::report::detail {

/// Text in which no character is markup, within an attribute's double quotes too.
[[nodiscard]] std::string escaped(std::string_view text);

/// Titles, paragraphs and tables.
[[nodiscard]] std::string markup(const std::vector<Section>& sections);

/// A stacked bar a core, with its shares in words.
[[nodiscard]] std::string markup(const std::vector<CoreTime>& cores);

/// From built to in order.
[[nodiscard]] std::string markup(const std::vector<LedgerFlow>& flows);

}  // namespace gensink::report::detail
