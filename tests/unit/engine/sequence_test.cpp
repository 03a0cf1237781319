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

TEST_CASE("so many in a row are as many one by one") {
    std::mt19937_64 random(11);
    SequenceWindow rows(16);
    SequenceWindow ones(16);
    std::uint64_t next = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto n = static_cast<std::uint32_t>(random() % 200);
        rows.observe_next(n);
        for (std::uint32_t k = 0; k < n; ++k) {
            REQUIRE(ones.observe(next + k) == Order::in_order);
            REQUIRE(ones.is_whole() == (ones.first_missing() == next + k + 1));
        }
        next += n;
        REQUIRE(rows.next() == next);
        REQUIRE(rows.is_whole() == ones.is_whole());
        for (const std::uint64_t back : {1U, 70U, 500U}) {  // a copy, or what was left out
            if (next > back) {
                REQUIRE(rows.observe(next - back) == ones.observe(next - back));
            }
        }
        if (random() % 10 == 0) {
            next += random() % 100;
            REQUIRE(rows.observe(next) == Order::in_order);
            REQUIRE(ones.observe(next) == Order::in_order);
            ++next;
        }
        REQUIRE(rows.first_missing() == ones.first_missing());
    }
}
