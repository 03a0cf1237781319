// SPDX-License-Identifier: BSD-3-Clause
#include "wire/frame.hpp"

#include "wire/ack.hpp"
#include "wire/checksum.hpp"
#include "wire/stamp.hpp"

#include <cstring>

namespace gensink::wire {
namespace {

constexpr std::uint16_t ethertype_ipv4 = 0x0800;
constexpr std::uint16_t dont_fragment = 0x4000;
constexpr std::uint8_t ttl = 64;
constexpr std::uint8_t protocol_udp = 17;

void put16(std::byte* p, std::uint16_t v) {
    store(p, swap16(v));
}

void write_ipv4(std::byte* ip, const FrameFields& f, std::uint16_t udp_length) {
    ip[0] = std::byte{0x45};
    put16(ip + 2, static_cast<std::uint16_t>(ipv4_bytes + udp_length));
    put16(ip + 6, dont_fragment);
    ip[8] = std::byte{ttl};
    ip[9] = std::byte{protocol_udp};
    std::memcpy(ip + 12, f.source_ip.data(), 4);
    std::memcpy(ip + 16, f.destination_ip.data(), 4);
    store(ip + 10, static_cast<std::uint16_t>(~fold(sum_bytes(ip, ipv4_bytes))));
}

/// Addresses, protocol and UDP length, in memory order (RFC 768).
std::uint64_t pseudo_header(const std::byte* ip, std::uint16_t udp_length) {
    return add_carry(
        sum_bytes(ip + 12, 8), std::uint64_t{swap16(protocol_udp)} + swap16(udp_length)
    );
}

std::uint16_t udp_checksum(
    const std::byte* ip, const std::byte* udp, std::uint16_t length, UdpChecksumField kind
) {
    if (kind == UdpChecksumField::zero) {
        return 0;
    }
    const std::uint64_t pseudo = pseudo_header(ip, length);
    if (kind == UdpChecksumField::pseudo) {
        return fold(pseudo);
    }
    const auto sum = static_cast<std::uint16_t>(~fold(add_carry(pseudo, sum_bytes(udp, length))));
    return sum == 0 ? 0xffff : sum;  // 0 on the wire means "none" (RFC 768)
}

}  // namespace

void write_frame(std::span<std::byte> out, const FrameFields& f) {
    const std::uint32_t bytes = frame_bytes_without_fcs(f.payload_bytes);
    std::byte* const frame = out.data();
    std::memset(frame, 0, bytes);
    std::memcpy(frame, f.destination_mac.data(), 6);
    std::memcpy(frame + 6, f.source_mac.data(), 6);
    put16(frame + 12, ethertype_ipv4);

    const auto udp_length = static_cast<std::uint16_t>(udp_bytes + f.payload_bytes);
    std::byte* const ip = frame + ethernet_bytes;
    write_ipv4(ip, f, udp_length);

    std::byte* const udp = ip + ipv4_bytes;
    put16(udp, f.source_port);
    put16(udp + 2, f.destination_port);
    put16(udp + 4, udp_length);
    std::byte* const payload = udp + udp_bytes;
    store(payload, swap32(f.run_id));
    write_stamp(frame, f.run_id, stamp_word(0, 0, 0), 0);
    for (std::uint32_t i = gensink_header_bytes; i < f.payload_bytes; ++i) {
        payload[i] = static_cast<std::byte>(i * 7 + 1);
    }
    store(udp + 6, udp_checksum(ip, udp, udp_length, f.checksum));
}

void write_ack_template(std::span<std::byte> out, const FrameFields& fields) {
    FrameFields f = fields;
    f.payload_bytes = ack_payload_bytes;
    write_frame(out, f);
    std::byte* const ip = out.data() + ethernet_bytes;
    std::byte* const udp = ip + ipv4_bytes;
    write_ack(out.data(), f.run_id, 0, {});
    put16(udp + 6, 0);
    store(udp + 6, udp_checksum(ip, udp, udp_bytes + ack_payload_bytes, f.checksum));
}

}  // namespace gensink::wire
