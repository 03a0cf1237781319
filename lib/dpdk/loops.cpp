// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/loops.hpp"

#include "dpdk/queues.hpp"
#include "engine/closed.hpp"
#include "engine/tx.hpp"
#include "flow/window.hpp"

#include <utility>

// The analyzer loses sight of a unique_ptr that is returned as one of its base.
// NOLINTBEGIN(clang-analyzer-cplusplus.NewDeleteLeaks)
namespace gensink::dpdk {
namespace {

/// A polling core: turn after turn.
template <class Queue>
class GenLoopOf final : public cores::GenLoopOf<TscClock, Queue> {
  public:
    using cores::GenLoopOf<TscClock, Queue>::GenLoopOf;

    void run(const engine::Control& control) override { this->loop().run(control); }
};

template <class Loop>
class SinkLoopOf final : public cores::SinkLoopOf<Loop> {
  public:
    using cores::SinkLoopOf<Loop>::SinkLoopOf;

    void run(const engine::Control& control) override { this->loop().run(control); }
};

EthTx tx_port(const GenQueueSpec& q) {
    return {q.port, q.queue, q.pool, q.segments, q.iova_offset};
}

template <class Pacer, class Mutator>
std::unique_ptr<GenLoop> open_loop(const GenLoopSpec& spec) {
    using Queue = engine::TxQueue<EthTx, Pacer, flow::UnlimitedWindow, Mutator>;
    std::vector<Queue> queues;
    for (const GenQueueSpec& q : spec.queues) {
        queues.push_back({
            .port = tx_port(q),
            .pacer = Pacer(q.pacer),
            .window = {},
            .mutator = Mutator(q.stream),
            .payload = engine::PayloadWriter<EthTx>(q.payload),
        });
    }
    return std::make_unique<GenLoopOf<Queue>>(spec.loop, std::move(queues));
}

template <class Pacer>
std::unique_ptr<GenLoop> closed_loop(const GenLoopSpec& spec) {
    using Queue = engine::ClosedQueue<EthTx, EthRx, Pacer, TscClock>;
    std::vector<Queue> queues;
    for (const GenQueueSpec& q : spec.queues) {
        queues.push_back({
            .port = tx_port(q),
            .acks = {q.port, q.queue, nullptr},
            .clock = {},
            .pacer = Pacer(q.pacer),
            .flows = std::make_unique<flow::FlowSet>(q.closed->flows),
            .writer = engine::SegmentWriter(q.closed->segments),
            .payload = engine::PayloadWriter<EthTx>(q.payload),
            .ticks_per_ns = q.closed->flows.ticks_per_second * 1e-9,
        });
    }
    return std::make_unique<GenLoopOf<Queue>>(spec.loop, std::move(queues));
}

class ReflectLoopOf final : public SinkLoop {
  public:
    using Loop = engine::ReflectLoop<EthRx, EthTx, TscClock>;

    ReflectLoopOf(
        engine::LoopSpec loop, const engine::ReflectSpec& spec, std::vector<Loop::Queue> queues
    )
        : loop_({}, loop, spec, std::move(queues)) {}

    void run(const engine::Control& control) override { loop_.run(control); }

    [[nodiscard]] counters::SinkCounts total() const override { return loop_.total(); }

    [[nodiscard]] counters::Phase phase() const override { return counters::Phase::drain; }

    [[nodiscard]] engine::StreamSeen stream(std::size_t /*index*/) const override { return {}; }

    [[nodiscard]] const engine::LoopReport<counters::SinkCounts>& report() const override {
        return loop_.report();
    }

  private:
    Loop loop_;
};

template <class Port, bool Full>
std::unique_ptr<SinkLoop> sink_loop_of(const SinkLoopSpec& spec, std::vector<Port> ports) {
    if (!spec.acker) {
        using Loop = engine::SinkLoop<Port, TscClock, Full>;
        return std::make_unique<SinkLoopOf<Loop>>(
            TscClock{}, spec.loop, spec.sink, std::move(ports)
        );
    }
    using Acker = engine::Acker<EthTx>;
    std::vector<Acker> ackers;
    for (const SinkQueueSpec& q : spec.queues) {
        ackers.emplace_back(EthTx{q.port, q.queue, q.acks, nullptr, 0}, *spec.acker);
    }
    using Loop = engine::SinkLoop<Port, TscClock, Full, Acker>;
    return std::make_unique<SinkLoopOf<Loop>>(
        TscClock{}, spec.loop, spec.sink, std::move(ports), std::move(ackers)
    );
}

template <class Port>
std::unique_ptr<SinkLoop> sink_loop_over(const SinkLoopSpec& spec, std::vector<Port> ports) {
    return spec.full ? sink_loop_of<Port, true>(spec, std::move(ports))
                     : sink_loop_of<Port, false>(spec, std::move(ports));
}

}  // namespace

std::unique_ptr<GenLoop> make_gen_loop(const GenLoopSpec& spec) {
    if (!spec.queues.empty() && spec.queues.front().closed) {
        return spec.paced ? closed_loop<flow::RatePacer>(spec) : closed_loop<flow::MaxPacer>(spec);
    }
    bool uniform = true;
    for (const GenQueueSpec& q : spec.queues) {
        uniform = uniform && q.stream.flows == 1 && q.stream.payload_bytes.size() == 1;
    }
    if (spec.paced) {
        return uniform ? open_loop<flow::RatePacer, engine::UniformMutator>(spec)
                       : open_loop<flow::RatePacer, engine::VariedMutator>(spec);
    }
    return uniform ? open_loop<flow::MaxPacer, engine::UniformMutator>(spec)
                   : open_loop<flow::MaxPacer, engine::VariedMutator>(spec);
}

std::unique_ptr<SinkLoop>
make_reflect_loop(const SinkLoopSpec& spec, const std::array<std::uint8_t, 6>& mac) {
    std::vector<ReflectLoopOf::Loop::Queue> queues;
    for (const SinkQueueSpec& q : spec.queues) {
        queues.push_back(
            {.rx = {q.port, q.queue, nullptr}, .tx = {q.port, q.queue, nullptr, nullptr, 0}}
        );
    }
    return std::make_unique<ReflectLoopOf>(
        spec.loop, engine::ReflectSpec{mac, spec.sink.burst}, std::move(queues)
    );
}

std::unique_ptr<SinkLoop> make_sink_loop(const SinkLoopSpec& spec) {
    if (spec.faulty) {
        std::vector<engine::FaultyRxPort<EthRx>> ports;
        for (const SinkQueueSpec& q : spec.queues) {
            ports.emplace_back(EthRx{q.port, q.queue, q.pool}, spec.fault);
        }
        return sink_loop_over(spec, std::move(ports));
    }
    if (spec.cable) {
        std::vector<CableRx> ports;
        for (const SinkQueueSpec& q : spec.queues) {
            ports.push_back({q.port, q.queue, q.pool});
        }
        return sink_loop_over(spec, std::move(ports));
    }
    std::vector<EthRx> ports;
    for (const SinkQueueSpec& q : spec.queues) {
        ports.push_back({q.port, q.queue, nullptr});
    }
    return sink_loop_over(spec, std::move(ports));
}

}  // namespace gensink::dpdk

// NOLINTEND(clang-analyzer-cplusplus.NewDeleteLeaks)
