// SPDX-License-Identifier: BSD-3-Clause
#include "wire/size.hpp"

#include "catch.hpp"

using namespace gensink::wire;

TEST_CASE("a frame includes its FCS and is never below 64 bytes") {
    CHECK(frame_bytes(18) == 64);
    CHECK(frame_bytes(1) == 64);
    CHECK(frame_bytes(19) == 65);
    CHECK(frame_bytes(mss_bytes(1500)) == 1518);
    CHECK(frame_bytes(mss_bytes(9000)) == 9018);
    CHECK(payload_bytes(64) == 18);
}

// IEEE 802.3 line rates of 1 GbE, as in RFC 2544 section 9.1's table of frame sizes.
TEST_CASE("a full link carries the published frames per second") {
    CHECK(static_cast<int>(line_fps(1e9, 64)) == 1488095);
    CHECK(static_cast<int>(line_fps(1e9, 128) + 0.5) == 844595);
    CHECK(static_cast<int>(line_fps(1e9, 1518)) == 81274);
    CHECK(static_cast<int>(line_fps(1e9, 9018)) == 13830);
    CHECK(static_cast<int>(line_fps(10e9, 64)) == 14880952);
}
