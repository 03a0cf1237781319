// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare.hpp"

#include "profile/keys.hpp"
#include "profile/value.hpp"
#include "report/json.hpp"
#include "report/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unistd.h>
#include <variant>

#include "commands.hpp"

namespace gensink::app {
namespace {

struct CompareArguments {
    std::string a;
    std::string b;
    std::string margin = "2 %";
    std::string confidence = "99 %";
    bool force = false;
};

/// Parses an option by the rules of the profile's key that it replaces.
Result<double> ratio_of(std::string_view key, const std::string& text, const char* option) {
    const auto keys = profile::keys();
    const auto spec = std::ranges::find(keys, key, &profile::KeySpec::path);
    if (spec == keys.end()) {
        return fail(ErrorKind::usage, fmt::format("no key {} to parse it by", key), option);
    }
    const auto value = profile::parse_value(*spec, text);
    if (!value) {
        return fail(ErrorKind::usage, value.error(), option);
    }
    const double* ratio = std::get_if<double>(&*value);
    return ratio != nullptr ? Result<double>(*ratio)
                            : fail(ErrorKind::usage, profile::how_to_write(*spec), option);
}

Status verdict_status(experiment::Verdict verdict) {
    if (verdict == experiment::Verdict::invalid) {
        return Status::invalid;
    }
    return verdict == experiment::Verdict::inconclusive ? Status::inconclusive : Status::ok;
}

Status refuse(const Error& error) {
    const Status status = report_errors(std::span(&error, 1));
    return error.kind == ErrorKind::measurement ? Status::invalid : status;
}

/// Two saved results, or two published tables.
template <class Side>
Status compare_sides(const Side& a, const Side& b, const report::CompareOptions& how) {
    const Result<report::SavedComparison> compared = report::compare(a, b, how);
    if (!compared) {
        return refuse(compared.error());
    }
    const auto terminal = report::terminal_columns(STDOUT_FILENO);
    const report::TextOptions text{
        terminal.value_or(report::TextOptions{}.width), terminal.has_value(), false};
    fmt::print("{}", report::compare_text(a, b, *compared, how, text));
    return verdict_status(compared->verdict);
}

Status compare(const CompareArguments& options) {
    const Result<double> margin = ratio_of("compare.margin", options.margin, "--margin");
    const Result<double> confidence =
        ratio_of("stats.confidence", options.confidence, "--confidence");
    if (!margin || !confidence) {
        return refuse(margin ? confidence.error() : margin.error());
    }
    const report::CompareOptions how{*margin, *confidence, options.force};
    const auto table_a = report::load_published_file(options.a);
    const auto table_b = report::load_published_file(options.b);
    if (!table_a || !table_b) {
        return refuse(table_a ? table_b.error() : table_a.error());
    }
    if (table_a->has_value() && table_b->has_value()) {
        return compare_sides(**table_a, **table_b, how);
    }
    const Result<report::Saved> a = report::load_file(options.a);
    const Result<report::Saved> b = report::load_file(options.b);
    return a && b ? compare_sides(*a, *b, how) : refuse(a ? b.error() : a.error());
}

}  // namespace

void add_compare(Command root, Status& status) {
    Command command = root.add_command(
        "compare", "compare two saved results; refuses when more than one setting differs"
    );
    auto options = std::make_shared<CompareArguments>();
    command.add_option("A", options->a, "result.json (or its folder) to compare with").required();
    command.add_option("B", options->b, "result.json (or its folder) of which the gain is told")
        .required();
    command.add_option("--margin", options->margin, "differences within it are none")
        .show_default();
    command.add_option("--confidence", options->confidence, "of all intervals of a metric together")
        .show_default();
    command.add_flag("--force", options->force, "compare although more than one setting differs");
    command.callback([options, &status] { status = compare(*options); });
}

}  // namespace gensink::app
