// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"
#include "profile/metric_names.hpp"
#include "trial/metrics.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "support.hpp"

using namespace gensink;
using namespace gensink::plan;
using namespace gensink::plan::test;

namespace {

const std::string two_arms =
    "arms:\n  - {name: one, set: {tx.burst: 1}}\n  - {name: many, set: {tx.burst: 32}}\n"
    "compare: {baseline: one}\n";

}  // namespace

TEST_CASE("metrics that a profile may name are those that a trial computes") {
    REQUIRE(profile::metric_names().size() == trial::metrics().size());
    for (const profile::MetricName& name : profile::metric_names()) {
        INFO(name.name);
        const trial::Metric* metric = trial::find_metric(name.name);
        REQUIRE(metric != nullptr);
        CHECK(metric->unit == name.unit);
        using Kind = profile::MetricName::Kind;
        const Kind kind = metric->kind == trial::MetricKind::cost   ? Kind::cost
                          : metric->kind == trial::MetricKind::rate ? Kind::rate
                                                                    : Kind::other;
        CHECK(kind == name.kind);
    }
}

TEST_CASE("trials count cost and rate apart where the load is max") {
    const std::string sweep = "sweep: {cross: {traffic.block_size: [128 B, 4096 B]}}\n";
    // 2 points x 3 arms with the placebo x cost and rate x 10 rounds
    CHECK(planned(two_arms + sweep).trials() == 120);
    CHECK(planned(two_arms + sweep + "traffic: {load: 1 Mfps}\n").trials() == 60);
    CHECK(planned(two_arms + sweep + "metrics: [rx.fps]\n").trials() == 60);
    CHECK(planned(two_arms + "stats: {rounds: 4}\n").trials() == 24);
    CHECK(planned("stats: {rounds: 4}\n").trials() == 4);
}

TEST_CASE("a search counts its probes") {
    // 1 at max, 7 halvings to 1 % in pairs, and one round.
    CHECK(planned("search: {loss: 0 %}\nstats: {rounds: 1}\n").trials() == 16);
}

TEST_CASE("durations grow with the phases") {
    const Plan plan = planned(two_arms);
    const double expected = 60 * (0.2 + 1.0);
    CHECK(seconds(plan.duration()) > expected);
    CHECK(seconds(plan.duration()) < 1.3 * expected);
}

TEST_CASE("a pilot takes its time, and the plan says so") {
    const Plan without = planned(two_arms);
    const Plan with = planned(two_arms + "stats: {precision: 2 %}\n");
    REQUIRE(with.has_pilot());
    CHECK_FALSE(without.has_pilot());
    // Five rounds of a trial of 1.2 s for each of two arms and the placebo.
    CHECK(with.duration() > without.duration() + std::chrono::milliseconds(5 * 3 * 1200));
    CHECK(with.duration() < 2 * without.duration());
    says(describe_experiment(with), "a pilot of 5 rounds");
}

TEST_CASE("every bundled profile is planned, and quick below 30 s, on two CPUs") {
    const std::filesystem::path root = source_root();
    for (const auto& entry : std::filesystem::directory_iterator(root / "profiles")) {
        if (entry.path().extension() != ".yaml") {
            continue;
        }
        INFO(entry.path().string());
        profile::LoadOptions quick;
        quick.quick = true;
        const auto profile = profile::load_file(entry.path(), quick);
        REQUIRE(profile);
        const auto plan = make(*profile, host(2), drivers());
        if (!plan) {
            UNSCOPED_INFO(plan.error().front().where << ": " << plan.error().front().message);
        }
        REQUIRE(plan);
        CHECK(seconds(plan->duration()) < 30);
        CHECK(plan->stats.confidence == Approx(0.99));
    }
}

TEST_CASE("what is not built yet is refused, never ignored") {
    const char* texts[] = {
        "traffic: {direction: both}\n",
    };
    for (const char* text : texts) {
        INFO(text);
        says(refused(text), "not available yet");
    }
    says(
        refused(
            two_arms.substr(0, two_arms.find("compare")) +
            "compare: {baseline: one, placebo: reverse}\n"
        ),
        "not available yet"
    );
}

TEST_CASE("the published experiments are planned on the model") {
    const std::filesystem::path root = source_root();
    const std::set<std::string> planned{"volanomark", "gpxe", "initial-window"};
    std::set<std::string> seen;
    for (const auto& entry :
         std::filesystem::directory_iterator(root / "tests/unit/profile/examples")) {
        INFO(entry.path().string());
        const auto profile = profile::load_file(entry.path());
        REQUIRE(profile);
        const std::string name = profile->common.get<std::string>("name");
        seen.insert(name);
        const auto plan = make(*profile, host(8), drivers());
        REQUIRE(plan);
        CHECK(std::ranges::all_of(plan->cells, [](const Cell& cell) {
            return cell.trial.model && cell.trial.transport;
        }));
    }
    CHECK(seen == planned);
}

