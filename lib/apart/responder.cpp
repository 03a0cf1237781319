// SPDX-License-Identifier: BSD-3-Clause
#include "apart/responder.hpp"

#include "wire/checksum.hpp"
#include "wire/control.hpp"
#include "wire/size.hpp"

#include <algorithm>
#include <cstring>

namespace gensink::apart {

namespace {

constexpr std::size_t shortest_answer = wire::min_frame_bytes - wire::fcs_bytes;

template <class T>
T read(ByteView frame, std::size_t at) {
    T value{};
    std::memcpy(&value, frame.data() + at, sizeof value);
    return value;
}

template <class T>
void write(Bytes& frame, std::size_t at, const T& value) {
    std::memcpy(frame.data() + at, &value, sizeof value);
}

using Mac = plan::MacAddress;
using Ip = std::array<std::uint8_t, 4>;

/// Offsets of RFC 826's fields for Ethernet and IPv4.
namespace arp {
constexpr std::size_t formats = 14;  // hardware, protocol, lengths
constexpr std::size_t operation = 20;
constexpr std::size_t sender = 22;
constexpr std::size_t sender_ip = 28;
constexpr std::size_t target = 32;
constexpr std::size_t target_ip = 38;
constexpr std::size_t bytes = 42;
}  // namespace arp

std::optional<Bytes> answer_arp(ByteView frame, const Host& host) {
    constexpr std::array<std::uint8_t, 8> request{0, 1, 8, 0, 6, 4, 0, 1};
    constexpr std::array<std::uint8_t, 2> reply{0, 2};
    if (frame.size() < arp::bytes ||
        read<std::array<std::uint8_t, 8>>(frame, arp::formats) != request ||
        read<Ip>(frame, arp::target_ip) != host.ip) {
        return std::nullopt;
    }
    Bytes answer(frame.begin(), frame.begin() + arp::bytes);
    answer.resize(shortest_answer);
    const Mac asker = read<Mac>(frame, arp::sender);
    write(answer, 0, asker);
    write(answer, 6, host.mac);
    write(answer, arp::operation, reply);
    write(answer, arp::sender, host.mac);
    write(answer, arp::sender_ip, host.ip);
    write(answer, arp::target, asker);
    write(answer, arp::target_ip, read<Ip>(frame, arp::sender_ip));
    return answer;
}

std::optional<Bytes> answer_echo(ByteView frame, const Host& host) {
    constexpr std::size_t ip = wire::ethernet_bytes;
    constexpr std::size_t icmp = ip + wire::ipv4_bytes;
    constexpr std::uint16_t more_fragments_or_offset = 0x3fff;
    if (frame.size() < icmp + 8 || frame[ip] != std::byte{0x45}) {
        return std::nullopt;
    }
    const std::size_t total = wire::swap16(read<std::uint16_t>(frame, ip + 2));
    const bool whole =
        total >= wire::ipv4_bytes + 8 && ip + total <= frame.size() &&
        (wire::swap16(read<std::uint16_t>(frame, ip + 6)) & more_fragments_or_offset) == 0;
    if (!whole || read<Ip>(frame, ip + 16) != host.ip || frame[icmp] != std::byte{8} ||
        wire::fold(wire::sum_bytes(frame.data() + ip, wire::ipv4_bytes)) != 0xffff ||
        wire::fold(wire::sum_bytes(frame.data() + icmp, total - wire::ipv4_bytes)) != 0xffff) {
        return std::nullopt;
    }
    Bytes answer(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(ip + total));
    write(answer, 0, read<Mac>(frame, 6));
    write(answer, 6, host.mac);
    write(answer, ip + 12, host.ip);
    write(answer, ip + 16, read<Ip>(frame, ip + 12));
    answer[icmp] = std::byte{0};  // echo reply
    write(answer, icmp + 2, std::uint16_t{0});
    const auto sum = wire::fold(wire::sum_bytes(answer.data() + icmp, total - wire::ipv4_bytes));
    write(answer, icmp + 2, static_cast<std::uint16_t>(~sum));
    answer.resize(std::max(answer.size(), shortest_answer));
    return answer;
}

}  // namespace

std::optional<Bytes> answer_to(ByteView frame, const Host& host) {
    if (frame.size() < wire::headers_bytes) {
        return std::nullopt;
    }
    const std::uint16_t type = wire::ethertype(frame.data());
    if (type == wire::arp_ethertype) {
        return answer_arp(frame, host);
    }
    return type == wire::ipv4_ethertype ? answer_echo(frame, host) : std::nullopt;
}

}  // namespace gensink::apart
