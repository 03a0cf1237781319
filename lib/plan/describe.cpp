// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace gensink::plan {

namespace {

using profile::Origin;
using profile::Profile;
using profile::Setting;

/// What a key is over all cells: one value, or one for each arm or point.
struct Spread {
    std::vector<std::string> texts;
    Origin origin = Origin::fallback;
};

void add_text(Spread& spread, std::string text) {
    if (std::ranges::find(spread.texts, text) == spread.texts.end()) {
        spread.texts.push_back(std::move(text));
    }
}

Spread spread_of(const Profile& profile, std::size_t key) {
    const Setting& common = profile.common.at(key);
    Spread spread;
    spread.origin = common.origin;
    if (profile::keys()[key].scope == profile::Scope::experiment) {
        add_text(spread, common.text);
        return spread;
    }
    bool by_arm = false;
    for (const profile::Cell& cell : profile.cells) {
        const Setting& setting = cell.settings.at(key);
        by_arm = by_arm || setting.origin == Origin::arm;
        if (setting.origin == Origin::arm || setting.origin == Origin::sweep) {
            spread.origin = setting.origin;
        }
    }
    for (const profile::Cell& cell : profile.cells) {
        if (!cell.placebo) {
            const Setting& setting = cell.settings.at(key);
            add_text(
                spread, by_arm ? fmt::format("{} ({})", setting.text, cell.arm) : setting.text
            );
        }
    }
    return spread;
}

std::string join(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) {
        all += all.empty() ? "" : ", ";
        all += text;
    }
    return all;
}

std::string plural(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string describe_pilot(const Plan& plan) {
    if (!plan.has_pilot()) {
        return {};
    }
    return fmt::format(
        "Precision +-{:g} %: a pilot of {} sizes the rounds, to between {} and {}; the numbers "
        "below are for stats.rounds\n",
        *plan.stats.precision_ratio * 100,
        plural(pilot_rounds, "round"),
        fewest_sized_rounds,
        most_sized_rounds
    );
}

std::string describe_fit(const Plan& plan) {
    if (!plan.fit) {
        return {};
    }
    const FitPlan& fit = *plan.fit;
    return fmt::format(
        "Fit: {} = {}{}\n",
        fit.metric,
        fit.law == LawKind::affine   ? fmt::format("({} - offset) / RTT", fit.key)
        : fit.law == LawKind::linear ? fmt::format("a + b * {}", fit.key)
                                     : fmt::format("a + b / {}", fit.key),
        fit.reference.empty() ? "" : fmt::format(", beside the b of `{}`", fit.reference)
    );
}

}  // namespace

std::string describe_keys(const Profile& profile) {
    std::string text = "Keys, their values, and who set them\n";
    const auto table = profile::keys();
    for (std::size_t i = 0; i < table.size(); ++i) {
        const Spread spread = spread_of(profile, i);
        text += fmt::format(
            "  {:<28} {:<36} {}\n", table[i].path, join(spread.texts), name(spread.origin)
        );
    }
    return text;
}

std::string describe_experiment(const Plan& plan) {
    std::string text = fmt::format("Metrics: {}\n", join(plan.metrics));
    const StatsPlan& stats = plan.stats;
    if (plan.compare) {
        text += fmt::format(
            "Compared with `{}`: margin {:g} %, {:g} % confidence{}\n",
            plan.compare->baseline,
            plan.compare->margin_ratio * 100,
            stats.confidence * 100,
            plan.compare->placebo ? ", placebo in every round" : ", no placebo"
        );
    }
    text += describe_fit(plan);
    if (plan.knee) {
        text += fmt::format(
            "Knee: the smallest {} within {:g} % of the best {}, and its hold time\n",
            knee_key,
            plan.knee->margin_ratio * 100,
            plan.knee->metric
        );
    }
    if (plan.search) {
        text += fmt::format(
            "Search: highest load with loss of at most {:g} %, to {:g} %, {} a load\n",
            plan.search->loss_ratio * 100,
            plan.search->resolution_ratio * 100,
            plural(plan.search->repeats, "trial")
        );
    }
    if (std::ranges::any_of(plan.cells, [](const Cell& cell) {
            return cell.trial.model.has_value();
        })) {
        text += "Model: virtual time, not a measurement\n";
    }
    text += describe_pilot(plan);
    const auto placebos = std::ranges::count_if(plan.cells, &Cell::placebo);
    const std::size_t arms = plan.arms.size() + (placebos > 0 ? 1 : 0);
    text += fmt::format(
        "{}{} x {} x {}: {}, about {}\n",
        plural(arms, "arm"),
        placebos > 0 ? " (one the placebo)" : "",
        plural(plan.cells.size() / std::max<std::size_t>(arms, 1), "point"),
        plural(stats.rounds, "round"),
        plural(plan.trials(), "trial"),
        describe_duration(plan.duration())
    );
    return text;
}

std::string describe_duration(Duration duration) {
    const double s = seconds(duration);
    if (s >= 3600) {
        return fmt::format(
            "{} h {} min", static_cast<int>(s / 3600), static_cast<int>(s / 60) % 60
        );
    }
    if (s >= 60) {
        return fmt::format("{} min {} s", static_cast<int>(s / 60), static_cast<int>(s) % 60);
    }
    if (s >= 1) {
        return fmt::format("{:.3g} s", s);
    }
    return fmt::format("{:.4g} ms", s * 1e3);
}

std::string describe_fps(double fps) {
    if (fps >= 1e6) {
        return fmt::format("{:.6g} Mfps", fps / 1e6);
    }
    if (fps >= 1e3) {
        return fmt::format("{:.6g} kfps", fps / 1e3);
    }
    return fmt::format("{:.6g} fps", fps);
}

}  // namespace gensink::plan
