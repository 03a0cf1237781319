// SPDX-License-Identifier: BSD-3-Clause
#include "host/cpu_meter.hpp"
#include "host/cpu_times.hpp"

#include <chrono>
#include <unistd.h>

#include "catch.hpp"
#include "tree.hpp"

using namespace gensink;
using namespace std::chrono_literals;

namespace {

using host::CpuMeter;

const std::uint64_t tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));

/// One line of /proc/stat: a CPU that was busy for so many ticks, all of them as a user.
std::string stat_line(unsigned cpu, unsigned busy, unsigned idle) {
    return "cpu" + std::to_string(cpu) + ' ' + std::to_string(busy) + " 0 0 " +
           std::to_string(idle) + " 0 0 0 0 0 0\n";
}

CpuMeter::Clock::time_point at(std::chrono::milliseconds time) {
    return CpuMeter::Clock::time_point(1h + time);
}

}  // namespace

TEST_CASE("a CPU's times are the columns of its own line of /proc/stat") {
    Tree tree;
    tree.file(
        "proc/stat",
        "cpu  1 1 1 1 1 1 1 900 0 0\ncpu1 1 2 4 8 16 32 64 25 9 9\ncpu11 1 1 1 1 1 1 1 77 0 0\n"
        "intr 5 0\nctxt 7"
    );
    const auto all = host::cpu_times(tree.root());
    REQUIRE(all.size() == 2);
    const host::CpuTimes& times = all.at(CpuId{1});
    CHECK(times.user_ns == 3 * tick_ns);
    CHECK(times.system_ns == 4 * tick_ns);
    CHECK(times.idle_ns == 24 * tick_ns);
    CHECK(times.irq_ns == 32 * tick_ns);
    CHECK(times.softirq_ns == 64 * tick_ns);
    CHECK(times.steal_ns == 25 * tick_ns);
    CHECK(times.busy_ns() == 103 * tick_ns);
    CHECK(times.all_ns() == 152 * tick_ns);
    CHECK(all.at(CpuId{11}).steal_ns == 77 * tick_ns);
}

TEST_CASE("a kernel that tells no CPU times gives none") {
    Tree tree;
    CHECK(host::cpu_times(tree.root()).empty());
    tree.file("proc/stat", "intr 5 0");
    CHECK(host::cpu_times(tree.root()).empty());
}

TEST_CASE("this machine's CPUs have times") {
    CHECK_FALSE(host::cpu_times().empty());
}

TEST_CASE("idle time that the kernel corrects downwards is no negative time") {
    host::CpuTimes start;
    start.idle_ns = 500;
    host::CpuTimes end;
    end.idle_ns = 400;
    end.user_ns = 7;
    CHECK(host::between(start, end).idle_ns == 0);
    CHECK(host::between(start, end).user_ns == 7);
}

TEST_CASE("a CPU's use is that of the interval, and of its slices the median and the extremes") {
    Tree tree;
    tree.file("proc/stat", stat_line(0, 1000, 1000) + stat_line(1, 50, 50));
    CpuMeter meter({CpuId{1}, CpuId{1}}, tree.root());
    CHECK(meter.uses().empty());
    meter.mark(at(0ms));
    tree.file("proc/stat", stat_line(0, 2000, 1000) + stat_line(1, 60, 60));
    meter.look(at(200ms));
    tree.file("proc/stat", stat_line(0, 2000, 1000) + stat_line(1, 65, 65));
    meter.look(at(300ms));  // too soon: it goes into the next slice
    tree.file("proc/stat", stat_line(0, 3000, 1000) + stat_line(1, 76, 64));
    meter.look(at(400ms));
    tree.file("proc/stat", stat_line(0, 3000, 1000) + stat_line(1, 78, 82));
    meter.cut(at(600ms));
    tree.file("proc/stat", stat_line(0, 9000, 1000) + stat_line(1, 978, 82));
    meter.look(at(900ms));  // after the end

    const auto uses = meter.uses();
    REQUIRE(uses.size() == 1);
    CHECK(uses[0].cpu == CpuId{1});
    CHECK(uses[0].sampled_ns == 600'000'000);
    CHECK(uses[0].times.user_ns == 28 * tick_ns);
    CHECK(uses[0].times.idle_ns == 32 * tick_ns);
    REQUIRE(uses[0].over_time);
    CHECK(uses[0].over_time->min_ratio == Approx(0.1));
    CHECK(uses[0].over_time->median_ratio == Approx(0.5));
    CHECK(uses[0].over_time->max_ratio == Approx(0.8));
}

TEST_CASE("an interval of less than two slices has no median") {
    Tree tree;
    tree.file("proc/stat", stat_line(0, 0, 0));
    CpuMeter meter({CpuId{0}}, tree.root());
    meter.mark(at(0ms));
    tree.file("proc/stat", stat_line(0, 10, 10));
    meter.look(at(200ms));
    tree.file("proc/stat", stat_line(0, 15, 10));
    meter.cut(at(250ms));
    REQUIRE(meter.uses().size() == 1);
    CHECK_FALSE(meter.uses()[0].over_time);
    CHECK(meter.uses()[0].times.user_ns == 15 * tick_ns);
}

TEST_CASE("a CPU that the kernel does not tell of is left out") {
    Tree tree;
    tree.file("proc/stat", stat_line(0, 0, 0));
    CpuMeter meter({CpuId{7}}, tree.root());
    meter.mark(at(0ms));
    meter.cut(at(1000ms));
    CHECK(meter.uses().empty());
}
