// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "counters/counts.hpp"
#include "counters/published.hpp"
#include "engine/classifier.hpp"
#include "engine/control.hpp"
#include "kernel/socket.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gensink::kernel {

/// First bytes of each connection, before those that count.
struct Hello {
    std::array<char, 4> magic{'g', 's', 'k', '1'};
    std::uint32_t run_id = 0;
};

/// Where connections of a stream come in.
struct TcpListener {
    int fd = -1;
    std::uint8_t stream = 0;
    std::uint32_t wanted = 1;  ///< connections
};

/// A connection at the sink, and the stream whose bytes it brings.
struct TcpConnection {
    Socket socket;
    std::uint8_t stream = 0;
    bool ended = false;  ///< by its peer
};

/// Takes the connections of the streams as they come; those of others are closed.
class TcpDoor {
  public:
    TcpDoor(std::uint32_t run_id, std::vector<TcpListener> listeners)
        : run_id_(run_id), listeners_(std::move(listeners)) {}

    /// Waits for a moment. True once all have come.
    bool open(std::vector<TcpConnection>& connections);

  private:
    [[nodiscard]] bool is_ours(const Socket& socket) const;

    std::uint32_t run_id_;
    std::vector<TcpListener> listeners_;
};

/// A sink core that reads connections in turn. Bytes have no marks: a stream's are counted
/// together.
class TcpSinkLoop {
  public:
    TcpSinkLoop(
        engine::LoopSpec loop,
        std::uint32_t read_bytes,
        std::size_t streams,
        std::vector<TcpConnection> connections
    );

    /// Before the first turn.
    [[nodiscard]] std::vector<TcpConnection>& connections() { return connections_; }

    /// One read of the connection that is next.
    counters::SinkCause turn();

    void charge_turn(counters::SinkCause cause, std::uint64_t from, std::uint64_t to) {
        engine::charge(counts_, cause, to - from, loop_);
    }

    /// True once each connection had nothing to read since one last had.
    [[nodiscard]] bool is_idle() const { return empty_reads_ >= connections_.size(); }

    void woke() { empty_reads_ = 0; }

    void look(const engine::Control& control, std::uint64_t now);
    void end();

    [[nodiscard]] bool done() const { return done_; }

    [[nodiscard]] counters::SinkCounts total() const { return published_.read(); }

    [[nodiscard]] counters::Phase phase() const { return cut_.seen(); }

    /// Bytes of a stream so far. Safe while the loop runs.
    [[nodiscard]] engine::StreamSeen stream(std::size_t i) const {
        return {{}, published_streams_[i].read()};
    }

    [[nodiscard]] const engine::LoopReport<counters::SinkCounts>& report() const { return report_; }

  private:
    void sum_up();
    void publish();

    engine::LoopSpec loop_;
    std::vector<std::byte> buffer_;
    std::vector<TcpConnection> connections_;
    std::vector<counters::StreamCounts> streams_;
    counters::SinkCounts counts_{};
    std::size_t at_ = 0;
    std::size_t empty_reads_ = 0;
    engine::PhaseCut<counters::SinkCounts> cut_;
    bool done_ = false;
    std::uint64_t next_publish_ = 0;
    engine::LoopReport<counters::SinkCounts> report_;
    std::vector<counters::Published<counters::StreamCounts>> published_streams_;
    counters::Published<counters::SinkCounts> published_;
};

}  // namespace gensink::kernel
