// SPDX-License-Identifier: BSD-3-Clause
#include "report/format.hpp"

#include <limits>

#include "catch.hpp"

using namespace gensink;
using namespace gensink::report;

TEST_CASE("frame rates have four significant digits and an SI prefix") {
    CHECK(fps(27'834'000.0) == "27.83 Mfps");
    CHECK(fps(1'488'095.0) == "1.488 Mfps");
    CHECK(fps(844'595.0) == "844.6 kfps");
    CHECK(fps(200.0) == "200 fps");
    CHECK(fps(0.5) == "0.500 fps");
    CHECK(fps(0.0) == "0 fps");
}

TEST_CASE("rounding up to the next prefix takes the next prefix") {
    CHECK(fps(999'990.0) == "1.000 Mfps");
    CHECK(bits_per_second(999.97e6) == "1.000 Gbit/s");
    CHECK(fps(9'999.6) == "10.00 kfps");
}

TEST_CASE("absent and undefined are a dash, not 0") {
    CHECK(fps(std::nullopt) == "-");
    CHECK(number(std::numeric_limits<double>::quiet_NaN()) == "-");
    CHECK(gain(std::nullopt) == "-");
    CHECK(percent(std::nullopt) == "-");
    CHECK(gain_range(std::numeric_limits<double>::infinity(), 1) == "-");
}

TEST_CASE("plain numbers keep about four digits and group thousands") {
    CHECK(number(0.0) == "0");
    CHECK(number(7.254) == "7.25");
    CHECK(number(103.24) == "103.2");
    CHECK(number(12'345.4) == "12,345");
    CHECK(number(-12'345.4) == "-12,345");
    CHECK(number(0.01287) == "0.0129");  // 12.87 Mbit/s in Gbit/s
    CHECK(number(0.000123) == "0.000123");
    CHECK(count(1'234'567) == "1,234,567");
    CHECK(count(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
    CHECK(signed_count(-123) == "-123");
    CHECK(signed_count(-1234) == "-1,234");
}

TEST_CASE("a gain is signed, and a tiny one is not rounded to 0") {
    CHECK(gain(0.34123) == "+34.12 %");
    CHECK(gain(-0.02) == "-2.00 %");
    CHECK(gain(0.0) == "+0.00 %");
    CHECK(gain(0.00002) == "+0.002 %");
    CHECK(gain(7.99e12) == "+8e14 %");
    CHECK(gain(12.5) == "+1250.00 %");
    CHECK(gain_range(-0.0121, 0.0119) == "-1.21 .. +1.19 %");
    CHECK(percent(0.987) == "98.7 %");
    CHECK(percent(1.0) == "100 %");
    CHECK(percent(3e-9) == "3e-7 %");
}

TEST_CASE("loss is never rounded to 0") {
    CHECK(loss(3, 1'000'000'000) == "3e-9 (3)");
    CHECK(loss(0, 1'000'000'000) == "0");
    CHECK(loss(100, 1'000) == "10 % (100)");
    CHECK(loss(1, std::numeric_limits<std::uint64_t>::max()) == "5.42e-20 (1)");
    CHECK(loss(-2, 1'000'000) == "-2e-6 (-2)");
}

TEST_CASE("loss of nothing sent is unknown") {
    CHECK(loss(0, 0) == "-");
    CHECK(loss(4, 0) == "(4)");
}

TEST_CASE("durations take the unit that fits") {
    CHECK(duration(Duration{850}) == "850 ns");
    CHECK(duration(Duration{12'300}) == "12.3 us");
    CHECK(duration(Duration{350'000'000}) == "350 ms");
    CHECK(duration(Duration{1'250'000'000}) == "1.25 s");
    CHECK(duration(Duration{999'600'000}) == "1 s");
    CHECK(duration(Duration{123'000'000'000}) == "2 min 03 s");
    CHECK(duration(Duration{3'723'000'000'000}) == "1 h 02 min");
}

TEST_CASE("widths count code points, not bytes") {
    CHECK(columns("gr\xC3\xBC\xC3\x9F") == 4);
    CHECK(pad_left("\xC3\xBC", 3) == "  \xC3\xBC");
    CHECK(pad_right("ab", 4) == "ab  ");
    CHECK(shorten("gr\xC3\xBC\xC3\x9F dich", 7) == "gr\xC3\xBC\xC3\x9F...");
    CHECK(shorten("short", 5) == "short");
}

TEST_CASE("text wraps at spaces, later lines indented") {
    CHECK(wrap("one two three", 8, "  ") == "one two\n  three");
    CHECK(wrap("  kept indent", 40) == "  kept indent");
    CHECK(
        wrap("a log:\n  | one two\n  | three", 9, "    ") == "a log:\n  | one\n    two\n  | three"
    );
    CHECK(wrap("margin of 2 % here", 11) == "margin of\n2 % here");
    CHECK(wrap("unbreakable-word next", 5, "") == "unbreakable-word\nnext");
}
