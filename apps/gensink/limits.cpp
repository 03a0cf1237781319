// SPDX-License-Identifier: BSD-3-Clause
#include "limits.hpp"

#include "profile/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::app {
namespace {

constexpr Duration needs_consent = std::chrono::minutes(30);

}  // namespace

Result<void> fit_time(plan::Plan& plan, const std::string& budget_text, bool consent) {
    if (!budget_text.empty()) {
        const auto value = profile::parse_value(
            {.path = "--budget", .kind = profile::Kind::duration}, budget_text
        );
        if (!value) {
            return fail(ErrorKind::usage, value.error(), "--budget " + budget_text);
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
                "--budget " + budget_text
            );
        }
        if (plan.stats.rounds != asked) {
            plan.warnings.push_back(fmt::format(
                "--budget {}: {} rounds instead of {}", budget_text, plan.stats.rounds, asked
            ));
        }
    }
    if (plan.duration() > needs_consent && !consent) {
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

}  // namespace gensink::app