TEST_CASE("a fit needs a swept key with numbers") {
    const std::string sweep = "sweep: {cross: {tx.burst: [1, 2, 4]}}\n";
    const Plan plan = planned(sweep + "fit: {key: tx.burst}\n");
    REQUIRE(plan.fit);
    CHECK(plan.fit->metric == "tx.ticks_per_frame");
    says(refused("fit: {key: tx.burst}\n"), "not a swept key");
    says(refused("sweep: {cross: {tx.fill: [full, due]}}\nfit: {key: tx.fill}\n"), "holds numbers");
    says(refused("sweep: {cross: {tx.burst: [1, 2]}}\nfit: {key: tx.burst}\n"), "needs 3 values");
    says(refused("fit: {metric: tx.fps}\n"), "needs fit.key");
}

TEST_CASE("a knee needs a sweep of bursts at load max, and rounds for its intervals") {
    const std::string sweep = "sweep: {cross: {tx.burst: [1, 32]}}\n";
    const std::string knee = "knee: {margin: 5 %}\n";
    const Plan plan = planned(sweep + knee);
    REQUIRE(plan.knee);
    CHECK(plan.knee->margin_ratio == Approx(0.05));
    CHECK(plan.knee->metric == "rx.fps");
    CHECK_FALSE(plan.cost_load());
    says(describe_experiment(plan), "the smallest tx.burst within 5 % of the best rx.fps");
    // Each of the two cells at max, at equal load, and once to find that load.
    const Plan plain = planned(sweep);
    CHECK_FALSE(plain.knee);
    CHECK(plan.trials() == 2 * plain.trials());
    const Plan held = planned(sweep + "knee: {margin: 5 %, hold_load: 1 Mfps}\n");
    REQUIRE(held.cost_load());
    CHECK(held.cost_load()->value == 1e6);
    says(refused(sweep + "knee: {hold_load: 1 Mfps}\n"), "needs knee.margin");
    says(refused(knee), "a knee needs a sweep of tx.burst");
    says(refused(sweep + knee + "traffic: {load: 1 Mfps}\n"), "set traffic.load: max");
    says(refused(sweep + knee + "stats: {rounds: 1}\n"), "at least 2 rounds");
}

TEST_CASE("netperf's rule knows two levels and 3 to 30 iterations") {
    const Plan plan = planned(two_arms + "stats: {rule: netperf, confidence: 95 %, width: 5 %}\n");
    CHECK(plan.stats.rule == Rule::netperf);
    CHECK(plan.stats.netperf_width_ratio == Approx(0.05));
    says(refused(two_arms + "stats: {rule: netperf, confidence: 90 %}\n"), "95 % and 99 % only");
    says(refused(two_arms + "stats: {rule: netperf, rounds: 31}\n"), "3 to 30");
}

TEST_CASE("a verdict needs a comparison, an interval two rounds") {
    says(refused("expect: [{verdict: gain}]\n"), "needs compare.baseline");
    says(refused(two_arms + "stats: {rounds: 1}\n"), "at least 2 rounds");
}

TEST_CASE("the whole experiment reaches the plan") {
    const Plan plan = planned(
        two_arms + "summary: why\nstats: {rounds: 7, seed: 42, precision: +-2.5 %}\n"
                   "expect: [{metric: tx.burst_accepted, arm: many, equals: 32, within: 1 %}]\n"
    );
    CHECK(plan.name == "test");
    CHECK(plan.summary == "why");
    CHECK(plan.stats.rounds == 7);
    CHECK(plan.stats.seed == 42);
    CHECK(*plan.stats.precision_ratio == Approx(0.025));
    CHECK(plan.compare->baseline == "one");
    CHECK(plan.expect.at(0).equals == 32.0);
    CHECK(plan.cells.back().placebo);
    CHECK(plan.profile_digest.size() == 16);
}

TEST_CASE("a plan in words names every key and every core") {
    const auto profile = profile::load("gensink: 1\nname: test\n" + two_arms, "p.yaml");
    REQUIRE(profile);
    const std::string keys = describe_keys(*profile);
    for (const profile::KeySpec& spec : profile::keys()) {
        INFO(spec.path);
        CHECK(keys.find(std::string(spec.path) + " ") != std::string::npos);
    }
    says(keys, "1 (one), 32 (many)");
    const Plan plan = planned(two_arms + "traffic: {block_size: 4096 B, load: 100 kfps}\n");
    const std::string cells = describe_cells(plan, host(8));
    says(cells, "lcore 1 on CPU 1 (socket 0): queue 0, 100 kfps each (100 %)");
    says(cells, "2 x payload 1472 B, UDP 1480, IP 1500, frame 1518 with FCS, on the wire 1538");
    says(cells, "1 x payload 1152 B");
    says(describe_experiment(plan), "3 arms (one the placebo) x 1 point x 10 rounds: 30 trials");
}

TEST_CASE("durations and rates read well") {
    CHECK(describe_duration(Duration{80'000'000}) == "80 ms");
    CHECK(describe_duration(Duration{173'200'000'000}) == "2 min 53 s");
    CHECK(describe_duration(Duration{7'260'000'000'000}) == "2 h 1 min");
    CHECK(describe_fps(1.2e6) == "1.2 Mfps");
    CHECK(describe_fps(500) == "500 fps");
}
