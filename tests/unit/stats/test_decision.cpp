// SPDX-License-Identifier: BSD-3-Clause
#include "stats/decision.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"

using namespace gensink::stats;

TEST_CASE("an interval wholly inside the margin is no difference, even where it excludes 0") {
    CHECK(decide(Interval{-0.01, 0.015}, 0.02) == Decision::no_difference);
    CHECK(decide(Interval{0.001, 0.019}, 0.02) == Decision::no_difference);
    CHECK(decide(Interval{-0.02, 0.02}, 0.02) == Decision::no_difference);
}

TEST_CASE("an interval on one side of 0 that leaves the margin is a gain or a loss") {
    CHECK(decide(Interval{0.001, 0.021}, 0.02) == Decision::gain);
    CHECK(decide(Interval{0.5, 0.6}, 0.02) == Decision::gain);
    CHECK(decide(Interval{-0.1, -0.03}, 0.02) == Decision::loss);
}

TEST_CASE("an interval over 0 that leaves the margin is inconclusive, and so is none") {
    CHECK(decide(Interval{-0.001, 0.05}, 0.02) == Decision::inconclusive);
    CHECK(decide(Interval{-0.05, 0.0}, 0.02) == Decision::inconclusive);
    CHECK(decide(std::nullopt, 0.02) == Decision::inconclusive);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(decide(Interval{nan, nan}, 0.02) == Decision::inconclusive);
}

TEST_CASE("the smallest margin is the one at which no difference is proven") {
    const Interval change{-0.031, 0.012};
    const double margin = smallest_margin(change);
    CHECK(margin == 0.031);
    CHECK(decide(change, margin) == Decision::no_difference);
    CHECK(decide(change, std::nextafter(margin, 0.0)) != Decision::no_difference);
}

TEST_CASE("a placebo is inside, straddles or is outside the margin") {
    CHECK(placebo_lie(Interval{-0.01, 0.01}, 0.02) == PlaceboLie::inside);
    CHECK(placebo_lie(Interval{0.01, 0.03}, 0.02) == PlaceboLie::straddles);
    CHECK(placebo_lie(Interval{-0.05, 0.05}, 0.02) == PlaceboLie::straddles);
    CHECK(placebo_lie(Interval{0.021, 0.03}, 0.02) == PlaceboLie::outside);
    CHECK(placebo_lie(Interval{-0.5, -0.021}, 0.02) == PlaceboLie::outside);
    CHECK(placebo_lie(std::nullopt, 0.02) == PlaceboLie::straddles);
}

TEST_CASE("the published transmit-batching table is inconclusive") {
    // netdev, June 2007, netperf TCP stream in Mbit/s on e1000, mainline against batching, writes
    // of 128 and 4096 bytes; the receive direction carries no change and is the placebo. With one
    // value in an arm no interval exists, and nothing may be concluded.
    struct Row {
        std::vector<double> mainline;
        std::vector<double> batch;
        double change_percent;
    };

    const std::vector<Row> table{
        {{558.16}, {569.14}, 1.97},
        {{814.01}, {822.72}, 1.07},
        {{760.91, 762.04}, {766.70}, 0.69},
        {{784.32, 788.53}, {788.24}, 0.23},
    };
    for (const auto& row : table) {
        const auto change = welch(row.mainline, row.batch, 0.99);
        REQUIRE(change);
        CHECK(100.0 * change->ratio == Approx(row.change_percent).margin(0.005));
        CHECK(decide(change->interval, 0.02) == Decision::inconclusive);
    }
}
