// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/experiment.hpp"

#include "plan/detail/transport.hpp"
#include "profile/metric_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gensink::plan::detail {

namespace {

using profile::Profile;
using profile::Settings;

void plan_compare(const Settings& common, Plan& plan) {
    const auto baseline = common.find<std::string>("compare.baseline");
    if (!baseline) {
        if (plan.arms.size() > 1 && !plan.fit && !plan.search && !common.given("knee.")) {
            warn(plan.warnings, "the arms are not compared: compare.baseline names none of them");
        }
        return;
    }
    ComparePlan compare;
    compare.baseline = *baseline;
    compare.margin_ratio = common.get<double>("compare.margin");
    compare.placebo = common.get<std::string>("compare.placebo") == "true";
    compare.cost_load = common.find<flow::Load>("compare.cost_load");
    plan.compare = compare;
}

/// The rule is about what a trial repeats, if it fetches objects; else about the trials.
void plan_outliers(const Settings& common, Plan& plan, Problems& problems) {
    const Outliers outliers = outliers_of(common);
    const bool trims =
        outliers.rule == OutlierRule::trim_high || outliers.rule == OutlierRule::trim_both;
    const std::uint64_t gone =
        outliers.rule == OutlierRule::trim_both ? 2ULL * outliers.trim : outliers.trim;
    bool among_objects = false;
    for (const Cell& cell : plan.cells) {
        const TransportPlan* transport = cell.trial.transport ? &*cell.trial.transport : nullptr;
        if (transport == nullptr || !transport->sender.sequential) {
            continue;
        }
        among_objects = true;
        if (const std::uint64_t objects = *transport->sender.blocks; trims && gone >= objects) {
            problems.add(
                common.where("stats.trim"),
                fmt::format(
                    "leaves out {} of {} objects: lower it, or raise transfer.repetitions",
                    gone,
                    objects
                )
            );
        }
    }
    if (among_objects) {
        return;
    }
    plan.stats.outliers = outliers;
    if (trims && gone >= plan.stats.rounds) {
        problems.add(
            common.where("stats.trim"),
            fmt::format(
                "leaves out {} of {} rounds: lower it, or raise stats.rounds",
                gone,
                plan.stats.rounds
            )
        );
    }
}

void plan_stats(const Settings& common, Plan& plan, Problems& problems) {
    StatsPlan& stats = plan.stats;
    stats.confidence = common.get<double>("stats.confidence");
    stats.rounds = static_cast<unsigned>(common.get<std::uint64_t>("stats.rounds"));
    stats.seed = common.get<std::uint64_t>("stats.seed");
    stats.precision_ratio = common.find<double>("stats.precision");
    stats.rule = common.get<std::string>("stats.rule") == "netperf" ? Rule::netperf : Rule::paired;
    stats.netperf_width_ratio = common.get<double>("stats.width");
    stats.repeats = static_cast<unsigned>(common.get<std::uint64_t>("stats.repeats"));
    const double level = stats.confidence;
    const bool known = std::abs(level - 0.95) < 1e-9 || std::abs(level - 0.99) < 1e-9;
    if (stats.rule == Rule::netperf && !known) {
        problems.add(common.where("stats.confidence"), "netperf's rule knows 95 % and 99 % only");
    }
    if (stats.rule == Rule::netperf && (stats.rounds < 3 || stats.rounds > 30)) {
        problems.add(common.where("stats.rounds"), "netperf's rule takes 3 to 30 iterations");
    }
    if (plan.compare && stats.rounds < 2) {
        problems.add(common.where("stats.rounds"), "an interval needs at least 2 rounds");
    }
    plan_outliers(common, plan, problems);
}

bool is_number(profile::Kind kind) {
    return kind == profile::Kind::count || kind == profile::Kind::bytes;
}

LawKind law_of(const std::string& text) {
    return text == "linear"   ? LawKind::linear
           : text == "affine" ? LawKind::affine
                              : LawKind::inverse;
}

void plan_fit(const Profile& profile, Plan& plan, Problems& problems) {
    const Settings& common = profile.common;
    const auto key = common.find<std::string>("fit.key");
    if (!key) {
        if (common.given("fit.")) {
            problems.add(
                common.where("fit.metric"), "a fit needs fit.key, the swept key of its law"
            );
        }
        return;
    }
    const auto index = profile::find_key(*key);
    const bool swept = std::ranges::find(profile.swept, *key) != profile.swept.end();
    if (!swept || !index || !is_number(profile::keys()[*index].kind)) {
        problems.add(
            common.where("fit.key"), fmt::format("`{}` is not a swept key that holds numbers", *key)
        );
        return;
    }
    std::vector<std::string> values;
    for (const Cell& cell : plan.cells) {
        for (const auto& [name, value] : cell.point) {
            if (name == *key && std::ranges::find(values, value) == values.end()) {
                values.push_back(value);
            }
        }
    }
    if (values.size() < 3) {
        problems.add(
            common.where("fit.key"),
            fmt::format(
                "a fit of two constants needs 3 values of `{}`, not {}", *key, values.size()
            )
        );
    }
    plan.fit = FitPlan{
        law_of(common.get<std::string>("fit.law")),
        common.get<std::string>("fit.metric"),
        *key,
        common.find<std::string>("fit.reference").value_or("")};
}

/// A knee is one of rates: at any other load than max all bursts that reach it carry the same.
void plan_knee(const Profile& profile, Plan& plan, Problems& problems) {
    const Settings& common = profile.common;
    const auto margin = common.find<double>("knee.margin");
    const std::string where = common.where("knee.margin");
    if (!margin) {
        if (common.given("knee.")) {
            problems.add(
                where, "a knee needs knee.margin: how far below the best rate is good enough"
            );
        }
        return;
    }
    std::vector<std::string> bursts;
    for (const Cell& cell : plan.cells) {
        for (const auto& [name, value] : cell.point) {
            if (name == knee_key && std::ranges::find(bursts, value) == bursts.end()) {
                bursts.push_back(value);
            }
        }
    }
    if (bursts.size() < 2) {
        problems.add(
            where, fmt::format("a knee needs a sweep of {} over 2 values or more", knee_key)
        );
        return;
    }
    const auto bound = std::ranges::find_if(plan.cells, [](const Cell& cell) {
        return cell.trial.load.unit != flow::LoadUnit::max;
    });
    if (bound != plan.cells.end()) {
        problems.add(
            where,
            fmt::format(
                "a knee is one of rates, and arm `{}` sends at a set load: set traffic.load: max",
                bound->arm
            )
        );
    }
    if (plan.stats.rounds < 2) {
        problems.add(where, "an interval needs at least 2 rounds: raise stats.rounds");
    }
    plan.knee = KneePlan{
        *margin,
        cell_without_sink(plan) == nullptr ? "rx.fps" : "tx.fps",
        common.find<flow::Load>("knee.hold_load")};
}

void plan_search(const Settings& common, Plan& plan, Problems& problems) {
    const auto loss = common.find<double>("search.loss");
    if (!loss) {
        if (common.given("search.")) {
            problems.add(
                common.where("search.resolution"),
                "a search needs search.loss: 0 % for the highest load without loss"
            );
        }
        return;
    }
    plan.search = SearchPlan{
        *loss,
        common.get<double>("search.resolution"),
        static_cast<unsigned>(common.get<std::uint64_t>("search.repeats"))};
    if (const Cell* blind = cell_without_sink(plan)) {
        problems.add(
            common.where("search.loss"),
            fmt::format("a search counts loss, and arm `{}` has no sink", blind->arm)
        );
    }
    const auto closed = std::ranges::find_if(plan.cells, [](const Cell& cell) {
        return cell.trial.transport.has_value();
    });
    if (closed != plan.cells.end()) {
        problems.add(
            common.where("search.loss"),
            fmt::format(
                "a search raises the load until frames are lost, and the closed loop of arm `{}` "
                "holds it back: leave out search, or window, ack, congestion and transfer",
                closed->arm
            )
        );
    }
}

void plan_expect(const Profile& profile, Plan& plan, Problems& problems) {
    for (const profile::Expect& expect : profile.expect) {
        const profile::MetricName* metric = profile::find_metric_name(expect.metric);
        const Cell* blind = cell_without_sink(plan);
        if (metric != nullptr && metric->needs_sink && blind != nullptr &&
            (expect.arm.empty() || expect.arm == blind->arm)) {
            problems.add(expect.where, fmt::format("arm `{}` has no sink", blind->arm));
        }
        if (!expect.verdict.empty() && !plan.compare) {
            problems.add(expect.where, "a verdict needs compare.baseline");
        }
        const bool of_fits = expect.metric == profile::fit_ratio.name;
        if (of_fits && !plan.fit) {
            problems.add(expect.where, fmt::format("{} needs fit.key", expect.metric));
        }
        plan.expect.push_back(
            {.metric = expect.metric,
             .of_fits = of_fits,
             .arm = expect.arm,
             .at = expect.at,
             .limit = expect.limit,
             .verdict = expect.verdict,
             .equals = expect.equals,
             .at_least = expect.at_least,
             .at_most = expect.at_most,
             .within_ratio = expect.within_ratio}
        );
    }
}

void refuse_in(const Settings& settings, Problems& problems) {
    const auto table = profile::keys();
    for (std::size_t i = 0; i < table.size(); ++i) {
        const profile::Setting& setting = settings.at(i);
        if (setting.origin == profile::Origin::fallback) {
            continue;
        }
        bool later = false;
        profile::for_each_choice(table[i].later, [&](std::string_view choice) {
            later = later || choice == setting.text;
        });
        if (later) {
            problems.add(
                setting.where,
                fmt::format("`{}: {}` is not available yet", table[i].path, setting.text)
            );
        }
    }
}

}  // namespace

void refuse_unavailable(const Profile& profile, Problems& problems) {
    refuse_in(profile.common, problems);
    for (const profile::Cell& cell : profile.cells) {
        refuse_in(cell.settings, problems);
    }
}

void plan_experiment(const Profile& profile, Plan& plan, Problems& problems) {
    plan_metrics(profile.common, plan, problems);
    plan_fit(profile, plan, problems);
    plan_search(profile.common, plan, problems);
    plan_compare(profile.common, plan);
    plan_stats(profile.common, plan, problems);
    plan_knee(profile, plan, problems);
    plan_expect(profile, plan, problems);
}

}  // namespace gensink::plan::detail
