// SPDX-License-Identifier: BSD-3-Clause
#include "stats/series.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"

using namespace gensink::stats;

TEST_CASE("percentiles interpolate between order statistics as R's default does") {
    // R: quantile(c(15, 20, 35, 40, 50), c(.05, .3, .4, .5, 1)) is 16, 23, 29, 35, 50.
    const std::array values{40.0, 15.0, 50.0, 20.0, 35.0};
    CHECK(*percentile(values, 0.0) == 15.0);
    CHECK(*percentile(values, 0.05) == Approx(16.0));
    CHECK(*percentile(values, 0.3) == Approx(23.0));
    CHECK(*percentile(values, 0.4) == Approx(29.0));
    CHECK(*percentile(values, 1.0) == 50.0);
    CHECK(*median(values) == 35.0);
}

TEST_CASE("the median of an even sample is the middle of the two, of none nothing") {
    const std::array values{4.0, 1.0, 2.0, 10.0};
    CHECK(*median(values) == 3.0);
    CHECK_FALSE(median({}));
}

TEST_CASE("lag-1 autocorrelation is that of Box and Jenkins") {
    // By hand: deviations -1.5 -0.5 0.5 1.5; products 0.75 - 0.25 + 0.75 = 1.25; squares 5.
    const std::array rising{1.0, 2.0, 3.0, 4.0};
    CHECK(*lag1_autocorrelation(rising) == Approx(0.25));
    // Deviations 1 -1 1 -1: products -3, squares 4.
    const std::array swinging{1.0, -1.0, 1.0, -1.0};
    CHECK(*lag1_autocorrelation(swinging) == Approx(-0.75));
    const std::array constant{2.0, 2.0, 2.0};
    CHECK_FALSE(lag1_autocorrelation(constant));
}

TEST_CASE("a pilot of five rounds is sized by the upper bound of its deviation") {
    // By hand with tables: chi2(0.2, 4) = 1.6488, so s = 1 % counts as 1.5576 %. At 99 %:
    // n = 6: 4.0321 * 1.5576 / sqrt(6) = 2.564 %; n = 7: 3.7074 * 1.5576 / sqrt(7) = 2.183 %.
    CHECK(rounds_for_precision(0.01, 5, 0.02565, 0.99, 100) == 6);
    CHECK(rounds_for_precision(0.01, 5, 0.02563, 0.99, 100) == 7);
    CHECK(rounds_for_precision(0.01, 5, 0.02184, 0.99, 100) == 7);
    CHECK(rounds_for_precision(0.01, 5, 0.02182, 0.99, 100) == 8);
}

TEST_CASE("a pilot without spread needs two rounds, one with too much has no answer") {
    CHECK(rounds_for_precision(0.0, 5, 0.01, 0.99, 100) == 2);
    CHECK_FALSE(rounds_for_precision(1.0, 5, 0.01, 0.99, 100));
    CHECK_FALSE(rounds_for_precision(0.01, 1, 0.01, 0.99, 100));
    CHECK_FALSE(rounds_for_precision(0.01, 5, 0.0, 0.99, 100));
}
