// SPDX-License-Identifier: BSD-3-Clause
#include "stats/fit.hpp"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace gensink::stats;

namespace {

constexpr std::array bursts{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};

std::vector<LawPoint> exact(double a, double b) {
    std::vector<LawPoint> points;
    for (const double burst : bursts) {
        points.push_back({burst, a + b / burst});
    }
    return points;
}

}  // namespace

TEST_CASE("a law without noise is found exactly") {
    const auto points = exact(100.0, 200.0);
    const auto law = fit_law(points);
    REQUIRE(law);
    CHECK(law->a == Approx(100.0));
    CHECK(law->b == Approx(200.0));
    CHECK(*r_squared(*law, points) == Approx(1.0));
    CHECK(worst_misfit(*law, points) < 1e-12);
}

TEST_CASE("the fit solves the normal equations of relative residuals") {
    const std::vector<LawPoint> points{{1, 310}, {2, 190}, {4, 160}, {8, 118}};
    const auto law = fit_law(points);
    REQUIRE(law);
    double by_a = 0.0;
    double by_b = 0.0;
    for (const auto& p : points) {
        const double gradient = (law->at(p.key) - p.cost) / (p.cost * p.cost);
        by_a += gradient;
        by_b += gradient / p.key;
    }
    CHECK(by_a == Approx(0.0).margin(1e-12));
    CHECK(by_b == Approx(0.0).margin(1e-12));
}

TEST_CASE("a = 100 and b = 200 are recovered within 2 % under 1 % noise") {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(0.0, 0.01);
    std::vector<std::vector<LawPoint>> rounds;
    for (int round = 0; round < 10; ++round) {
        auto points = exact(100.0, 200.0);
        for (auto& p : points) {
            p.cost *= 1.0 + noise(random);
        }
        rounds.push_back(points);
    }
    const auto fit = fit_rounds(rounds, 0.99);
    REQUIRE(fit);
    CHECK(fit->rounds == 10);
    CHECK(fit->law.a == Approx(100.0).epsilon(0.02));
    CHECK(fit->law.b == Approx(200.0).epsilon(0.02));
    REQUIRE(fit->a_interval);
    CHECK(fit->a_interval->low < 100.0);
    CHECK(fit->a_interval->high > 100.0);
    CHECK(fit->r_squared >= 0.98);
    CHECK(fit->holds);
}

TEST_CASE("a curve that is no such law is said not to hold") {
    // Cost falls by 1/sqrt(B): no a and b meet it within 5 %.
    std::vector<LawPoint> points;
    for (const double burst : bursts) {
        points.push_back({burst, 300.0 / std::sqrt(burst)});
    }
    const std::vector<std::vector<LawPoint>> rounds{points, points};
    const auto fit = fit_rounds(rounds, 0.99);
    REQUIRE(fit);
    CHECK(fit->worst_misfit > law_misfit_limit_ratio);
    CHECK_FALSE(fit->holds);
}

TEST_CASE("one round has a fit but no intervals") {
    const std::vector<std::vector<LawPoint>> rounds{exact(100.0, 200.0)};
    const auto fit = fit_rounds(rounds, 0.99);
    REQUIRE(fit);
    CHECK_FALSE(fit->a_interval);
    CHECK_FALSE(fit->b_interval);
}

TEST_CASE("a fit needs two different keys and positive values") {
    const std::vector<LawPoint> one_key{{4, 100}, {4, 110}};
    const std::vector<LawPoint> zero_cost{{1, 100}, {2, 0}};
    const std::vector<LawPoint> zero_key{{0, 100}, {2, 50}};
    CHECK_FALSE(fit_law(one_key));
    CHECK_FALSE(fit_law(zero_cost));
    CHECK_FALSE(fit_law(zero_key));
    CHECK_FALSE(fit_rounds({}, 0.99));
    const std::vector<std::vector<LawPoint>> unlike{{{1, 100}, {2, 50}}, {{1, 100}, {4, 50}}};
    CHECK_FALSE(fit_rounds(unlike, 0.99));
}
