// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/loops.hpp"

#include "engine/sink.hpp"
#include "engine/tx.hpp"
#include "flow/window.hpp"
#include "host/clock.hpp"
#include "kernel/clock.hpp"
#include "kernel/udp_ports.hpp"

#include <algorithm>
#include <ctime>
#include <poll.h>
#include <utility>

namespace gensink::kernel {
namespace {

/// Between two looks at the control, however long a loop has nothing to do.
constexpr int longest_wait_ms = 2;
constexpr std::uint64_t longest_wait_ns = 2'000'000;

/// Sockets of a loop that it may wait for.
class Waiter {
  public:
    Waiter(const std::vector<int>& sockets, short events) {
        for (const int fd : sockets) {
            polled_.push_back({fd, events, 0});
        }
    }

    void wait() { (void)::poll(polled_.data(), polled_.size(), longest_wait_ms); }

  private:
    std::vector<pollfd> polled_;
};

void sleep_ns(std::uint64_t ns) {
    const timespec time{0, static_cast<long>(std::min(ns, longest_wait_ns))};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

std::vector<int> sockets_of(const GenLoopSpec& spec) {
    std::vector<int> all;
    for (const GenStreamSpec& stream : spec.streams) {
        all.insert(all.end(), stream.sockets.begin(), stream.sockets.end());
    }
    return all;
}

template <class Queue>
class SocketGenLoop final : public cores::GenLoopOf<TscClock, Queue> {
  public:
    SocketGenLoop(
        const GenLoopSpec& spec,
        std::vector<Queue> queues,
        std::vector<std::unique_ptr<UdpSender>> senders = {}
    )
        : cores::GenLoopOf<TscClock, Queue>(spec.loop, std::move(queues))
        , senders_(std::move(senders))
        , waiter_(sockets_of(spec), POLLOUT)
        , ticks_per_ns_(static_cast<double>(host::tsc_hz()) * 1e-9) {}

    void run(const engine::Control& control) override;

    [[nodiscard]] bool is_delivered() const override {
        return std::ranges::all_of(this->loop().queues(), [](const Queue& q) {
            if constexpr (requires { q.is_delivered(); }) {
                return q.is_delivered();
            }
            return true;
        });
    }

    [[nodiscard]] int failure() const override {
        for (const Queue& q : this->loop().queues()) {
            if (const int code = failure_of(q); code != 0) {
                return code;
            }
        }
        return 0;
    }

  private:
    static int failure_of(const Queue& queue) {
        if constexpr (requires { queue.port; }) {
            return queue.port.sender->failure();
        } else {
            return queue.failure->load(std::memory_order_relaxed);
        }
    }

    void idle(counters::TxCause cause, std::uint64_t now);

    std::vector<std::unique_ptr<UdpSender>> senders_;  ///< that the queues' ports point to
    Waiter waiter_;
    double ticks_per_ns_;
};

/// The time goes to what the turn found: a full buffer, or nothing due.
template <class Queue>
void SocketGenLoop<Queue>::idle(counters::TxCause cause, std::uint64_t now) {
    if (cause == counters::TxCause::pacing) {
        const std::uint64_t next = std::max(this->loop().next_event(now), now);
        sleep_ns(static_cast<std::uint64_t>(static_cast<double>(next - now) / ticks_per_ns_) + 1);
    } else if (cause != counters::TxCause::sending) {
        waiter_.wait();
    }
}

template <class Queue>
void SocketGenLoop<Queue>::run(const engine::Control& control) {
    auto& loop = this->loop();
    std::uint64_t now = TscClock::now();
    loop.look(control, now);
    bool settling = control.phase.load(std::memory_order_relaxed) == counters::Phase::settle;
    while (!loop.done()) {
        const counters::TxCause cause = loop.turn(now);
        if (settling) {
            sleep_ns(longest_wait_ns / 8);
            settling = control.phase.load(std::memory_order_relaxed) == counters::Phase::settle;
        } else {
            idle(cause, now);
        }
        const std::uint64_t after = TscClock::now();
        loop.charge_turn(cause, now, after);
        now = after;
        loop.look(control, now);
    }
    loop.end();
}

using UdpLoop = engine::SinkLoop<UdpRx, TscClock, false>;

class UdpSinkLoop final : public cores::SinkLoopOf<UdpLoop> {
  public:
    UdpSinkLoop(
        const engine::LoopSpec& loop,
        const engine::SinkSpec& sink,
        const std::vector<int>& sockets,
        std::vector<std::unique_ptr<UdpReceiver>> receivers
    )
        : cores::SinkLoopOf<UdpLoop>(TscClock{}, loop, sink, ports(receivers))
        , receivers_(std::move(receivers))
        , waiter_(sockets, POLLIN) {}

    void run(const engine::Control& control) override;

  private:
    static std::vector<UdpRx> ports(const std::vector<std::unique_ptr<UdpReceiver>>& receivers) {
        std::vector<UdpRx> ports;
        ports.reserve(receivers.size());
        for (const auto& receiver : receivers) {
            ports.push_back({{}, receiver.get()});
        }
        return ports;
    }

    std::vector<std::unique_ptr<UdpReceiver>> receivers_;  ///< that the loop's ports point to
    Waiter waiter_;
};

void UdpSinkLoop::run(const engine::Control& control) {
    std::uint64_t now = TscClock::now();
    std::size_t empty = 0;
    loop().look(control, now);
    while (!loop().done()) {
        const counters::SinkCause cause = loop().turn(now);
        empty = cause == counters::SinkCause::polling ? empty + 1 : 0;
        if (empty >= receivers_.size()) {
            empty = 0;
            waiter_.wait();
        }
        const std::uint64_t after = TscClock::now();
        loop().charge_turn(cause, now, after);
        now = after;
        loop().look(control, now);
    }
    loop().end();
}

class TcpSinkLoopOf final : public cores::SinkLoopOf<TcpSinkLoop> {
  public:
    TcpSinkLoopOf(
        const engine::LoopSpec& loop, std::uint32_t read_bytes, std::size_t streams, TcpDoor door
    )
        : cores::SinkLoopOf<TcpSinkLoop>(loop, read_bytes, streams, std::vector<TcpConnection>{})
        , door_(std::move(door)) {}

    void run(const engine::Control& control) override;

  private:
    void wait_for_connections(const engine::Control& control);

    TcpDoor door_;
};

void TcpSinkLoopOf::wait_for_connections(const engine::Control& control) {
    std::uint64_t now = TscClock::now();
    while (!loop().done() && !door_.open(loop().connections())) {
        const std::uint64_t after = TscClock::now();
        loop().charge_turn(counters::SinkCause::polling, now, after);
        now = after;
        loop().look(control, now);
    }
}

void TcpSinkLoopOf::run(const engine::Control& control) {
    std::uint64_t now = TscClock::now();
    loop().look(control, now);
    wait_for_connections(control);
    std::vector<int> sockets;
    for (const TcpConnection& connection : loop().connections()) {
        sockets.push_back(connection.socket.fd());
    }
    Waiter waiter(sockets, POLLIN);
    now = TscClock::now();
    while (!loop().done()) {
        const counters::SinkCause cause = loop().turn();
        if (loop().is_idle()) {
            waiter.wait();
            loop().woke();
        }
        const std::uint64_t after = TscClock::now();
        loop().charge_turn(cause, now, after);
        now = after;
        loop().look(control, now);
    }
    loop().end();
}

template <class Pacer>
std::unique_ptr<GenLoop> tcp_loop(const GenLoopSpec& spec) {
    std::vector<TcpQueue<Pacer>> queues;
    for (const GenStreamSpec& stream : spec.streams) {
        TcpQueue<Pacer> queue{spec.block_bytes, Pacer(stream.pacer)};
        for (const int fd : stream.sockets) {
            queue.flows.push_back(
                std::make_unique<TcpFlow>(fd, spec.kernel.sender, spec.source, spec.source_fd)
            );
        }
        queues.push_back(std::move(queue));
    }
    return std::make_unique<SocketGenLoop<TcpQueue<Pacer>>>(spec, std::move(queues));
}

template <class Pacer>
std::unique_ptr<GenLoop> udp_loop(const GenLoopSpec& spec) {
    using Queue = engine::TxQueue<UdpTx, Pacer, flow::UnlimitedWindow, engine::VariedMutator>;
    std::vector<Queue> queues;
    std::vector<std::unique_ptr<UdpSender>> senders;
    for (const GenStreamSpec& stream : spec.streams) {
        senders.push_back(std::make_unique<UdpSender>(
            stream.sockets.front(), spec.kernel.sender, stream.pacer.burst, stream.stream.fields
        ));
        queues.push_back({
            .port = {{}, senders.back().get()},
            .pacer = Pacer(stream.pacer),
            .window = {},
            .mutator = engine::VariedMutator(stream.stream),
        });
    }
    return std::make_unique<SocketGenLoop<Queue>>(spec, std::move(queues), std::move(senders));
}

}  // namespace

std::unique_ptr<GenLoop> make_gen_loop(const GenLoopSpec& spec) {
    if (spec.kernel.protocol == plan::Protocol::tcp) {
        return spec.paced ? tcp_loop<flow::RatePacer>(spec) : tcp_loop<flow::MaxPacer>(spec);
    }
    return spec.paced ? udp_loop<flow::RatePacer>(spec) : udp_loop<flow::MaxPacer>(spec);
}

std::unique_ptr<SinkLoop> make_udp_sink(
    const engine::LoopSpec& loop,
    const engine::SinkSpec& sink,
    const std::vector<int>& sockets,
    const wire::FrameFields& fields
) {
    std::vector<std::unique_ptr<UdpReceiver>> receivers;
    receivers.reserve(sockets.size());
    for (const int fd : sockets) {
        receivers.push_back(std::make_unique<UdpReceiver>(fd, sink.burst, fields));
    }
    return std::make_unique<UdpSinkLoop>(loop, sink, sockets, std::move(receivers));
}

std::unique_ptr<SinkLoop> make_tcp_sink(
    const engine::LoopSpec& loop, std::uint32_t read_bytes, std::size_t streams, TcpDoor door
) {
    return std::make_unique<TcpSinkLoopOf>(loop, read_bytes, streams, std::move(door));
}

}  // namespace gensink::kernel
