// SPDX-License-Identifier: BSD-3-Clause
#include "outcome.hpp"

#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/progress.hpp"
#include "report/text.hpp"
#include "report/write.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <unistd.h>

namespace gensink::app {
namespace {

/// Whoever reads stdout may have gone; fmt::print would throw.
void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

Status tell_outcome(
    const report::Saved& saved,
    const std::filesystem::path& dir,
    const RunArguments& options,
    Status status
) {
    Result<void> written = report::write(dir, saved);
    if (written && !options.junit.empty()) {
        written = report::write_file(options.junit, report::junit(saved));
    }
    const std::string file = (dir / "result.json").string();
    if (options.json_stream) {
        print(report::outcome_json(saved, file, static_cast<int>(status)) + "\n");
    } else {
        const auto columns = report::terminal_columns(STDOUT_FILENO);
        print(report::text(saved, {columns.value_or(100), columns.has_value(), false}));
    }
    if (!written) {
        return report_errors({{written.error()}});
    }
    if (!options.json_stream) {
        print(fmt::format("Result: {}\nPage: {}\n", file, (dir / "report.html").string()));
    }
    return status;
}

}  // namespace gensink::app
