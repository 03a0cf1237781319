// SPDX-License-Identifier: BSD-3-Clause
#include "catch.hpp"
#include "support.hpp"

using namespace gensink;
using namespace gensink::profile;
using namespace gensink::profile::test;

namespace {

const std::string arms =
    "arms:\n  - {name: one, set: {tx.burst: 1}}\n  - {name: many, set: {tx.burst: 32}}\n";

Profile loaded(const std::string& more, const LoadOptions& options = {}) {
    auto profile = load(profile_text(more), "p.yaml", options);
    INFO((profile ? "" : profile.error().front().where + ": " + profile.error().front().message));
    REQUIRE(profile);
    return *profile;
}

void says(const std::string& message, const std::string& part) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a profile without arms has one cell") {
    const Profile profile = loaded("");
    REQUIRE(profile.cells.size() == 1);
    CHECK(profile.cells[0].arm == only_arm);
    CHECK(profile.arms == std::vector<std::string>{"run"});
    CHECK_FALSE(profile.cells[0].placebo);
}

TEST_CASE("cells are arm-major over points, then the placebo's") {
    const Profile profile = loaded(
        arms + "sweep: {cross: {traffic.block_size: [128 B, 4 KiB]}}\ncompare: {baseline: one}\n"
    );
    REQUIRE(profile.cells.size() == 6);
    CHECK(profile.arms == std::vector<std::string>{"one", "many"});
    CHECK(profile.cells[1].arm == "one");
    CHECK(
        profile.cells[1].point[0] ==
        std::pair<std::string, std::string>("traffic.block_size", "4 KiB")
    );
    CHECK(profile.cells[2].arm == "many");
    CHECK(profile.cells[2].settings.get<std::uint64_t>("tx.burst") == 32);
    CHECK(profile.cells[2].settings.at("tx.burst").origin == Origin::arm);
    CHECK(profile.cells[4].arm == "one (placebo)");
    CHECK(profile.cells[4].placebo);
    CHECK(profile.cells[4].settings.get<std::uint64_t>("tx.burst") == 1);
}

TEST_CASE("the placebo can be left out") {
    CHECK(loaded(arms + "compare: {baseline: one, placebo: false}\n").cells.size() == 2);
}

TEST_CASE("cross multiplies, zip goes side by side") {
    CHECK(loaded("sweep: {cross: {tx.burst: [1, 2, 4], tx.queues: [1, 2]}}\n").cells.size() == 6);
    const Profile zipped = loaded("sweep: {zip: {tx.burst: [1, 2, 4], tx.ring: [64, 128, 256]}}\n");
    REQUIRE(zipped.cells.size() == 3);
    CHECK(zipped.cells[2].settings.get<std::uint64_t>("tx.burst") == 4);
    CHECK(zipped.cells[2].settings.find<std::uint64_t>("tx.ring") == 256U);
}

TEST_CASE("zip of unequal lengths is refused with both lengths") {
    const std::string error =
        error_of(profile_text("sweep: {zip: {tx.burst: [1, 2, 4], tx.ring: [64, 128]}}\n"));
    says(error, "`tx.burst` has 3 and `tx.ring` has 2");
}

TEST_CASE("a sweep that is neither cross nor zip is refused") {
    says(error_of(profile_text("sweep: {tx.burst: [1, 2]}\n")), "unknown key");
    says(error_of(profile_text("sweep: {cros: {tx.burst: [1, 2]}}\n")), "did you mean `cross`?");
    says(
        error_of(profile_text("sweep: {cross: {tx.burst: [1]}, zip: {tx.ring: [64]}}\n")), "either"
    );
    says(error_of(profile_text("sweep: {cross: {tx.burst: 4}}\n")), "list of values");
    says(error_of(profile_text("sweep: {cross: {tx.burst: []}}\n")), "is an empty list");
    says(error_of(profile_text("sweep: {cross: {tx.burst: [1, 1]}}\n")), "twice");
}

TEST_CASE("what is wrong in a sweep is said beside there being two") {
    CHECK(
        errors_of(profile_text("sweep: {cross: {tx.bursts: [1]}, zip: {tx.ring: 64}}\n")).size() ==
        3
    );
}

TEST_CASE("zip may repeat values, but not points") {
    const auto zip = [](const std::string& bursts, const std::string& rings) {
        return profile_text(
            "sweep: {zip: {tx.burst: [" + bursts + "], tx.ring: [" + rings + "]}}\n"
        );
    };
    CHECK(load(zip("1, 1, 2", "64, 128, 64"), "p.yaml", {})->cells.size() == 3);
    says(
        error_of(zip("1, 2, 1", "64, 64, 64")),
        "p.yaml:3:32 (sweep.zip): point 3 is the same as point 1"
    );
}

