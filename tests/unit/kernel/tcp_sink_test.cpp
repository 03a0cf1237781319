// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/socket.hpp"
#include "kernel/tcp_sink.hpp"

#include <array>
#include <sys/socket.h>

#include "catch.hpp"

namespace gensink::kernel {

namespace {

/// Two ends of a stream, without a network.
struct Streams {
    Socket near;
    Socket far;

    Streams() {
        std::array<int, 2> ends{};
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        near = Socket(ends[0]);
        far = Socket(ends[1]);
    }

    void write(std::size_t bytes) const {
        const std::vector<char> data(bytes);
        REQUIRE(::send(near.fd(), data.data(), bytes, 0) == static_cast<ssize_t>(bytes));
    }
};

}  // namespace

TEST_CASE("reads go round, and only after each was empty is there nothing to do") {
    Streams one;
    Streams two;
    std::vector<TcpConnection> connections;
    connections.push_back({std::move(one.far), 0});
    connections.push_back({std::move(two.far), 1});
    TcpSinkLoop loop({1000, 1000, 0}, 100, 2, std::move(connections));
    one.write(250);
    two.write(30);
    engine::Control control;
    control.phase = counters::Phase::measure;
    loop.look(control, 5);
    for (int i = 0; i < 6; ++i) {
        (void)loop.turn();
    }
    CHECK_FALSE(loop.is_idle());
    (void)loop.turn();
    (void)loop.turn();
    CHECK(loop.is_idle());
    loop.woke();
    CHECK_FALSE(loop.is_idle());
    control.phase = counters::Phase::drain;
    loop.look(control, 105);
    loop.end();
    CHECK(loop.stream(0).other.in_order == 250);
    CHECK(loop.stream(1).other.in_order == 30);
    CHECK(loop.report().measured.payload_bytes == 280);
    CHECK(loop.report().measure_end_ticks - loop.report().measure_start_ticks == 100);
}

TEST_CASE("a connection that its peer has closed brings nothing more") {
    Streams one;
    std::vector<TcpConnection> connections;
    connections.push_back({std::move(one.far), 0});
    TcpSinkLoop loop({1000, 1000, 0}, 100, 1, std::move(connections));
    one.write(10);
    one.near = Socket();
    CHECK(loop.turn() == counters::SinkCause::receiving);
    for (int i = 0; i < 3; ++i) {
        CHECK(loop.turn() == counters::SinkCause::polling);
    }
    loop.end();
    CHECK(loop.stream(0).other.in_order == 10);
    CHECK(loop.total().receive_calls == 4);
}

}  // namespace gensink::kernel
