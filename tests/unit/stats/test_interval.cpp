// SPDX-License-Identifier: BSD-3-Clause
#include "stats/interval.hpp"
#include "stats/quantile.hpp"
#include "stats/welford.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "catch.hpp"

using namespace gensink::stats;

namespace {

// Student, "The probable error of a mean", Biometrika 6(1), 1908: hours of sleep gained by ten
// patients under two drugs. The intervals are those that R prints for its data set `sleep`.
constexpr std::array first_drug{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
constexpr std::array second_drug{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

std::vector<double> differences() {
    std::vector<double> result;
    for (std::size_t i = 0; i < first_drug.size(); ++i) {
        result.push_back(second_drug[i] - first_drug[i]);
    }
    return result;
}

std::vector<double> exponentials(std::span<const double> logs) {
    std::vector<double> result;
    for (const double value : logs) {
        result.push_back(std::exp(value));
    }
    return result;
}

}  // namespace

TEST_CASE("quantiles agree with the NIST/SEMATECH e-Handbook, 1.3.6.7.2 and 1.3.6.7.4") {
    CHECK(t_two_sided(0.95, 2) == Approx(4.303).epsilon(2e-4));
    CHECK(t_two_sided(0.95, 10) == Approx(2.228).epsilon(2e-4));
    CHECK(t_two_sided(0.99, 2) == Approx(9.925).epsilon(2e-4));
    CHECK(t_two_sided(0.99, 9) == Approx(3.250).epsilon(2e-4));
    CHECK(chi_square_quantile(0.95, 10) == Approx(18.307).epsilon(2e-4));
    CHECK(chi_square_quantile(0.05, 10) == Approx(3.940).epsilon(2e-4));
}

TEST_CASE("a quantile out of range is NaN and throws nothing") {
    CHECK(std::isnan(t_two_sided(0.99, 0)));
    CHECK(std::isnan(t_two_sided(1.5, 3)));
    CHECK(std::isnan(chi_square_quantile(-0.1, 3)));
}

TEST_CASE("Bonferroni splits the error over the intervals") {
    CHECK(simultaneous_confidence(0.99, 1) == 0.99);
    CHECK(simultaneous_confidence(0.99, 0) == 0.99);
    CHECK(simultaneous_confidence(0.99, 10) == Approx(0.999));
}

TEST_CASE("Welford keeps the digits of NIST StRD's NumAcc4") {
    // 1001 values: 10000000.2, then 10000000.1 and 10000000.3 by turns; certified deviation 0.1.
    Welford sum;
    sum.add(10000000.2);
    for (int i = 0; i < 500; ++i) {
        sum.add(10000000.1);
        sum.add(10000000.3);
    }
    CHECK(sum.n() == 1001);
    CHECK(sum.mean() == Approx(10000000.2).epsilon(1e-14));
    CHECK(sum.deviation() == Approx(0.1).epsilon(1e-7));
}

TEST_CASE("the t interval of a mean is that of Student's sleep data") {
    const auto result = mean_interval(differences(), 0.95);
    REQUIRE(result);
    REQUIRE(result->interval);
    CHECK(result->n == 10);
    CHECK(result->mean == Approx(1.58));
    CHECK(result->interval->low == Approx(0.7001142).epsilon(1e-6));
    CHECK(result->interval->high == Approx(2.4598858).epsilon(1e-6));
}

TEST_CASE("one value has a mean but no interval, none has nothing") {
    const std::array one{3.0};
    const auto result = mean_interval(one, 0.99);
    REQUIRE(result);
    CHECK(result->mean == 3.0);
    CHECK_FALSE(result->interval);
    CHECK_FALSE(mean_interval({}, 0.99));
}

TEST_CASE("the paired change is the t interval on the log ratios") {
    const auto change = paired(exponentials(first_drug), exponentials(second_drug), 0.95);
    REQUIRE(change);
    REQUIRE(change->interval);
    CHECK(change->log_mean == Approx(1.58));
    CHECK(change->ratio == Approx(std::exp(1.58) - 1.0));
    CHECK(std::log1p(change->interval->low) == Approx(0.7001142).epsilon(1e-6));
    CHECK(std::log1p(change->interval->high) == Approx(2.4598858).epsilon(1e-6));
    CHECK(change->log_deviation == Approx(1.229995).epsilon(1e-6));  // R: sd of the differences
}

TEST_CASE("pairing cancels what a round shares") {
    const std::array baseline{100.0, 150.0, 80.0, 220.0};
    const std::array arm{110.0, 165.0, 88.0, 242.0};
    const auto change = paired(baseline, arm, 0.99);
    REQUIRE(change);
    CHECK(change->ratio == Approx(0.1));
    CHECK(change->interval->low == Approx(0.1));
    CHECK(change->interval->high == Approx(0.1));
}

TEST_CASE("a change by a factor refuses values that are not above 0") {
    const std::array some{1.0, 2.0};
    const std::array zero{1.0, 0.0};
    const std::array three{1.0, 2.0, 3.0};
    CHECK_FALSE(paired(some, zero, 0.99));
    CHECK_FALSE(paired(some, three, 0.99));
    CHECK_FALSE(paired({}, {}, 0.99));
    CHECK_FALSE(welch(some, zero, 0.99));
    CHECK_FALSE(welch({}, some, 0.99));
}

TEST_CASE("Welch's interval and freedom are R's for Student's sleep data") {
    // R 4, t.test(extra ~ group, data = sleep): df = 17.776, interval -3.3654832 to 0.2054832.
    const auto difference = welch_difference(first_drug, second_drug, 0.95);
    REQUIRE(difference);
    REQUIRE(difference->interval);
    CHECK(difference->mean == Approx(1.58));
    CHECK(difference->interval->low == Approx(-0.2054832).epsilon(1e-6));
    CHECK(difference->interval->high == Approx(3.3654832).epsilon(1e-6));

    const auto change = welch(exponentials(first_drug), exponentials(second_drug), 0.95);
    REQUIRE(change);
    REQUIRE(change->interval);
    CHECK(change->freedom == Approx(17.776).epsilon(1e-4));
    CHECK(std::log1p(change->interval->low) == Approx(-0.2054832).epsilon(1e-6));
    CHECK(std::log1p(change->interval->high) == Approx(3.3654832).epsilon(1e-6));
}

TEST_CASE("Welch on constant samples has an interval without width") {
    const std::array baseline{2.0, 2.0};
    const std::array arm{3.0, 3.0, 3.0};
    const auto change = welch(baseline, arm, 0.99);
    REQUIRE(change);
    REQUIRE(change->interval);
    CHECK(change->interval->low == Approx(0.5));
    CHECK(change->interval->high == Approx(0.5));
}
