// SPDX-License-Identifier: BSD-3-Clause
#include "apart/responder.hpp"
#include "wire/checksum.hpp"

#include <algorithm>

#include "catch.hpp"

namespace gensink::apart {

namespace {

const Host host{{2, 0, 0, 0, 0, 9}, {198, 18, 0, 2}};

Bytes bytes_of(std::initializer_list<unsigned> values) {
    Bytes bytes;
    for (const unsigned value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

/// Who has 198.18.0.2? Tell 198.18.0.1 at 02:00:00:00:00:01.
Bytes arp_request() {
    Bytes frame = bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0,   1,  8, 6,
                            0,    1,    8,    0,    6,    4,    0, 1, 2, 0, 0,   0,  0, 1,
                            198,  18,   0,    1,    0,    0,    0, 0, 0, 0, 198, 18, 0, 2});
    frame.resize(60);
    return frame;
}

void put_sum(Bytes& frame, std::size_t from, std::size_t bytes, std::size_t at) {
    frame[at] = frame[at + 1] = std::byte{0};
    const auto sum = static_cast<std::uint16_t>(~wire::fold(wire::sum_bytes(&frame[from], bytes)));
    std::memcpy(&frame[at], &sum, sizeof sum);
}

/// An echo request of 198.18.0.1 with `data` bytes of data.
Bytes echo_request(std::size_t data) {
    Bytes frame =
        bytes_of({2, 0,  0, 0, 0, 9,   2,  0, 0, 0,   0,  1, 8, 0, 0x45, 0, 0, 0,    0,    1, 0,
                  0, 64, 1, 0, 0, 198, 18, 0, 1, 198, 18, 0, 2, 8, 0,    0, 0, 0x12, 0x34, 0, 7});
    frame[17] = static_cast<std::byte>(28 + data);
    for (std::size_t i = 0; i < data; ++i) {
        frame.push_back(static_cast<std::byte>(i));
    }
    put_sum(frame, 14, 20, 24);
    put_sum(frame, 34, 8 + data, 36);
    frame.resize(std::max<std::size_t>(frame.size(), 60));
    return frame;
}

}  // namespace

TEST_CASE("an ARP request for the host is answered, to whom it came from") {
    const auto answer = answer_to(arp_request(), host);
    REQUIRE(answer);
    Bytes expected =
        bytes_of({2, 0, 0, 0, 0, 1, 2, 0,   0,  0, 0, 9, 8, 6, 0, 1, 8, 0,   6,  4, 0,
                  2, 2, 0, 0, 0, 0, 9, 198, 18, 0, 2, 2, 0, 0, 0, 0, 1, 198, 18, 0, 1});
    expected.resize(60);
    CHECK(*answer == expected);
}

TEST_CASE("an ARP request for another host, or an answer, is not") {
    Bytes other = arp_request();
    other[41] = std::byte{3};
    CHECK_FALSE(answer_to(other, host));
    Bytes reply = arp_request();
    reply[21] = std::byte{2};
    CHECK_FALSE(answer_to(reply, host));
}

TEST_CASE("an echo request comes back with its data, addresses swapped, sums right") {
    for (const std::size_t data : {0UL, 1UL, 32UL, 33UL, 64UL}) {
        const Bytes request = echo_request(data);
        const auto answer = answer_to(request, host);
        REQUIRE(answer);
        CHECK(std::equal(answer->begin(), answer->begin() + 6, request.begin() + 6));
        CHECK(std::equal(answer->begin() + 26, answer->begin() + 30, request.begin() + 30));
        CHECK(std::equal(answer->begin() + 30, answer->begin() + 34, request.begin() + 26));
        CHECK((*answer)[34] == std::byte{0});
        CHECK(std::equal(
            answer->begin() + 38,
            answer->begin() + 42 + static_cast<std::ptrdiff_t>(data),
            request.begin() + 38
        ));
        CHECK(wire::fold(wire::sum_bytes(answer->data() + 14, 20)) == 0xffff);
        CHECK(wire::fold(wire::sum_bytes(answer->data() + 34, 8 + data)) == 0xffff);
    }
}

TEST_CASE("an echo request that is damaged, a fragment, cut short or for another is not answered") {
    for (const std::size_t at : {20UL, 33UL, 34UL, 36UL, 45UL}) {
        Bytes bad = echo_request(16);
        bad[at] ^= std::byte{4};
        CHECK_FALSE(answer_to(bad, host));
    }
    Bytes fragment = echo_request(16);
    fragment[20] = std::byte{0x20};
    put_sum(fragment, 14, 20, 24);
    CHECK_FALSE(answer_to(fragment, host));
    const Bytes whole = echo_request(40);
    for (std::size_t bytes = 0; bytes < 82; ++bytes) {
        CHECK_FALSE(answer_to(ByteView(whole).first(bytes), host));
    }
}

}  // namespace gensink::apart
