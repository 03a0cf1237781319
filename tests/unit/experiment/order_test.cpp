// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/order.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

std::vector<int> shuffled(std::uint64_t seed, unsigned round, unsigned attempt) {
    std::vector<int> items{0, 1, 2, 3, 4, 5};
    detail::shuffle(items, seed, round, attempt);
    return items;
}

}  // namespace

TEST_CASE("an order is fixed by seed, round and attempt on every machine") {
    // SplitMix64 and MT19937-64 are defined to the bit; this order is recorded, not chosen.
    CHECK(shuffled(1, 1, 0) == shuffled(1, 1, 0));
    CHECK(shuffled(1, 1, 0) == std::vector<int>{4, 1, 5, 3, 0, 2});
    CHECK(shuffled(1, 1, 0) != shuffled(1, 2, 0));
    CHECK(shuffled(1, 1, 0) != shuffled(1, 1, 1));
    CHECK(shuffled(1, 1, 0) != shuffled(2, 1, 0));
}

TEST_CASE("SplitMix64 gives the published first output of seed 0") {
    // Vigna's splitmix64.c, seed 0.
    CHECK(detail::mix(0) == 0xE220A8397B1DCDAFU);
}

TEST_CASE("every order of three comes up equally often") {
    std::map<std::vector<int>, int> seen;
    constexpr int rounds = 6000;
    for (unsigned round = 1; round <= rounds; ++round) {
        std::vector<int> items{0, 1, 2};
        detail::shuffle(items, 1, round, 0);
        ++seen[items];
    }
    REQUIRE(seen.size() == 6);
    double chi_square = 0.0;
    for (const auto& [order, count] : seen) {
        chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
    }
    CHECK(chi_square < 20.5);  // 99.9 % of chi-square with 5 degrees, NIST 1.3.6.7.4
}

TEST_CASE("a round is every cell once, in an order of its own, after fresh workers") {
    auto plan = fake::make_plan({{{"tx.burst", "1"}}, {{"tx.burst", "32"}}});
    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        return fake::make_trial({});
    };
    const auto result = host.run(plan);
    REQUIRE(host.requests.size() == 60);
    std::set<std::vector<std::size_t>> orders;
    for (std::size_t round = 0; round < 10; ++round) {
        std::vector<std::size_t> cells;
        for (std::size_t i = 0; i < 6; ++i) {
            const auto& request = host.requests[round * 6 + i];
            CHECK(request.round == round + 1);
            CHECK(request.load_kind == trial::LoadKind::as_planned);
            CHECK(request.intended_fps == 1e6);
            cells.push_back(request.cell);
        }
        orders.insert(cells);
        std::sort(cells.begin(), cells.end());
        CHECK(cells == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
    }
    CHECK(orders.size() > 5);
    CHECK(host.rounds_begun == std::vector<unsigned>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK(result.rounds_counted == 10);
    CHECK_FALSE(result.partial);
}

TEST_CASE("a placebo's trial is requested under the baseline's arm") {
    auto plan = fake::make_plan();
    fake::Host host;
    host.trial_of = [](const trial::Request&) {
        return fake::make_trial({});
    };
    host.run(plan);
    for (const auto& request : host.requests) {
        CHECK(request.arm == plan.cells[request.cell].arm);
    }
}