TEST_CASE("sizes that mean the same are the same point") {
    says(
        error_of(profile_text("sweep: {cross: {traffic.block_size: [1 KiB, 1024 B]}}\n")),
        "value `1024 B` twice"
    );
}

TEST_CASE("a huge sweep is refused, not run") {
    std::string values;
    for (int i = 1; i <= 200; ++i) {
        values += (i == 1 ? "" : ", ") + std::to_string(i);
    }
    says(
        error_of(profile_text(
            "sweep: {cross: {tx.burst: [" + values + "], sink.burst: [" + values + "]}}\n"
        )),
        "p.yaml:3:1 (sweep): makes more than 1000 cells"
    );
}

TEST_CASE("arms must differ") {
    says(
        error_of(profile_text("arms:\n  - {name: a}\n  - {name: b, set: {tx.burst: 32}}\n")),
        "`b` does not differ from `a`"
    );
}

TEST_CASE("arms have names of their own") {
    says(
        error_of(profile_text("arms:\n  - {name: a}\n  - {name: a, set: {tx.burst: 4}}\n")),
        "a second arm `a`"
    );
    says(error_of(profile_text("arms: [{set: {tx.burst: 4}}]\n")), "needs a name");
    says(error_of(profile_text("arms: [{name: a (placebo)}]\n")), "placebo");
}

TEST_CASE("set of an unknown key is corrected, of an experiment's key explained") {
    says(
        error_of(profile_text("arms: [{name: a, set: {tx.brust: 4}}]\n")),
        "did you mean `tx.burst`?"
    );
    says(
        error_of(profile_text("arms: [{name: a, set: {stats.rounds: 4}}]\n")),
        "belongs to the whole experiment"
    );
    says(
        error_of(profile_text("sweep: {cross: {compare.margin: [1 %, 2 %]}}\n")),
        "belongs to the whole experiment"
    );
}

TEST_CASE("an arm cannot set what the sweep sets") {
    says(
        error_of(profile_text(
            "arms: [{name: a, set: {tx.burst: 4}}]\nsweep: {cross: {tx.burst: [1, 2]}}\n"
        )),
        "is swept"
    );
}

TEST_CASE("the baseline is one of the arms") {
    says(error_of(profile_text(arms + "compare: {baseline: oen}\n")), "did you mean `one`?");
    says(error_of(profile_text("compare: {baseline: one}\n")), "there are no arms");
    says(error_of(profile_text(arms + "compare: {margin: 1 %}\n")), "needs `baseline`");
    says(error_of(profile_text("arms: [{name: a}]\ncompare: {baseline: a}\n")), "one arm only");
}

TEST_CASE("expectations name arms and metrics that exist") {
    const Profile profile = loaded(
        arms + "compare: {baseline: one}\nexpect:\n"
               "  - {metric: tx.burst_accepted, arm: many, equals: 32, within: 1 %}\n"
               "  - {metric: rx.fps, at_least: 1.2 Mfps}\n"
               "  - {metric: loss_ratio, at_most: 0.1 %}\n"
               "  - {verdict: gain}\n"
    );
    REQUIRE(profile.expect.size() == 4);
    CHECK(profile.expect[0].equals == 32.0);
    CHECK(profile.expect[0].within_ratio == Approx(0.01));
    CHECK(profile.expect[1].at_least == 1.2e6);
    CHECK(*profile.expect[2].at_most == Approx(0.001));
    CHECK(profile.expect[3].verdict == "gain");
    says(error_of(profile_text("expect: [{metric: rx.fps, arm: b, equals: 1}]\n")), "no arm `b`");
    says(error_of(profile_text("expect: [{metric: rx.fps}]\n")), "needs `equals`");
    says(error_of(profile_text("expect: [{equals: 1}]\n")), "needs either");
    says(error_of(profile_text("expect: [{verdict: gains}]\n")), "did you mean `gain`?");
    says(error_of(profile_text("expect: [{metric: rx.fps, equals: 1 ms}]\n")), "does not fit");
    says(
        error_of(profile_text("expect:\n  - {metric: rx.fps, equals: 1, within: 1}\n")),
        "p.yaml:4:41 (expect[0].within)"
    );
    const auto misspelt = errors_of(profile_text("expect: [{metric: rx.fps, equal: 1}]\n"));
    REQUIRE(misspelt.size() == 2);
    says(misspelt[1], "did you mean `equals`?");
}

