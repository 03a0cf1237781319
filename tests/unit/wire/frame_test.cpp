// SPDX-License-Identifier: BSD-3-Clause
#include "wire/frame.hpp"
#include "wire/inspect.hpp"

#include <array>
#include <vector>

#include "catch.hpp"

using namespace gensink::wire;

namespace {

constexpr std::uint32_t run_id = 0xdeadbeef;
constexpr std::uint16_t port = 5401;

FrameFields fields(std::uint16_t payload = 18) {
    FrameFields f;
    f.source_mac = {2, 0, 0, 0, 0, 1};
    f.destination_mac = {2, 0, 0, 0, 0, 2};
    f.source_ip = {198, 18, 0, 1};
    f.destination_ip = {198, 18, 0, 2};
    f.source_port = 49152;
    f.destination_port = port;
    f.payload_bytes = payload;
    f.run_id = run_id;
    return f;
}

std::vector<std::byte> frame(const FrameFields& f) {
    std::vector<std::byte> bytes(frame_bytes_without_fcs(f.payload_bytes));
    write_frame(bytes, f);
    return bytes;
}

FrameKind kind(const std::vector<std::byte>& f, bool full = true) {
    return inspect(f.data(), static_cast<std::uint32_t>(f.size()), run_id, port, full).kind;
}

}  // namespace

// RFC 1071 section 3's example: 0001 f203 f4f5 f6f7 sums to ddf2.
TEST_CASE("the checksum sum is RFC 1071's") {
    const std::array<std::byte, 8> bytes{
        std::byte{0x00},
        std::byte{0x01},
        std::byte{0xf2},
        std::byte{0x03},
        std::byte{0xf4},
        std::byte{0xf5},
        std::byte{0xf6},
        std::byte{0xf7}};
    CHECK(swap16(fold(sum_bytes(bytes.data(), bytes.size()))) == 0xddf2);
    CHECK(swap16(fold(sum_bytes(bytes.data(), 7))) == 0xdcfb);  // the last word reads f600
}

TEST_CASE("fold keeps the ones' complement value of any 64-bit sum") {
    CHECK(fold(0) == 0);
    CHECK(fold(0xffff) == 0xffff);
    CHECK(fold(0x10000) == 1);
    CHECK(fold(0xffffffffffffffffULL) == 0xffff);
    CHECK(fold(0x0001000200030004ULL) == 10);
}

TEST_CASE("a frame's checksums fit at every payload length") {
    for (std::uint16_t payload = 18; payload < 1600; ++payload) {
        const auto f = frame(fields(payload));
        REQUIRE(checksums_fit(f.data(), static_cast<std::uint32_t>(f.size())));
        REQUIRE(kind(f) == FrameKind::ours);
    }
}

TEST_CASE("a stamp never changes what the UDP checksum must be") {
    auto f = frame(fields(100));
    std::uint64_t x = 88172645463325252ULL;  // xorshift64
    for (int i = 0; i < 20000; ++i) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const auto stream = static_cast<std::uint8_t>(x >> 8);
        const auto phase = static_cast<std::uint8_t>(x & 3);
        write_stamp(
            f.data(), run_id, stamp_word(stream, phase, x >> 5), static_cast<std::uint32_t>(x)
        );
        const Inspected seen =
            inspect(f.data(), static_cast<std::uint32_t>(f.size()), run_id, port, true);
        REQUIRE(seen.kind == FrameKind::ours);
        REQUIRE(seen.stamp.stream() == stream);
        REQUIRE(seen.stamp.phase() == phase);
        REQUIRE(seen.stamp.sequence() == ((x >> 5) & sequence_mask));
        REQUIRE(seen.stamp.time == static_cast<std::uint32_t>(x));
        REQUIRE(seen.payload_bytes == 100);
    }
}

TEST_CASE("any flipped bit after the Ethernet header is noticed") {
    const auto good = frame(fields(64));
    for (std::size_t bit = 14 * 8; bit < good.size() * 8; ++bit) {
        auto bad = good;
        bad[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        CHECK(kind(bad) != FrameKind::ours);
    }
}

TEST_CASE("the pad of a short frame is not payload") {
    FrameFields f = fields(18);
    auto bytes = frame(f);
    bytes.resize(64, std::byte{0xaa});  // a driver that leaves the FCS in place
    CHECK(kind(bytes) == FrameKind::ours);
}

TEST_CASE("header verification reads the stamp alone") {
    auto f = frame(fields(64));
    f[100] ^= std::byte{1};
    CHECK(kind(f, false) == FrameKind::ours);
    CHECK(kind(f, true) == FrameKind::corrupt);
}

TEST_CASE("a zero UDP checksum means none") {
    FrameFields f = fields(64);
    f.checksum = UdpChecksumField::zero;
    auto bytes = frame(f);
    CHECK(load<std::uint16_t>(&bytes[40]) == 0);
    CHECK(kind(bytes) == FrameKind::ours);
}

TEST_CASE("another run's frames are foreign and other traffic is background") {
    FrameFields other = fields();
    other.run_id = 7;
    CHECK(kind(frame(other)) == FrameKind::foreign);
    FrameFields elsewhere = fields();
    elsewhere.destination_port = 9;
    CHECK(kind(frame(elsewhere)) == FrameKind::background);
    std::vector<std::byte> arp(60, std::byte{0});
    arp[12] = std::byte{8};
    arp[13] = std::byte{6};
    CHECK(kind(arp) == FrameKind::background);
    CHECK(kind({}) == FrameKind::background);
    CHECK(kind(std::vector<std::byte>(30)) == FrameKind::background);
}

TEST_CASE("a frame cut short is corrupt, and never read beyond its end") {
    auto f = frame(fields(200));
    f.resize(150);
    CHECK(kind(f) == FrameKind::corrupt);
}
