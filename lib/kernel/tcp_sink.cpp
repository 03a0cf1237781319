// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#include "kernel/tcp_sink.hpp"

#include "kernel/socket.hpp"
#include "kernel/tcp_queue.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace gensink::kernel {

namespace {

constexpr int door_ms = 2;
/// A connection says at once whose it is.
constexpr int hello_ms = 200;

}  // namespace

bool TcpDoor::is_ours(const Socket& socket) const {
    Hello hello;
    pollfd waiting{socket.fd(), POLLIN, 0};
    const bool said = ::poll(&waiting, 1, hello_ms) > 0 &&
                      ::recv(socket.fd(), &hello, sizeof hello, 0) == sizeof hello;
    return said && hello.magic == Hello{}.magic && hello.run_id == run_id_;
}

bool TcpDoor::open(std::vector<TcpConnection>& connections) {
    bool all = true;
    for (TcpListener& listener : listeners_) {
        if (listener.wanted == 0) {
            continue;
        }
        all = false;
        auto socket = tcp_accept(listener.fd, door_ms);
        if (!socket) {
            continue;
        }
        if (is_ours(*socket)) {
            --listener.wanted;
            connections.push_back({*std::move(socket), listener.stream});
        }
    }
    return all;
}

TcpSinkLoop::TcpSinkLoop(
    engine::LoopSpec loop,
    std::uint32_t read_bytes,
    std::size_t streams,
    std::vector<TcpConnection> connections
)
    : loop_(loop)
    , buffer_(read_bytes)
    , connections_(std::move(connections))
    , streams_(streams)
    , published_streams_(streams) {}

counters::SinkCause TcpSinkLoop::turn() {
    TcpConnection& connection = connections_[at_];
    at_ = at_ + 1 == connections_.size() ? 0 : at_ + 1;
    ++counts_.receive_calls;
    const ssize_t n =
        connection.ended
            ? -1
            : ::recv(connection.socket.fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (n <= 0) {
        connection.ended = connection.ended || n == 0 || (errno != EAGAIN && errno != EINTR);
        ++counts_.burst_received[0];
        ++empty_reads_;
        return counters::SinkCause::polling;
    }
    empty_reads_ = 0;
    const auto bytes = static_cast<std::uint64_t>(n);
    streams_[connection.stream].in_order += bytes;
    counts_.payload_bytes += bytes;
    return counters::SinkCause::receiving;
}

/// Segments are the kernel's to count.
void TcpSinkLoop::sum_up() {
    std::uint64_t segments = 0;
    for (const TcpConnection& connection : connections_) {
        segments += tcp_facts(connection.socket.fd()).segments_in;
    }
    counts_.frames = segments;
    counts_.frame_bytes = counts_.payload_bytes + segments * tcp_frame_overhead;
}

void TcpSinkLoop::look(const engine::Control& control, std::uint64_t now) {
    const counters::Phase phase = control.phase.load(std::memory_order_relaxed);
    if (phase != cut_.seen()) {
        sum_up();
    }
    cut_.follow(phase, counts_, now, report_);
    done_ = control.stop.load(std::memory_order_relaxed);
    if (now >= next_publish_) {
        next_publish_ = now + loop_.publish_ticks;
        publish();
    }
}

void TcpSinkLoop::end() {
    publish();
    report_.total = counts_;
}

void TcpSinkLoop::publish() {
    sum_up();
    published_.publish(counts_);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        published_streams_[i].publish(streams_[i]);
    }
}

}  // namespace gensink::kernel
