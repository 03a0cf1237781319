// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/bar.hpp"
#include "report/text.hpp"

#include "catch.hpp"
#include "fixture.hpp"
#include "golden.hpp"

using namespace gensink;
using namespace gensink::report;

namespace {

bool says(const std::string& shown, const std::string& what) {
    INFO(shown);
    return shown.find(what) != std::string::npos;
}

/// What cores cost is what it asks for.
Saved about_cores() {
    Saved saved = fixture::small();
    saved.plan.name = "core-cost";
    saved.plan.metrics = {"tx.ticks_per_frame", "rx.ticks_per_frame"};
    return saved;
}

}  // namespace

TEST_CASE("a bar gives its columns to the largest remainders") {
    CHECK(detail::bar({50, 50}, 100, "ab", 10) == "aaaaabbbbb");
    // 3.33 columns each: the third part of equals waits longest.
    CHECK(detail::bar({100, 100, 100}, 300, "abc", 10) == "aaaabbbccc");
    CHECK(detail::bar({26, 74}, 100, "ab", 10) == "aaabbbbbbb");
}

TEST_CASE("what no cause took stays blank in a bar") {
    CHECK(detail::bar({40, 40}, 100, "ab", 10) == "aaaabbbb  ");
    CHECK(detail::bar({}, 0, "", 3) == "   ");
}

TEST_CASE("a cause of two ticks in a million is seen in a bar, and one of none is not") {
    CHECK(detail::bar({2, 0, 999'998}, 1'000'000, "abc", 5) == "acccc");
}

TEST_CASE("causes that take more than the wall time still fit the bar") {
    CHECK(detail::bar({150, 50}, 100, "ab", 8) == "aaaaaabb");
}

TEST_CASE("a profile about the cost of both ends shows its cores") {
    CHECK(fixture::differs_from_golden("cores.txt", text(about_cores())) == "");
}

TEST_CASE("a profile about the CPUs of both ends shows its cores") {
    Saved saved = fixture::small();
    saved.plan.metrics = {"rx.fps", "cpu.us_per_kb"};
    CHECK(says(text(saved), "where their time went"));
}

TEST_CASE("other profiles keep it short, unless asked") {
    const Saved saved = fixture::small();
    CHECK_FALSE(says(text(saved), "where their time went"));
    CHECK_FALSE(says(text(saved), "hardware counters"));
    CHECK(says(text(saved, {.all_cores = true}), "where their time went"));
    Saved sender = fixture::small();
    sender.plan.metrics = {"tx.ticks_per_frame", "rx.fps"};
    CHECK_FALSE(says(text(sender), "where their time went"));
}

TEST_CASE("hardware counters are shown per frame where there are any, with their scope") {
    Saved saved = about_cores();
    for (trial::TrialResult& trial : saved.result.trials) {
        trial::ThreadFacts& thread = trial.counts.gen.front().thread;
        thread.hardware = {
            trial::HardwareScope::user, 2'000'000'000, 5'000'000'000, std::nullopt, 12'000};
    }
    const std::string shown = text(saved, {.width = 200});
    CHECK(says(shown, "user mode alone: lower kernel.perf_event_paranoid"));
    CHECK(says(shown, "one-by-one  generator   166.6         416.6             -          0.001"));
    CHECK(says(shown, "one-by-one  sink            -             -             -              -"));
    CHECK_FALSE(says(shown, "no hardware counters"));
}

TEST_CASE("a result that never asked for counters does not blame the machine") {
    Saved saved = about_cores();
    for (trial::TrialResult& trial : saved.result.trials) {
        trial.counts.gen_cpus.clear();
        trial.counts.sink_cpus.clear();
        trial.counts.gen.front().thread.run_ns.reset();
        trial.counts.sink.front().thread.run_ns.reset();
    }
    const std::string shown = text(saved);
    CHECK_FALSE(says(shown, "hardware counters"));
    CHECK_FALSE(says(shown, "by the kernel's account"));
}

TEST_CASE("the slices of several trials are their extremes and the median of their medians") {
    Saved saved = about_cores();
    fixture::TrialNumbers numbers;
    for (unsigned round = 2; round <= 3; ++round) {
        numbers.round = round;
        numbers.burst = 1;
        saved.result.trials.push_back(fixture::trial_of(saved, numbers));
        trial::CpuReport& cpu = saved.result.trials.back().counts.gen_cpus.front();
        cpu.use = trial::CpuSlices{0.1 * round, 0.6 + 0.01 * round, 0.9};
    }
    CHECK(says(text(saved, {.width = 200}), "20 %    63 %  100 %"));
}
