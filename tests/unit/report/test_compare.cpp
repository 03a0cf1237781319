// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare.hpp"
#include "stats/interval.hpp"

#include <vector>

#include "catch.hpp"
#include "fixture.hpp"
#include "golden.hpp"

using namespace gensink;
using namespace gensink::report;
using experiment::Verdict;

namespace {

/// One arm; a trial a round with the given ticks per frame, at the profile's load.
Saved result_of(const std::vector<std::uint64_t>& sending_ticks) {
    Saved saved = fixture::small();
    saved.plan.arms = {"one-by-one"};
    saved.plan.baseline.reset();
    saved.plan.cells.pop_back();
    saved.plan.metrics = {"tx.ticks_per_frame", "rx.fps"};
    saved.result = {};
    unsigned round = 0;
    for (const std::uint64_t ticks : sending_ticks) {
        fixture::TrialNumbers numbers;
        numbers.round = ++round;
        numbers.kind = trial::LoadKind::as_planned;
        numbers.frames = 1'000'000;
        numbers.sending_ticks = ticks;
        saved.result.trials.push_back(fixture::trial_of(saved, numbers));
    }
    return saved;
}

const std::vector<std::uint64_t> slow{1000, 1010, 990, 1005, 995};
const std::vector<std::uint64_t> fast{800, 808, 792, 804, 796};

const CellComparison& first(const Result<SavedComparison>& compared) {
    REQUIRE(compared);
    REQUIRE_FALSE(compared->cells.empty());
    return compared->cells.front();
}

std::string message(const Result<SavedComparison>& compared) {
    REQUIRE_FALSE(compared);
    return compared.error().message;
}

}  // namespace

TEST_CASE("less ticks in B is a gain of B, by Welch's interval") {
    const auto compared = compare(result_of(slow), result_of(fast), {});
    const CellComparison& cell = first(compared);
    CHECK(cell.metric == "tx.ticks_per_frame");
    CHECK(*cell.gain_ratio == Approx(0.25).epsilon(1e-6));
    CHECK(cell.verdict == Verdict::gain);
    CHECK(compared->verdict == Verdict::gain);
    const std::vector<double> a(slow.begin(), slow.end());
    const std::vector<double> b(fast.begin(), fast.end());
    const auto welch = stats::welch(b, a, 0.99);
    REQUIRE(welch);
    REQUIRE(welch->interval);
    CHECK(cell.interval->low == Approx(welch->interval->low));
    CHECK(cell.interval->high == Approx(welch->interval->high));
}

TEST_CASE("the other way round it is a loss") {
    const auto compared = compare(result_of(fast), result_of(slow), {});
    CHECK(first(compared).verdict == Verdict::loss);
    CHECK(*first(compared).gain_ratio == Approx(-0.2).epsilon(1e-6));
}

TEST_CASE("a result and itself show no difference within a margin wide enough") {
    const auto compared = compare(result_of(slow), result_of(slow), {.margin_ratio = 0.03});
    CHECK(first(compared).verdict == Verdict::no_difference);
    CHECK(compared->notes.front() == "A and B are the same run");
    const auto strict = compare(result_of(slow), result_of(slow), {.margin_ratio = 0.001});
    CHECK(first(strict).verdict == Verdict::inconclusive);
}

TEST_CASE("one trial a side gives a gain but no interval and no verdict") {
    const auto compared = compare(result_of({1000}), result_of({800}), {});
    CHECK(*first(compared).gain_ratio == Approx(0.25));
    CHECK_FALSE(first(compared).interval);
    CHECK(compared->verdict == Verdict::inconclusive);
}

TEST_CASE("more cells make wider intervals") {
    const auto one = compare(result_of(slow), result_of(fast), {});
    const auto with_second_cell = [](const std::vector<std::uint64_t>& ticks) {
        Saved saved = result_of(ticks);
        saved.plan.cells.push_back(saved.plan.cells.front());
        saved.plan.cells.back().point = {{"tx.burst", "2"}};
        for (trial::TrialResult trial : result_of(ticks).result.trials) {
            trial.cell = 1;
            saved.result.trials.push_back(std::move(trial));
        }
        return saved;
    };
    const auto two = compare(with_second_cell(slow), with_second_cell(fast), {});
    REQUIRE(two);
    CHECK(two->cells.size() == 4);
    CHECK(first(two).interval->low < first(one).interval->low);
    CHECK(first(two).interval->high > first(one).interval->high);
}

TEST_CASE("one difference is what is compared; two are refused unless forced") {
    const Saved a = result_of(slow);
    Saved b = result_of(fast);
    b.plan.cells.front().gen.burst = 32;
    const auto compared = compare(a, b, {});
    REQUIRE(compared);
    REQUIRE(compared->differences.size() == 1);
    CHECK(compared->differences.front().what == "burst");
    b.run.host.kernel = "6.12.0";
    const std::string refusal = message(compare(a, b, {}));
    CHECK(refusal.find("burst (1 / 32)") != std::string::npos);
    CHECK(refusal.find("kernel (6.1.0-18-amd64 / 6.12.0)") != std::string::npos);
    CHECK(compare(a, b, {.force = true}));
}

