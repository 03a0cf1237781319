// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/socket.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace gensink::kernel {
namespace {

/// IPv4 and TCP without options: what TCP_MAXSEG leaves out (RFC 9293 section 3.7.1).
constexpr int tcp_headers = 40;

std::string text_of(const Address& address) {
    const auto& ip = address.ip;
    return fmt::format("{}.{}.{}.{}:{}", ip[0], ip[1], ip[2], ip[3], address.port);
}

tl::unexpected<Error> socket_error(const char* what, const Address& at, int code) {
    const char* advice =
        code == EADDRINUSE      ? "; another program has it: set traffic.destination_port"
        : code == EADDRNOTAVAIL ? "; no interface here has the address: set traffic.source_ip and "
                                  "traffic.destination_ip to those of the ends, or wire.veth: true"
        : code == ENETUNREACH || code == EHOSTUNREACH
            ? "; there is no route to it: see `ip addr` and `ip route`"
        : code == ECONNREFUSED ? "; nobody listens there"
                               : "";
    return fail(
        ErrorKind::environment,
        fmt::format("{}: {}{}", what, std::generic_category().message(code), advice),
        text_of(at),
        code
    );
}

bool set_int(int fd, int level, int name, int value) {
    return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

/// The forced form is not held to net.core.wmem_max, but needs a right that not all have.
bool set_size(int fd, int forced, int name, const std::optional<std::uint64_t>& bytes) {
    if (!bytes) {
        return true;
    }
    const int value = static_cast<int>(*bytes);
    return set_int(fd, SOL_SOCKET, forced, value) || set_int(fd, SOL_SOCKET, name, value);
}

bool set_buffers(int fd, const Buffers& buffers) {
    return set_size(fd, SO_SNDBUFFORCE, SO_SNDBUF, buffers.send) &&
           set_size(fd, SO_RCVBUFFORCE, SO_RCVBUF, buffers.receive);
}

bool set_tcp(int fd, const TcpOptions& options) {
    return set_buffers(fd, options.buffers) && set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
           set_int(fd, IPPROTO_TCP, TCP_MAXSEG, options.mtu - tcp_headers) &&
           set_int(fd, IPPROTO_TCP, TCP_NODELAY, options.no_delay ? 1 : 0);
}

Result<Socket> open_socket(int type, int protocol) {
    const int fd = ::socket(AF_INET, type | SOCK_CLOEXEC, protocol);
    if (fd < 0) {
        return socket_error("cannot make a socket", {}, errno);
    }
    return Socket(fd);
}

bool bind_to(int fd, const Address& own) {
    const sockaddr_in address = to_sockaddr(own);
    return ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool connect_to(int fd, const Address& peer) {
    const sockaddr_in address = to_sockaddr(peer);
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

sockaddr_in to_sockaddr(const Address& address) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(address.port);
    std::memcpy(&out.sin_addr, address.ip.data(), address.ip.size());
    return out;
}

Socket::~Socket() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

Result<Socket> udp_socket(const Address& own, const Buffers& buffers, bool may_cut) {
    auto made = open_socket(SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP);
    if (!made) {
        return made;
    }
    const int fd = made->fd();
    if (!set_buffers(fd, buffers) ||
        !set_int(fd, IPPROTO_IP, IP_MTU_DISCOVER, may_cut ? IP_PMTUDISC_DONT : IP_PMTUDISC_DO)) {
        return socket_error("cannot set up a UDP socket", own, errno);
    }
    if (!bind_to(fd, own)) {
        return socket_error("cannot bind a UDP socket", own, errno);
    }
    return made;
}

Result<void> connect_udp(const Socket& socket, const Address& peer) {
    if (!connect_to(socket.fd(), peer)) {
        return socket_error("cannot send datagrams there", peer, errno);
    }
    return {};
}

Result<Socket> tcp_listener(const Address& own, const TcpOptions& options) {
    auto made = open_socket(SOCK_STREAM, IPPROTO_TCP);
    if (!made) {
        return made;
    }
    if (!set_tcp(made->fd(), options)) {
        return socket_error("cannot set up a TCP socket", own, errno);
    }
    if (!bind_to(made->fd(), own) || ::listen(made->fd(), SOMAXCONN) != 0) {
        return socket_error("cannot listen", own, errno);
    }
    return made;
}

Result<Socket> tcp_connect(const Address& own, const Address& peer, const TcpOptions& options) {
    auto made = open_socket(SOCK_STREAM, IPPROTO_TCP);
    if (!made) {
        return made;
    }
    const int fd = made->fd();
    if (!set_tcp(fd, options) || (options.zero_copy && !set_int(fd, SOL_SOCKET, SO_ZEROCOPY, 1))) {
        return socket_error("cannot set up a TCP socket", own, errno);
    }
    if (!bind_to(fd, {own.ip, 0})) {
        return socket_error("cannot bind a TCP socket", own, errno);
    }
    // A connection that is not answered is given up: the link has been waited for before.
    constexpr int answer_ms = 5000;
    (void)set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, answer_ms);
    if (!connect_to(fd, peer)) {
        return socket_error("cannot connect", peer, errno);
    }
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        return socket_error("cannot set up a TCP socket", own, errno);
    }
    return made;
}

std::optional<Socket> tcp_accept(int listener, int patience_ms) {
    pollfd waiting{listener, POLLIN, 0};
    if (::poll(&waiting, 1, patience_ms) <= 0) {
        return std::nullopt;
    }
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return fd < 0 ? std::nullopt : std::optional<Socket>(fd);
}

TcpFacts tcp_facts(int fd) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
        return {};
    }
    return {
        info.tcpi_data_segs_out,
        info.tcpi_data_segs_in,
        {info.tcpi_total_retrans,
         info.tcpi_busy_time,
         info.tcpi_rwnd_limited,
         info.tcpi_sndbuf_limited}};
}

bool has_unacknowledged(int fd) {
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes != 0;
}

std::optional<std::uint64_t> drops_of(int fd) {
    std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
    socklen_t size = sizeof memory;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0 ||
        size <= SK_MEMINFO_DROPS * sizeof(std::uint32_t)) {
        return std::nullopt;
    }
    return memory[SK_MEMINFO_DROPS];
}

}  // namespace gensink::kernel
