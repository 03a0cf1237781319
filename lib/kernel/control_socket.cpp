// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/control_socket.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <sys/socket.h>
#include <utility>

namespace gensink::kernel {
namespace {

constexpr std::size_t mac_bytes = 6;
constexpr std::size_t longest_frame = 2048;
/// Strangers may send too: no more are remembered.
constexpr std::size_t most_known = 64;

plan::MacAddress mac_at(std::span<const std::byte> frame, std::size_t offset) {
    plan::MacAddress mac{};
    std::memcpy(mac.data(), frame.data() + offset, mac.size());
    return mac;
}

/// Locally administered, and another for each process.
plan::MacAddress made_up() {
    std::random_device random;
    const std::uint32_t own = random();
    plan::MacAddress mac{0x02, 0x67};
    std::memcpy(&mac[2], &own, sizeof own);
    return mac;
}

}  // namespace

ControlSocket::ControlSocket(Socket socket) : socket_(std::move(socket)), address_(made_up()) {}

Result<std::unique_ptr<ControlSocket>>
ControlSocket::open(std::uint16_t data_port, const std::optional<Address>& peer) {
    const auto port = static_cast<std::uint16_t>(data_port - 1);
    auto socket = udp_socket({{}, peer ? std::uint16_t{0} : port}, {}, true);
    if (!socket) {
        return tl::unexpected<Error>(socket.error());
    }
    std::unique_ptr<ControlSocket> made(new ControlSocket(*std::move(socket)));
    if (peer) {
        made->peer_ = to_sockaddr({peer->ip, port});
    }
    return made;
}

bool ControlSocket::send(std::span<const std::byte> frame) {
    const auto known = known_.find(mac_at(frame, 0));
    const sockaddr_in* const to = known != known_.end() ? &known->second
                                  : peer_               ? &*peer_
                                                        : nullptr;
    return to != nullptr && ::sendto(
                                socket_.fd(),
                                frame.data(),
                                frame.size(),
                                0,
                                reinterpret_cast<const sockaddr*>(to),
                                sizeof *to
                            ) == static_cast<ssize_t>(frame.size());
}

bool ControlSocket::receive(const std::function<void(std::span<const std::byte>)>& read) {
    std::array<std::byte, longest_frame> frame{};
    for (;;) {
        sockaddr_in from{};
        socklen_t size = sizeof from;
        const ssize_t n = ::recvfrom(
            socket_.fd(), frame.data(), frame.size(), 0, reinterpret_cast<sockaddr*>(&from), &size
        );
        if (n < 0) {
            return true;
        }
        const std::span<const std::byte> bytes(frame.data(), static_cast<std::size_t>(n));
        if (bytes.size() < 2 * mac_bytes) {
            continue;
        }
        if (known_.size() >= most_known) {
            known_.clear();
        }
        known_[mac_at(bytes, mac_bytes)] = from;
        read(bytes);
    }
}

}  // namespace gensink::kernel