TEST_CASE("each thing that matters is named when it differs") {
    const auto what_differs = [](auto change) {
        const Saved a = result_of(slow);
        Saved b = a;
        change(b, b.plan.cells.front());
        std::vector<std::string> names;
        for (const Difference& one : differences(a, b)) {
            names.push_back(one.what);
        }
        return names;
    };
    using Names = std::vector<std::string>;
    CHECK(what_differs([](Saved&, CellSummary&) {}) == Names{});
    CHECK(what_differs([](Saved& s, CellSummary&) {
              s.run.host.cpu_model = "Other";
              s.run.host.cpus = 64;
          }) == Names{"host CPU"});
    CHECK(what_differs([](Saved&, CellSummary& c) { c.frame_bytes = 64; }) == Names{"frame bytes"});
    CHECK(what_differs([](Saved&, CellSummary& c) {
              c.block_bytes = 4096;
              c.frame_bytes = 1518;
          }) == Names{"block bytes"});
    CHECK(what_differs([](Saved&, CellSummary& c) {
              c.load = {flow::LoadUnit::fps, 1e6};
          }) == Names{"load"});
    CHECK(what_differs([](Saved&, CellSummary& c) {
              c.wire = plan::WireKind::ports;
              c.gen.device = "net_null0";
              c.gen.driver = "null";
          }) == Names{"wire"});
    CHECK(what_differs([](Saved& s, CellSummary&) {
              s.run.versions = {{"gensink", "0.2.0"}};
          }) == Names{"versions"});
}

TEST_CASE("what one side does not know differs from nothing") {
    const Saved a = result_of(slow);
    Saved b = result_of(slow);
    b.run.host.kernel.clear();
    b.run.host.cpus.reset();
    CHECK(differences(a, b).empty());
}

TEST_CASE("results without a common arm and point are refused") {
    Saved b = result_of(fast);
    b.plan.cells.front().point = {{"tx.burst", "8"}};
    CHECK(message(compare(result_of(slow), b, {})).find("in common") != std::string::npos);
}

TEST_CASE("a single arm on each side is compared whatever its name") {
    Saved b = result_of(fast);
    b.plan.arms = {"patched"};
    b.plan.cells.front().arm = "patched";
    const auto compared = compare(result_of(slow), b, {});
    CHECK(first(compared).arm == "one-by-one / patched");
    CHECK(compared->verdict == Verdict::gain);
}

TEST_CASE("a result without a valid trial is an error of the measurement") {
    Saved b = result_of({});
    const auto compared = compare(result_of(slow), b, {});
    REQUIRE_FALSE(compared);
    CHECK(compared.error().kind == ErrorKind::measurement);
    CHECK(compared.error().message.find("B has no valid trial") != std::string::npos);
}

TEST_CASE("an invalid trial makes its comparison invalid") {
    Saved b = result_of(fast);
    b.result.trials.back().reasons.push_back(
        {trial::ReasonCode::residue, trial::Severity::invalid, "1 frame too many", ""}
    );
    const auto compared = compare(result_of(slow), b, {});
    CHECK(compared->verdict == Verdict::invalid);
    CHECK(first(compared).refusal.find("1 of the 5 trials of B are invalid") != std::string::npos);
}

TEST_CASE("disturbed trials do not count") {
    Saved b = result_of(fast);
    b.result.trials.back().reasons.push_back(
        {trial::ReasonCode::disturbed_gen, trial::Severity::external, "lost its core", ""}
    );
    CHECK(first(compare(result_of(slow), b, {})).trials_b == 4);
}

TEST_CASE("the text of a comparison is as agreed") {
    Saved b = result_of(fast);
    b.plan.cells.front().gen.burst = 32;
    b.run.id = "other";
    const Saved a = result_of(slow);
    const CompareOptions options;
    const auto compared = compare(a, b, options);
    REQUIRE(compared);
    CHECK(
        fixture::differs_from_golden("compare.txt", compare_text(a, b, *compared, options, {})) ==
        ""
    );
}

TEST_CASE("a key that differs stands for the facts that follow from it") {
    Saved slower = result_of(slow);
    slower.plan.cells[0].gen.burst = 7;
    slower.plan.cells[0].gen.queues = 2;
    const auto facts = differences(result_of(slow), slower);
    REQUIRE(facts.size() == 2);
    CHECK(facts[0].what == "burst");
    const KeyDifferences keys = [](std::size_t, std::size_t) {
        return std::optional(std::vector<Difference>{{"tx.ring", "512", "1024"}});
    };
    const auto written = differences(result_of(slow), slower, keys);
    REQUIRE(written.size() == 1);
    CHECK(written[0].what == "tx.ring");
}

TEST_CASE("where no key differs, or none is known, the facts are told") {
    Saved slower = result_of(slow);
    slower.plan.cells[0].gen.burst = 7;
    const KeyDifferences none = [](std::size_t, std::size_t) {
        return std::optional(std::vector<Difference>());
    };
    const KeyDifferences unknown = [](std::size_t, std::size_t) {
        return std::optional<std::vector<Difference>>();
    };
    CHECK(differences(result_of(slow), slower, none).size() == 1);
    CHECK(differences(result_of(slow), slower, unknown).size() == 1);
}
