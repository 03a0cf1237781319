// SPDX-License-Identifier: BSD-3-Clause
#include "report/csv.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/progress.hpp"
#include "report/text.hpp"
#include "report/write.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "commands.hpp"

namespace gensink::app {
namespace {

struct ReportArguments {
    std::vector<std::string> results;
    std::string csv;
    std::string html;
    std::optional<std::size_t> width;
    bool cores = false;
};

Status refuse(std::string message, std::string where) {
    const Error error{ErrorKind::usage, std::move(message), std::move(where)};
    return report_errors(std::span(&error, 1));
}

/// Files that were asked for beside the text.
Result<void> write_files(const report::Saved& saved, const ReportArguments& options) {
    Result<void> written;
    if (!options.csv.empty()) {
        written = report::write_file(options.csv, report::csv(saved));
    }
    if (written && !options.html.empty()) {
        written = report::write_file(options.html, report::html(saved));
    }
    return written;
}

/// Why the options cannot go together; empty where they can.
std::string
contradiction(const ReportArguments& options, const std::string& file, const char* why) {
    return !file.empty() && options.results.size() > 1
               ? fmt::format("takes one result at a time{}", why)
               : std::string();
}

Status report(const ReportArguments& options) {
    const std::string csv = contradiction(options, options.csv, ", as swept keys are columns");
    const std::string html = contradiction(options, options.html, "");
    if (!csv.empty() || !html.empty()) {
        return csv.empty() ? refuse(html, "--html") : refuse(csv, "--csv");
    }
    const std::optional<std::size_t> terminal = report::terminal_columns(STDOUT_FILENO);
    const report::TextOptions text{
        options.width.value_or(terminal.value_or(report::TextOptions{}.width)),
        terminal.has_value(),
        options.cores,
    };
    bool first = true;
    for (const std::string& path : options.results) {
        const Result<report::Saved> saved = report::load_file(path);
        if (!saved) {
            return report_errors(std::span(&saved.error(), 1));
        }
        if (options.csv == "-") {
            fmt::print("{}", report::csv(*saved));
            return Status::ok;
        }
        fmt::print("{}{}", first ? "" : "\n", report::text(*saved, text));
        first = false;
        const Result<void> written = write_files(*saved, options);
        if (!written) {
            return report_errors(std::span(&written.error(), 1));
        }
    }
    return Status::ok;
}

}  // namespace

void add_report(Command root, Status& status) {
    Command command = root.add_command("report", "print saved results again");
    auto options = std::make_shared<ReportArguments>();
    command
        .add_option(
            "RESULT", options->results, "a result.json of gensink run, or the folder of one"
        )
        .required();
    command
        .add_option("--csv", options->csv, "also write one row a trial to this file; - prints it")
        .not_empty();
    command.add_option("--html", options->html, "also write it to this file as a page with charts")
        .not_empty();
    command.add_option("--width", options->width, "columns of the text (default: the terminal's)");
    command.add_flag("--cores", options->cores, "cost by core and cause, however many rows");
    command.callback([options, &status] { status = report(*options); });
}

}  // namespace gensink::app
