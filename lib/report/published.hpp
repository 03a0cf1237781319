// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Figures of a publication: values as printed, without the trials behind them.
namespace gensink::report {

inline constexpr std::string_view published_schema_id = "gensink.published/1";

struct PublishedCell {
    std::string arm;  ///< "transmit"
    std::vector<std::pair<std::string, std::string>> point;
    bool placebo = false;        ///< what differs between the tables cannot have changed it
    std::vector<double> values;  ///< in the metric's unit; one where only a mean was printed
};

struct Published {
    std::string name;
    std::string source;
    std::string metric;  ///< one of gensink's
    std::vector<PublishedCell> cells;
};

/// Absent where the file is JSON of another schema. Error: usage, for a file that cannot be read,
/// is no JSON, or lacks a part.
[[nodiscard]] Result<std::optional<Published>> load_published_file(const std::filesystem::path& path
);

}  // namespace gensink::report
