// SPDX-License-Identifier: BSD-3-Clause
#include "stats/netperf.hpp"

#include <array>
#include <vector>

#include "catch.hpp"

using namespace gensink::stats::netperf;

TEST_CASE("netperf's width is the full one: {99, 100, 101} is 11.46 % at 99 and 4.97 % at 95") {
    const std::array values{99.0, 100.0, 101.0};
    CHECK(100.0 * *width_ratio(values, Level::percent_99) == Approx(11.46).margin(0.005));
    CHECK(100.0 * *width_ratio(values, Level::percent_95) == Approx(4.97).margin(0.005));
}

TEST_CASE("netperf has levels 95 and 99 only") {
    CHECK(level(0.95) == Level::percent_95);
    CHECK(level(0.99) == Level::percent_99);
    CHECK_FALSE(level(0.9));
    CHECK_FALSE(level(0.999));
}

TEST_CASE("netperf's rule needs every series narrow") {
    const std::vector<double> narrow{99.0, 100.0, 101.0};
    const std::vector<double> wide{80.0, 100.0, 120.0};
    const std::vector<std::vector<double>> all_narrow{narrow, narrow, narrow};
    const std::vector<std::vector<double>> one_wide{narrow, narrow, wide};
    CHECK(converged(all_narrow, Level::percent_95, 0.05));
    CHECK_FALSE(converged(all_narrow, Level::percent_99, 0.05));
    CHECK_FALSE(converged(one_wide, Level::percent_95, 0.05));
    CHECK_FALSE(converged({}, Level::percent_95, 0.05));
}

TEST_CASE("netperf's rule passes between 3 and 30 iterations only") {
    const auto constant = [](std::size_t n) {
        return std::vector<std::vector<double>>{std::vector<double>(n, 100.0)};
    };
    CHECK_FALSE(converged(constant(2), Level::percent_99, 0.05));
    CHECK(converged(constant(3), Level::percent_99, 0.05));
    CHECK(converged(constant(30), Level::percent_99, 0.05));
    CHECK_FALSE(converged(constant(31), Level::percent_99, 0.05));
}

TEST_CASE("a width over a mean of 0 is unknown") {
    const std::array zeros{0.0, 0.0, 0.0};
    CHECK_FALSE(width_ratio(zeros, Level::percent_99));
}

TEST_CASE("service demand: 50 % of 4 CPUs at 10^6 KiB/s is 2.0 us/KiB") {
    CHECK(*service_demand_us_per_kib(50.0, 1e6, 4) == Approx(2.0));
    // The zero-copy table of 2001: 94,000 KB/s at 93 % of one CPU is 9.89 us/KB.
    CHECK(*service_demand_us_per_kib(93.0, 94000.0, 1) == Approx(9.89).margin(0.005));
    CHECK_FALSE(service_demand_us_per_kib(50.0, 0.0, 4));
}
