// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "base/units.hpp"
#include "counters/counts.hpp"

#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <utility>

/// Sockets of the kernel, and what it tells of them.
namespace gensink::kernel {

/// A file descriptor of one's own.
class Socket {
  public:
    Socket() = default;

    explicit Socket(int fd) : fd_(fd) {}

    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

    Socket& operator=(Socket&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }

    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket();

    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_ = -1;
};

struct Address {
    std::array<std::uint8_t, 4> ip{};
    std::uint16_t port = 0;
};

/// Buffers as asked; absent: the kernel's own.
struct Buffers {
    std::optional<std::uint64_t> send;
    std::optional<std::uint64_t> receive;
};

[[nodiscard]] sockaddr_in to_sockaddr(const Address& address);

/// A socket whose calls do not wait, bound to `own`. A datagram is cut on its way only where
/// `may_cut` says so. Error environment.
[[nodiscard]] Result<Socket>
udp_socket(const Address& own, const Buffers& buffers, bool may_cut = false);
/// Datagrams go to `peer`. Error environment.
[[nodiscard]] Result<void> connect_udp(const Socket& socket, const Address& peer);

struct TcpOptions {
    Buffers buffers;
    std::uint16_t mtu = 1500;  ///< segments are no longer than what it leaves
    bool no_delay = false;
    bool zero_copy = false;  ///< the socket is to send with MSG_ZEROCOPY
};

/// Listens on `own`. Error environment.
[[nodiscard]] Result<Socket> tcp_listener(const Address& own, const TcpOptions& options);
/// A connection from `own.ip` to `peer`, whose calls do not wait. Error environment.
[[nodiscard]] Result<Socket>
tcp_connect(const Address& own, const Address& peer, const TcpOptions& options);
/// The next connection to a listener, whose calls do not wait; absent where none came within so
/// many milliseconds.
[[nodiscard]] std::optional<Socket> tcp_accept(int listener, int patience_ms);

/// What the kernel counts of a connection (tcp(7), TCP_INFO).
struct TcpFacts {
    std::uint64_t segments_out = 0;  ///< with data
    std::uint64_t segments_in = 0;   ///< with data
    counters::TcpCounts counts;
};

[[nodiscard]] TcpFacts tcp_facts(int fd);

/// True where bytes were given to the connection that its peer has not acknowledged.
[[nodiscard]] bool has_unacknowledged(int fd);

/// Datagrams that found no room in the socket's buffer since it was opened. Absent: not told.
[[nodiscard]] std::optional<std::uint64_t> drops_of(int fd);

}  // namespace gensink::kernel
