// SPDX-License-Identifier: BSD-3-Clause
#include "counters/histogram.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "catch.hpp"

using gensink::counters::Histogram;

TEST_CASE("a bucket holds what lies between its bounds") {
    for (std::uint64_t v = 0; v < 1'000'000; v += 1 + v / 1000) {
        const std::size_t i = Histogram::index(v);
        REQUIRE(Histogram::low(i) <= v);
        REQUIRE(v < Histogram::low(i + 1));
    }
    CHECK(Histogram::index(~std::uint64_t{0}) == Histogram::buckets - 1);
}

TEST_CASE("quantiles are right to a bucket, the largest exactly") {
    std::mt19937_64 random(7);
    std::lognormal_distribution<> spread(9, 2);
    std::vector<std::uint64_t> values(20'000);
    Histogram histogram;
    for (std::uint64_t& v : values) {
        v = static_cast<std::uint64_t>(spread(random));
        histogram.add(v);
    }
    std::ranges::sort(values);
    for (const double q : {0.5, 0.9, 0.99, 0.999}) {
        const auto exact = values[static_cast<std::size_t>(q * 20'000) - 1];
        CHECK(
            static_cast<double>(histogram.quantile(q)) ==
            Approx(static_cast<double>(exact)).epsilon(0.032).margin(1)
        );
    }
    CHECK(histogram.quantile(1) == values.back());
    CHECK(histogram.largest() == values.back());
    CHECK(histogram.total() == values.size());
    Histogram twice = histogram;
    twice.merge(histogram);
    CHECK(twice.total() == 2 * values.size());
    CHECK(twice.quantile(0.5) == histogram.quantile(0.5));
    CHECK(Histogram().quantile(0.5) == 0);
}

TEST_CASE("a quantile lies within what was added") {
    Histogram histogram;
    histogram.add(100'000'000, 7);
    CHECK(histogram.quantile(0.5) == 100'000'000);
    histogram.add(200'000'001);
    CHECK(histogram.smallest() == 100'000'000);
    CHECK(histogram.quantile(0.5) >= 100'000'000);
    CHECK(Histogram().smallest() == 0);
}
