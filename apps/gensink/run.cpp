// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include "experiment/experiment.hpp"
#include "host/veth.hpp"
#include "report/write.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "commands.hpp"
#include "exporter/exporter.hpp"
#include "facts.hpp"
#include "limits.hpp"
#include "measure.hpp"
#include "outcome.hpp"
#include "own_plan.hpp"
#include "planning.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "streams.hpp"

namespace gensink::app {
namespace {

/// Absent where nobody asked for one.
Result<std::optional<exporter::Exporter>> start_exporter(const std::string& address) {
    if (address.empty()) {
        return std::nullopt;
    }
    auto exporter = exporter::Exporter::start(address);
    if (!exporter) {
        return tl::unexpected<Error>(exporter.error());
    }
    tell(fmt::format("metrics: {}\n", exporter->url()));
    return *std::move(exporter);
}

}  // namespace

Status run(const RunArguments& options) {
    auto planned = make_own_plan(options.profile);
    if (!planned) {
        return report_errors(planned.error());
    }
    plan::Plan& plan = planned->plan;
    if (options.seed) {
        plan.stats.seed = *options.seed;
    }
    if (const auto fits = fit_time(plan, options.budget, options.yes); !fits) {
        return report_errors({{fits.error()}});
    }
    const auto exporter = start_exporter(options.prometheus);
    if (!exporter) {
        return report_errors({{exporter.error()}});
    }
    report::RunInfo info = run_info(planned->topology);
    const auto dir = options.out.empty()
                         ? report::make_result_dir("gensink-results", info.started, plan.name)
                         : report::make_empty_dir(options.out);
    if (!dir) {
        return report_errors({{dir.error()}});
    }
    const Signals signals;  // first: whoever is stopped removes what was made
    std::optional<host::VethPair> veth;
    if (plan.veth) {
        auto made = host::VethPair::make(*plan.veth);
        if (!made) {
            return report_errors({{made.error()}});
        }
        veth.emplace(*std::move(made));
    }
    Progress progress(plan, options.json_stream, *exporter ? &**exporter : nullptr);
    experiment::ExperimentResult result = measure(plan, signals, progress);
    progress.finish();
    info.finished = now_utc();
    const Status status = status_of(result, signals.arrived());
    return tell_outcome(
        report::collect(std::move(info), plan, std::move(result)), *dir, options, status
    );
}

void add_run_options(Command command, RunArguments& options) {
    command
        .add_option(
            "--out", options.out, "folder for the result (default: gensink-results/TIME-NAME)"
        )
        .value("DIR")
        .not_empty();
    constexpr std::uint64_t exact_in_json = (std::uint64_t{1} << 53) - 1;
    command.add_option("--seed", options.seed, "seed of the order of trials")
        .within(0, exact_in_json);
    command.add_option("--budget", options.budget, "longest time, such as 5m: fewer rounds")
        .value("TIME")
        .not_empty();
    command
        .add_option(
            "--junit", options.junit, "also write the expectations to this file, as JUnit XML"
        )
        .value("FILE")
        .not_empty();
    command
        .add_option(
            "--prometheus",
            options.prometheus,
            "PORT, on loopback, or ADDRESS:PORT: serve the run's numbers to Prometheus, at /metrics"
        )
        .value("ADDRESS")
        .not_empty();
    command.add_flag(
        "--json-stream",
        options.json_stream,
        "JSON lines on stdout in place of the report: one a second, and the outcome at the end"
    );
    command.add_flag("--yes", options.yes, "run plans longer than 30 minutes");
}

void add_run(Command root, Status& status) {
    auto options = std::make_shared<RunArguments>();
    Command command =
        root.add_command("run", "run a whole experiment, both ends, and print its verdict");
    add_profile_options(command, options->profile);
    add_ports_option(command, options->profile);
    add_run_options(command, *options);
    command.callback([options, &status] { status = run(*options); });
}

}  // namespace gensink::app
