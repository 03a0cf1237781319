// SPDX-License-Identifier: BSD-3-Clause
#include "report/history.hpp"

#include "report/json.hpp"
#include "report/progress.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "commands.hpp"
#include "ratio.hpp"
#include "streams.hpp"

namespace gensink::app {
namespace {

struct HistoryArguments {
    std::string folder;
    std::string margin = "2 %";
    std::string confidence = "99 %";
    std::string profile;
    std::string metric;
};

Status refused(const Error& error) {
    return report_errors(std::span(&error, 1));
}

/// Every result.json under a folder.
Result<std::vector<std::filesystem::path>> find_results(const std::string& folder) {
    std::error_code code;
    std::vector<std::filesystem::path> files;
    std::filesystem::recursive_directory_iterator entry(folder, code);
    for (; !code && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(code)) {
        if (entry->path().filename() == "result.json") {
            files.push_back(entry->path());
        }
    }
    if (code) {
        return fail(ErrorKind::usage, "cannot be read: " + code.message(), folder);
    }
    if (files.empty()) {
        return fail(ErrorKind::usage, "no result.json in it or below", folder);
    }
    std::ranges::sort(files);
    return files;
}

Status history(const HistoryArguments& options) {
    const Result<double> margin = ratio_of("compare.margin", options.margin, "--margin");
    const Result<double> confidence =
        ratio_of("stats.confidence", options.confidence, "--confidence");
    if (!margin || !confidence) {
        return refused(margin ? confidence.error() : margin.error());
    }
    if (!options.metric.empty() && trial::find_metric(options.metric) == nullptr) {
        return refused(
            {ErrorKind::usage, fmt::format("no metric '{}'", options.metric), "--metric", 0}
        );
    }
    const auto files = find_results(options.folder);
    if (!files) {
        return refused(files.error());
    }
    const report::HistoryOptions how{options.profile, options.metric, *margin, *confidence};
    report::History history(how);
    for (const std::filesystem::path& file : *files) {
        if (const Result<report::Saved> saved = report::load_file(file)) {
            history.add(*saved, file.parent_path().lexically_relative(options.folder).string());
        } else {
            tell(fmt::format("left out: {}: {}\n", saved.error().where, saved.error().message));
        }
    }
    const std::vector<report::HistorySeries> series = std::move(history).finish();
    if (series.empty()) {
        return refused(
            {ErrorKind::usage, "no result in it has this profile or metric", options.folder, 0}
        );
    }
    const auto terminal = report::terminal_columns(STDOUT_FILENO);
    const report::TextOptions text{
        terminal.value_or(report::TextOptions{}.width), terminal.has_value(), false};
    fmt::print("{}", report::history_text(series, how, text));
    return Status::ok;
}

}  // namespace

void add_history(Command root, Status& status) {
    Command command = root.add_command(
        "history", "a metric over many saved results of a profile, with its changes marked"
    );
    auto options = std::make_shared<HistoryArguments>();
    command.add_option("DIR", options->folder, "a folder; every result.json below it is read")
        .required();
    command.add_option("--profile", options->profile, "only results of this profile").not_empty();
    command.add_option("--metric", options->metric, "in place of each result's first").not_empty();
    command.add_option("--margin", options->margin, "changes within it are none").show_default();
    command
        .add_option(
            "--confidence", options->confidence, "that a series without a change shows none"
        )
        .show_default();
    command.callback([options, &status] { status = history(*options); });
}

}  // namespace gensink::app
