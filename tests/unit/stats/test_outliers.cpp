// SPDX-License-Identifier: BSD-3-Clause
#include "stats/outliers.hpp"

#include <numeric>
#include <vector>

#include "catch.hpp"

namespace gensink::stats {

namespace {

using Values = std::vector<double>;

Values kept_of(const Values& values, OutlierKind kind, std::size_t trim = 2) {
    return kept_values(values, keep(values, {kind, trim}));
}

}  // namespace

TEST_CASE("no rule keeps everything") {
    CHECK(kept_of({3, 1, 1000}, OutlierKind::none) == Values{3, 1, 1000});
}

TEST_CASE("trim_high leaves out the largest, in whatever order they came") {
    CHECK(kept_of({9, 1, 8, 2, 3}, OutlierKind::trim_high) == Values{1, 2, 3});
    const Kept kept = keep(Values{9, 1, 8, 2, 3}, {OutlierKind::trim_high, 2});
    CHECK(kept.cut_high == 2);
    CHECK(kept.cut_low == 0);
    CHECK(kept.one_sided());
}

TEST_CASE("trim_both leaves out as many at each end") {
    CHECK(kept_of({9, 1, 8, 2, 3}, OutlierKind::trim_both, 1) == Values{8, 2, 3});
    CHECK_FALSE(keep(Values{9, 1, 8, 2, 3}, {OutlierKind::trim_both, 1}).one_sided());
}

TEST_CASE("a rule that would keep nothing cuts nothing") {
    CHECK(kept_of({1, 2}, OutlierKind::trim_high) == Values{1, 2});
    CHECK(kept_of({1, 2, 3, 4}, OutlierKind::trim_both) == Values{1, 2, 3, 4});
    CHECK(kept_of({}, OutlierKind::mad).empty());
    CHECK_FALSE(kept_mean(Values{}, {OutlierKind::mad}).has_value());
}

TEST_CASE("mad keeps what lies within 3 * 1.4826 MAD of the median") {
    // median 3, deviations 2 1 0 1 97, MAD 1: 3 +- 4.4478.
    CHECK(kept_of({1, 2, 3, 4, 100}, OutlierKind::mad) == Values{1, 2, 3, 4});
    CHECK(kept_of({1, 2, 3, 4, 7.4}, OutlierKind::mad) == Values{1, 2, 3, 4, 7.4});
    CHECK(kept_of({1, 2, 3, 4, 7.5}, OutlierKind::mad) == Values{1, 2, 3, 4});
    const Kept both = keep(Values{-100, 2, 3, 4, 100}, {OutlierKind::mad});
    CHECK(both.cut_low == 1);
    CHECK(both.cut_high == 1);
    CHECK_FALSE(both.one_sided());
}

TEST_CASE("two timeouts of 3 s in 100 downloads move the mean by 60 ms, and no trimmed one") {
    // The blog of June 2012 dropped the 2 slowest of 100 downloads.
    Values downloads(100, 132.0);
    downloads[17] += 3000;
    downloads[80] += 3000;
    CHECK(*kept_mean(downloads, {}) == Approx(132 + 60));
    CHECK(*kept_mean(downloads, {OutlierKind::trim_high, 2}) == Approx(132));
    CHECK(*kept_mean(downloads, {OutlierKind::trim_both, 2}) == Approx(132));
    CHECK(*kept_mean(downloads, {OutlierKind::mad}) == Approx(132));
}

}  // namespace gensink::stats
