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

Status report(const ReportArguments& options) {
    if (!options.csv.empty() && options.results.size() > 1) {
        return refuse("takes one result at a time, as swept keys are columns", "--csv");
    }
    if (!options.html.empty() && options.results.size() > 1) {
        return refuse("takes one result at a time", "--html");
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
        Result<void> written;
        if (!options.csv.empty()) {
            written = report::write_file(options.csv, report::csv(*saved));
        }
        if (written && !options.html.empty()) {
            written = report::write_file(options.html, report::html(*saved));
        }
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