TEST_CASE("expectations name points of the sweep and what sets the rate") {
    const std::string sweep = "sweep: {cross: {window.limit: [8 KiB, 64 KiB]}}\n";
    const Profile profile = loaded(
        sweep + "expect:\n"
                "  - {metric: tx.fps, at: {window.limit: 8192 B}, at_least: 1 fps, limit: window}\n"
                "  - {at: {window.limit: 64 KiB}, limit: sink ring}\n"
    );
    using Points = std::vector<std::pair<std::string, std::string>>;
    REQUIRE(profile.expect.size() == 2);
    CHECK(profile.expect[0].at == Points{{"window.limit", "8 KiB"}});  // as the sweep writes it
    CHECK(profile.expect[0].limit == "window");
    CHECK(profile.expect[1].metric.empty());
    CHECK(profile.expect[1].limit == "sink ring");
    const auto refused = [&](const std::string& expect) {
        return error_of(profile_text(sweep + "expect: [" + expect + "]\n"));
    };
    says(refused("{limit: window, at: {tx.burst: 1}}"), "(expect[0].at.tx.burst): is not a key of");
    says(
        refused("{limit: window, at: {window.limit: 16 KiB}}"),
        "the sweep has no `16 KiB`: it has 8 KiB, 64 KiB"
    );
    says(refused("{limit: window, at: {window.limit: 16}}"), "16");
    says(refused("{limit: window, at: 8 KiB}"), "write a map");
    says(refused("{limit: windows}"), "did you mean `window`?");
    says(refused("{limit: window, equals: 3}"), "a limit has no bounds");
    says(refused("{limit: window, verdict: gain}"), "a verdict has no limit");
    says(refused("{at: {window.limit: 8 KiB}}"), "needs either");
}

TEST_CASE("expectations may come before the sweep they are about") {
    const Profile profile =
        loaded("expect: [{limit: link, at: {tx.burst: 4}}]\nsweep: {cross: {tx.burst: [1, 4]}}\n");
    CHECK(profile.expect.at(0).at.at(0).second == "4");
}

TEST_CASE("--quick does not cut virtual time or transfers short, unless the profile says so") {
    for (const char* text :
         {"wire: {kind: model}\n",
          "transfer: {total: 1 MiB}\n",
          "transfer: {object_size: 1 B}\n"}) {
        INFO(text);
        const Profile profile = loaded(text, {{}, true, ""});
        CHECK_FALSE(profile.cells[0].settings.find<Duration>("run.measure"));
        CHECK(profile.cells[0].settings.get<Duration>("run.warmup") == Duration{200'000'000});
        const Profile said =
            loaded(text + std::string("run: {quick: {measure: 40 ms}}\n"), {{}, true, ""});
        CHECK(said.cells[0].settings.find<Duration>("run.measure") == Duration{40'000'000});
    }
}

TEST_CASE("--quick shortens trials, never the rounds or the confidence") {
    const Profile profile = loaded("", {{}, true, ""});
    const Settings& settings = profile.cells[0].settings;
    CHECK(settings.get<Duration>("run.warmup") == Duration{20'000'000});
    CHECK(settings.get<Duration>("run.measure") == Duration{100'000'000});
    CHECK(settings.get<Duration>("run.quiet") == Duration{100'000'000});
    CHECK(settings.at("run.measure").origin == Origin::quick);
    CHECK(profile.common.get<std::uint64_t>("stats.rounds") == 10);
    CHECK(profile.common.get<double>("stats.confidence") == Approx(0.99));
}

TEST_CASE("--quick keeps what is shorter already, and what --set says") {
    const Profile profile = loaded("run: {measure: 50 ms}\n", {{"run.warmup=1 s"}, true, ""});
    const Settings& settings = profile.cells[0].settings;
    CHECK(settings.get<Duration>("run.measure") == Duration{50'000'000});
    CHECK(settings.get<Duration>("run.warmup") == Duration{1'000'000'000});
}

TEST_CASE("a profile may say itself what quick means") {
    const Profile profile = loaded("run: {quick: {measure: 40 ms, rounds: 6}}\n", {{}, true, ""});
    CHECK(profile.cells[0].settings.get<Duration>("run.measure") == Duration{40'000'000});
    CHECK(profile.common.get<std::uint64_t>("stats.rounds") == 6);
}
