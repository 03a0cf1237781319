// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/datapath.hpp"
#include "experiment/experiment.hpp"
#include "profile/value.hpp"
#include "report/text.hpp"
#include "report/write.hpp"
#include "trial/trial.hpp"
#include "worker/fleet.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unistd.h>

#include "commands.hpp"
#include "facts.hpp"
#include "planning.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace gensink::app {
namespace {

struct Options {
    ProfileOptions profile;
    std::string out;
    std::string budget;
    std::optional<std::uint64_t> seed;
    bool yes = false;
};

constexpr Duration needs_consent = std::chrono::minutes(30);

/// Fewer rounds where a budget asks for it; an error where the plan is too long all the same.
Result<void> fit_time(plan::Plan& plan, const Options& options) {
    if (!options.budget.empty()) {
        const auto value = profile::parse_value(
            {.path = "--budget", .kind = profile::Kind::duration}, options.budget
        );
        if (!value) {
            return fail(ErrorKind::usage, value.error(), "--budget " + options.budget);
        }
        const Duration budget = std::get<Duration>(*value);
        const unsigned asked = plan.stats.rounds;
        while (plan.duration() > budget && plan.stats.rounds > 3) {
            --plan.stats.rounds;
        }
        if (plan.duration() > budget) {
            return fail(
                ErrorKind::usage,
                fmt::format(
                    "3 rounds take about {:.0f} s; shorten run.measure, or raise the budget",
                    seconds(plan.duration())
                ),
                "--budget " + options.budget
            );
        }
        if (plan.stats.rounds != asked) {
            plan.warnings.push_back(fmt::format(
                "--budget {}: {} rounds instead of {}", options.budget, plan.stats.rounds, asked
            ));
        }
    }
    if (plan.duration() > needs_consent && !options.yes) {
        return fail(
            ErrorKind::usage,
            fmt::format(
                "the plan takes about {:.0f} min; say --yes, --quick, or --budget 20m",
                seconds(plan.duration()) / 60
            ),
            plan.name
        );
    }
    return {};
}

/// The worst applies: 130 > 2 > 3 > 6 > 4 > 1 > 5 > 0.
Status status_of(const experiment::ExperimentResult& result, bool interrupted) {
    if (interrupted) {
        return Status::interrupted;
    }
    const auto has = [&](trial::ReasonCode code) {
        return std::any_of(
            result.trials.begin(),
            result.trials.end(),
            [&](const trial::TrialResult& t) {
                return std::any_of(t.reasons.begin(), t.reasons.end(), [&](const trial::Reason& r) {
                    return r.code == code;
                });
            }
        );
    };
    if (has(trial::ReasonCode::environment)) {
        return Status::environment;
    }
    if (result.failed || has(trial::ReasonCode::datapath_died)) {
        return Status::run_failed;
    }
    if (result.verdict == experiment::Verdict::invalid) {
        return Status::invalid;
    }
    if (std::any_of(result.expectations.begin(), result.expectations.end(), [](const auto& e) {
            return !e.met;
        })) {
        return Status::expectation_unmet;
    }
    return result.has_verdict && result.verdict == experiment::Verdict::inconclusive
               ? Status::inconclusive
               : Status::ok;
}

experiment::ExperimentResult
measure(const plan::Plan& plan, const Signals& signals, Progress& progress) {
    worker::Fleet fleet(plan.cells, &dpdk::make_datapath, signals.fd());
    experiment::Hooks hooks;
    hooks.begin_round = [&](unsigned) {
        fleet.new_round();
    };
    hooks.stopped = [&] {
        return signals.arrived();
    };
    hooks.progress = [&](unsigned done, unsigned total) {
        progress.step(done, total);
    };
    hooks.run_trial = [&](const trial::Request& request) {
        plan::TrialPlan trial = plan.cells[request.cell].trial;
        const auto datapath = fleet.datapath(request.cell);
        if (!datapath) {
            return trial::failed(request, datapath.error());
        }
        return trial::run(
            **datapath,
            trial,
            request,
            [&](counters::Phase phase, const trial::Snapshot& s) {
                progress.show(request, phase, s);
            }
        );
    };
    return experiment::run(plan, hooks);
}

/// Whoever reads stdout may have gone; fmt::print would throw.
void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

Status run(const Options& options) {
    auto planned = make_plan(options.profile);
    if (!planned) {
        return report_errors(planned.error());
    }
    plan::Plan& plan = planned->plan;
    if (options.seed) {
        plan.stats.seed = *options.seed;
    }
    if (const auto fits = fit_time(plan, options); !fits) {
        return report_errors({{fits.error()}});
    }
    report::RunInfo info = run_info(planned->topology);
    const auto dir = options.out.empty()
                         ? report::make_result_dir("gensink-results", info.started, plan.name)
                         : Result<std::filesystem::path>(options.out);
    if (!dir) {
        return report_errors({{dir.error()}});
    }
    const Signals signals;
    Progress progress(plan);
    experiment::ExperimentResult result = measure(plan, signals, progress);
    progress.finish();
    info.finished = now_utc();
    const Status status = status_of(result, signals.arrived());
    const report::Saved saved = report::collect(std::move(info), plan, std::move(result));
    const auto written = report::write(*dir, saved);
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    print(report::text(
        saved, {report::terminal_columns(STDOUT_FILENO).value_or(100), terminal, false}
    ));
    if (!written) {
        return report_errors({{written.error()}});
    }
    print(fmt::format("Result: {}\n", (*dir / "result.json").string()));
    return status;
}

}  // namespace

void add_run(CLI::App& app, Status& status) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("run", "run a whole experiment, both ends, and print its verdict");
    add_profile_options(*command, options->profile);
    command->add_option(
        "--out", options->out, "folder for the result (default: gensink-results/TIME-NAME)"
    );
    command->add_option("--seed", options->seed, "seed of the order of trials");
    command->add_option("--budget", options->budget, "longest time, such as 5m: fewer rounds");
    command->add_flag("--yes", options->yes, "run plans longer than 30 minutes");
    command->callback([options, &status] { status = run(*options); });
}

}  // namespace gensink::app
