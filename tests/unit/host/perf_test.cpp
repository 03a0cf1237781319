// SPDX-License-Identifier: BSD-3-Clause
#include "host/perf_counters.hpp"

#include <linux/perf_event.h>
#include <unistd.h>

#include "catch.hpp"

using namespace gensink;
using host::PerfCounter;
using host::PerfReading;
using host::PerfScope;

TEST_CASE("a counter that ran all the time counted what it says") {
    CHECK(
        host::counted_between({1000, 50, 50}, {9'007'199'254'741'993, 150, 150}) ==
        9'007'199'254'740'993U
    );
}

TEST_CASE("a counter that had to share the core is extrapolated over its interval alone") {
    // 300 in 20 of 100 ns; that it ran all the time before does not bear on it.
    CHECK(host::counted_between({1000, 500, 500}, {1300, 600, 520}) == 1500U);
}

TEST_CASE("a counter that never ran tells nothing, which is not 0") {
    CHECK_FALSE(host::counted_between({1000, 500, 500}, {1000, 600, 500}));
    CHECK_FALSE(host::counted_between({}, {}));
}

TEST_CASE("an event that no machine has is absent") {
    const host::PerfEvent none{PERF_TYPE_SOFTWARE, 0xffff};
    CHECK_FALSE(PerfCounter::open(none, gettid(), PerfScope::user));
}

TEST_CASE("a software event is counted through the same file and time fields") {
    const host::PerfEvent task_clock{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
    const auto counter = PerfCounter::open(task_clock, gettid(), PerfScope::user);
    if (!counter) {
        WARN("skipped: perf_event_open is not allowed here");
        return;
    }
    const auto start = counter->read();
    REQUIRE(start);
    std::uint64_t work = 1;
    for (unsigned i = 0; i < 1'000'000; ++i) {
        work = work * 3 + i;
        asm volatile("" : "+r"(work));
    }
    const auto end = counter->read();
    REQUIRE(end);
    const auto counted = host::counted_between(*start, *end);
    REQUIRE(counted);
    CHECK(*counted > 0);
    // A task's clock is the time for which the task was there to be counted.
    const auto enabled = static_cast<double>(end->enabled_ns - start->enabled_ns);
    CHECK(static_cast<double>(*counted) == Approx(enabled).epsilon(0.01));
}

TEST_CASE("a machine's hardware counters count, or are absent") {
    const host::PerfCounters counters(gettid());
    const auto start = counters.read();
    const host::HardwareCounts counts = counters.between(start, counters.read());
    for (const auto& count : {counts.cycles, counts.instructions}) {
        CHECK(count.value_or(1) > 0);
    }
}

TEST_CASE("counters that stand still are absent, all of them") {
    const host::PerfCounters counters(gettid());
    const PerfReading still{0, 100, 100};
    const PerfReading later{0, 200, 200};
    const auto counts =
        counters.between({still, still, still, still}, {later, later, later, later});
    CHECK_FALSE(counts.cycles);
    CHECK_FALSE(counts.cache_misses);
}
