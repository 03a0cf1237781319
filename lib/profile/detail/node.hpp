// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gensink::profile::detail {

/// Where a node was written: in the file, or in the n-th `--set`.
struct Mark {
    int line = 1;    ///< from 1
    int column = 1;  ///< from 1, in bytes
    int override_index = -1;
};

/// A document as parsed: scalars are still text. Aliases are already copied in.
struct YamlNode {
    enum class Type { null, scalar, sequence, map };
    Type type = Type::null;
    std::string scalar;
    Mark mark;
    std::vector<YamlNode> keys;   ///< of a map, scalars, in order, duplicates kept
    std::vector<YamlNode> items;  ///< of a sequence, or the values of a map
};

/// Largest document, and most nodes after aliases are copied in.
inline constexpr std::size_t max_document_bytes = 256UL * 1024;
inline constexpr std::size_t max_nodes = 20000;

/// Parses one YAML document. Errors: profile, with `where` = "file:line:column".
[[nodiscard]] Result<YamlNode> parse_yaml(std::string_view text, std::string_view file);

/// "a map", "a list", "`text`", for messages.
[[nodiscard]] std::string describe(const YamlNode& node);

}  // namespace gensink::profile::detail
