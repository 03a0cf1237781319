// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare.hpp"

#include "report/json.hpp"
#include "report/progress.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "commands.hpp"
#include "gates.hpp"
#include "ratio.hpp"
#include "saved_profile.hpp"

namespace gensink::app {
namespace {

struct CompareArguments {
    std::string a;
    std::string b;
    std::string margin = "2 %";
    std::string confidence = "99 %";
    std::vector<std::string> fail_on;
    bool force = false;
};

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

/// How two sides are compared, and what fails.
struct How {
    report::CompareOptions options;
    std::vector<report::Gate> gates;
};

/// Two saved results, or two published tables.
template <class Side>
Status compare_sides(const Side& a, const Side& b, const How& how) {
    const Result<report::SavedComparison> compared = report::compare(a, b, how.options);
    if (!compared) {
        return refuse(compared.error());
    }
    const auto terminal = report::terminal_columns(STDOUT_FILENO);
    const report::TextOptions text{
        terminal.value_or(report::TextOptions{}.width), terminal.has_value(), false};
    fmt::print("{}", report::compare_text(a, b, *compared, how.options, text));
    return how.gates.empty() ? verdict_status(compared->verdict) : judge(*compared, how.gates);
}

Status compare(const CompareArguments& options) {
    const Result<double> margin = ratio_of("compare.margin", options.margin, "--margin");
    const Result<double> confidence =
        ratio_of("stats.confidence", options.confidence, "--confidence");
    if (!margin || !confidence) {
        return refuse(margin ? confidence.error() : margin.error());
    }
    auto gates = parse_gates(options.fail_on);
    if (!gates) {
        return refuse(gates.error());
    }
    How how{{*margin, *confidence, options.force, {}}, *std::move(gates)};
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
    if (!a || !b) {
        return refuse(a ? b.error() : a.error());
    }
    how.options.keys = key_differences(*a, *b);
    return compare_sides(*a, *b, how);
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
    command
        .add_option(
            "--fail-on",
            options->fail_on,
            "[METRIC:]loss:2%: exit 1 where B is proven worse than A by more, 5 where that cannot "
            "be told, else 0; may be repeated"
        )
        .repeated();
    command.add_flag("--force", options->force, "compare although more than one setting differs");
    command.callback([options, &status] { status = compare(*options); });
}

}  // namespace gensink::app
