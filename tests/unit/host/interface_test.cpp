// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/netlink.hpp"
#include "host/interface.hpp"

#include <array>
#include <cstring>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "catch.hpp"

using namespace gensink::host;
using detail::attribute;
using detail::value_of;

namespace {

/// Attributes one after the other, padded as rtnetlink(7) says.
class Attributes {
  public:
    Attributes& add(std::uint16_t type, std::uint32_t value, std::size_t bytes) {
        const nlattr header{static_cast<std::uint16_t>(NLA_HDRLEN + bytes), type};
        const std::size_t at = bytes_.size();
        bytes_.resize(at + NLA_HDRLEN + NLA_ALIGN(bytes));
        std::memcpy(&bytes_[at], &header, sizeof header);
        std::memcpy(&bytes_[at + NLA_HDRLEN], &value, bytes);
        return *this;
    }

    std::vector<std::byte> bytes() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace

TEST_CASE("an attribute is found by its type, whatever lies before it") {
    const auto bytes = Attributes().add(3, 7, 1).add(5, 70'000, 4).add(6, 9, 4).bytes();
    CHECK(value_of<std::uint8_t>(*attribute(bytes, 3)) == 7);
    CHECK(value_of<std::uint32_t>(*attribute(bytes, 5)) == 70'000);
    CHECK(value_of<std::uint32_t>(*attribute(bytes, 6)) == 9);
    CHECK_FALSE(attribute(bytes, 4).has_value());
}

TEST_CASE("the flag of nested attributes is no part of the type") {
    const auto bytes = Attributes().add(43 | NLA_F_NESTED, 1, 4).bytes();
    CHECK(attribute(bytes, 43).has_value());
}

TEST_CASE("attributes that are cut or lie about their length end the search") {
    auto cut = Attributes().add(3, 7, 4).add(5, 8, 4).bytes();
    cut.resize(cut.size() - 1);
    CHECK(attribute(cut, 3).has_value());
    CHECK_FALSE(attribute(cut, 5).has_value());
    auto none = Attributes().add(3, 7, 4).add(5, 8, 4).bytes();
    none[0] = std::byte{0};  // a length of 0 would never end
    none[1] = std::byte{0};
    CHECK_FALSE(attribute(none, 5).has_value());
    CHECK_FALSE(attribute({}, 5).has_value());
}

TEST_CASE("a value that is cut is filled with zeros") {
    const std::array<std::byte, 2> two{std::byte{1}, std::byte{2}};
    CHECK(value_of<std::uint32_t>(two) == 0x201);
}

TEST_CASE("the loopback interface is read, and one that does not exist is absent") {
    const auto lo = read_interface("lo");
    REQUIRE(lo);
    CHECK(lo->index == if_nametoindex("lo"));
    CHECK_FALSE(lo->xdp.has_value());
    CHECK_FALSE(read_interface("nosuchif0").has_value());
    const EthernetLink link = ethernet_link("lo");
    CHECK_FALSE(link.bps.has_value());
    CHECK_FALSE(link.full_duplex.has_value());
    CHECK_FALSE(link.flow_control.has_value());
}

TEST_CASE("sockets of other families are not counted as packet or XDP sockets") {
    const int other = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    REQUIRE(other >= 0);
    CHECK(packet_sockets(1).empty());
    CHECK(xdp_sockets().empty());
    CHECK_FALSE(take_socket_drops(other).has_value());
    CHECK_FALSE(is_zero_copy(other).has_value());
    close(other);
}

TEST_CASE("an interface without a program has none to take over") {
    const auto taken = XdpLink::take_over("lo");
    REQUIRE_FALSE(taken);
    CHECK(taken.error().kind == gensink::ErrorKind::environment);
    CHECK(taken.error().where == "lo");
}
