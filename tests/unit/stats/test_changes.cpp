// SPDX-License-Identifier: BSD-3-Clause
#include "stats/changes.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace gensink::stats;

namespace {

/// `n` values about `level` with a deviation of 1 % of it, the same on each run.
void add_level(std::vector<double>& values, std::size_t n, double level, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.01);
    for (std::size_t i = 0; i < n; ++i) {
        values.push_back(level * std::exp(noise(random)));
    }
}

}  // namespace

TEST_CASE("a step of 10 % in noise of 1 % is found where it is") {
    std::vector<double> values;
    add_level(values, 8, 100, 1);
    add_level(values, 7, 110, 2);
    const auto points = change_points(values, 0.99, 0.02);
    REQUIRE(points.size() == 1);
    CHECK(points[0].at == 8);
    CHECK(points[0].change.ratio == Approx(0.1).margin(0.02));
    REQUIRE(points[0].change.interval);
    CHECK(points[0].change.interval->low > 0.05);
    CHECK(points[0].change.interval->high < 0.15);
}

TEST_CASE("each of several steps is found, in order") {
    std::vector<double> values;
    add_level(values, 8, 100, 3);
    add_level(values, 8, 80, 4);
    add_level(values, 8, 100, 5);
    const auto points = change_points(values, 0.99, 0.02);
    REQUIRE(points.size() == 2);
    CHECK(points[0].at == 8);
    CHECK(points[0].change.ratio < 0);
    CHECK(points[1].at == 16);
    CHECK(points[1].change.ratio > 0);
}

TEST_CASE("a level that holds has false changes as rarely as the confidence says") {
    unsigned series_with_change = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        std::vector<double> values;
        add_level(values, 20, 100, seed);
        series_with_change += change_points(values, 0.95, 0.0).empty() ? 0 : 1;
    }
    // 5 % at most by Bonferroni: 20 expected of 400, 33 in a thousandth of all draws.
    CHECK(series_with_change <= 33);
}

TEST_CASE("a change within the margin is none") {
    std::vector<double> values;
    add_level(values, 40, 100, 6);
    add_level(values, 40, 102, 7);
    CHECK(change_points(values, 0.99, 0.0).size() == 1);
    CHECK(change_points(values, 0.99, 0.05).empty());
}

TEST_CASE("the pooled t of the best split is the textbook's") {
    // ln 1, ln 1.1 | ln 2, ln 2.2: means 0.0477, 0.7408; squares 0.00454 each;
    // s^2 = 0.00908 / 2, error = sqrt(s^2 (1/2 + 1/2)) = 0.0674; of three splits, t(1 - 0.05/3/2,
    // 2) = 7.649. (Half of four values is too short for windows.)
    const auto points = change_points(std::vector{1.0, 1.1, 2.0, 2.2}, 0.95, 0.0);
    REQUIRE(points.size() == 1);
    CHECK(points[0].at == 2);
    REQUIRE(points[0].change.interval);
    CHECK(points[0].change.ratio == Approx(1.0));
    CHECK(
        points[0].change.interval->low == Approx(2 * std::exp(-7.649 * 0.067394) - 1).margin(1e-3)
    );
    CHECK(
        points[0].change.interval->high == Approx(2 * std::exp(7.649 * 0.067394) - 1).margin(1e-3)
    );
}

TEST_CASE("values without noise change where they change, and only there") {
    const auto points = change_points(std::vector{5.0, 5.0, 5.0, 6.0, 6.0}, 0.99, 0.02);
    REQUIRE(points.size() == 1);
    CHECK(points[0].at == 3);
    CHECK(change_points(std::vector{5.0, 5.0, 5.0, 5.0}, 0.99, 0.02).empty());
}

TEST_CASE("two values, or one that is not above 0, make no change") {
    CHECK(change_points(std::vector{1.0, 2.0}, 0.99, 0.02).empty());
    CHECK(change_points(std::vector<double>{}, 0.99, 0.02).empty());
    CHECK(change_points(std::vector{1.0, 1.0, 0.0, 2.0, 2.0}, 0.99, 0.02).empty());
}
