// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sequence.hpp"

#include <random>
#include <set>
#include <vector>

#include "catch.hpp"

using namespace gensink::engine;

TEST_CASE("in order, late and duplicate are told apart") {
    SequenceWindow w(256);
    CHECK(w.observe(0) == Order::in_order);
    CHECK(w.observe(3) == Order::in_order);
    CHECK(w.observe(1) == Order::late);
    CHECK(w.observe(1) == Order::duplicate);
    CHECK(w.observe(3) == Order::duplicate);
    CHECK(w.observe(2) == Order::late);
    CHECK(w.observe(4) == Order::in_order);
}

TEST_CASE("numbers beyond the window are stale, never guessed") {
    SequenceWindow w(16);
    CHECK(w.observe(5000) == Order::in_order);
    CHECK(w.observe(5000 - 1100) == Order::stale);
    CHECK(w.observe(5000 - 900) == Order::late);
    CHECK(w.observe(5000 - 900) == Order::duplicate);
}

TEST_CASE("a jump beyond the window forgets all that was before") {
    SequenceWindow w(16);
    for (std::uint64_t s = 0; s < 64; ++s) {
        REQUIRE(w.observe(s) == Order::in_order);
    }
    CHECK(w.observe(1'000'000) == Order::in_order);
    CHECK(w.observe(999'990) == Order::late);
    CHECK(w.observe(10) == Order::stale);
}

TEST_CASE("any interleaving within the window agrees with a set") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        SequenceWindow w(256);
        std::vector<std::uint64_t> arrivals;
        for (std::uint64_t s = 0; s < 4000; ++s) {
            if (random() % 10 != 0) {
                arrivals.push_back(s);
            }
            if (random() % 20 == 0) {
                arrivals.push_back(s);
            }
        }
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
            const std::size_t j = i + random() % 300;
            if (j < arrivals.size()) {
                std::swap(arrivals[i], arrivals[j]);
            }
        }
        std::set<std::uint64_t> seen;
        for (const std::uint64_t s : arrivals) {
            const Order expected = seen.count(s) != 0                   ? Order::duplicate
                                   : seen.empty() || s > *seen.rbegin() ? Order::in_order
                                                                        : Order::late;
            REQUIRE(w.observe(s) == expected);
            seen.insert(s);
        }
    }
}
