// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/loops.hpp"

#include "dpdk/queues.hpp"
#include "engine/tx.hpp"
#include "flow/window.hpp"

#include <utility>

namespace gensink::dpdk {
namespace {

template <class Pacer, class Mutator>
class GenLoopOf final : public GenLoop {
    using Queue = engine::TxQueue<EthTx, Pacer, flow::UnlimitedWindow, Mutator>;
    using Loop = engine::TxLoop<TscClock, Queue>;

  public:
    explicit GenLoopOf(const GenLoopSpec& spec) : loop_({}, spec.loop, queues(spec)) {}

    void run(const engine::Control& control) override { loop_.run(control); }

    counters::TxCounts total() const override { return loop_.total(); }

    const engine::LoopReport<counters::TxCounts>& report() const override { return loop_.report(); }

    std::span<const counters::TxStreamCounts> streams_measured() const override {
        return loop_.streams_measured();
    }

  private:
    static std::vector<typename Loop::Queue> queues(const GenLoopSpec& spec) {
        std::vector<typename Loop::Queue> made;
        made.reserve(spec.queues.size());
        for (const GenQueueSpec& q : spec.queues) {
            made.push_back({
                .port = {q.port, q.queue, q.pool},
                .pacer = Pacer(q.pacer),
                .window = {},
                .mutator = Mutator(q.stream),
            });
        }
        return made;
    }

    Loop loop_;
};

template <class Port, bool Full>
class SinkLoopOf final : public SinkLoop {
  public:
    SinkLoopOf(const SinkLoopSpec& spec, std::vector<Port> ports)
        : loop_({}, spec.loop, spec.sink, std::move(ports)) {}

    void run(const engine::Control& control) override { loop_.run(control); }

    counters::SinkCounts total() const override { return loop_.total(); }

    counters::Phase phase() const override { return loop_.phase(); }

    engine::StreamSeen stream(std::size_t index) const override { return loop_.stream(index); }

    const engine::LoopReport<counters::SinkCounts>& report() const override {
        return loop_.report();
    }

  private:
    engine::SinkLoop<Port, TscClock, Full> loop_;
};

template <class Port>
std::unique_ptr<SinkLoop> sink_loop_over(const SinkLoopSpec& spec, std::vector<Port> ports) {
    if (spec.full) {
        return std::make_unique<SinkLoopOf<Port, true>>(spec, std::move(ports));
    }
    return std::make_unique<SinkLoopOf<Port, false>>(spec, std::move(ports));
}

}  // namespace

std::unique_ptr<GenLoop> make_gen_loop(const GenLoopSpec& spec) {
    bool uniform = true;
    for (const GenQueueSpec& q : spec.queues) {
        uniform = uniform && q.stream.flows == 1 && q.stream.payload_bytes.size() == 1;
    }
    if (spec.paced) {
        if (uniform) {
            return std::make_unique<GenLoopOf<flow::RatePacer, engine::UniformMutator>>(spec);
        }
        return std::make_unique<GenLoopOf<flow::RatePacer, engine::VariedMutator>>(spec);
    }
    if (uniform) {
        return std::make_unique<GenLoopOf<flow::MaxPacer, engine::UniformMutator>>(spec);
    }
    return std::make_unique<GenLoopOf<flow::MaxPacer, engine::VariedMutator>>(spec);
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
