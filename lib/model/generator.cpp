// SPDX-License-Identifier: BSD-3-Clause
#include "engine/closed.hpp"
#include "engine/tx.hpp"
#include "flow/window.hpp"
#include "model/detail/ports.hpp"
#include "model/detail/specs.hpp"
#include "trial/transport.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gensink::model {
namespace {

using counters::TxCause;

constexpr std::uint64_t pool_look_ticks = 1000;

template <class Queue>
class GeneratorOf final : public Generator {
    static constexpr bool closed = requires(const Queue& queue) { queue.flows; };

  public:
    GeneratorOf(World& world, std::vector<Queue> one_queue)
        : world_(world)
        , descriptors_(world.link.room(0))
        , loop_({&world}, loop_spec, std::move(one_queue)) {}

    [[nodiscard]] std::uint64_t next() const override {
        if (phase_ == counters::Phase::settle || ended_) {
            return flow::never;
        }
        const std::uint64_t wake = closed ? std::min(wake_, world_.link.next_ack()) : wake_;
        return std::max(wake, charged_);
    }

    void step() override;
    void look(const engine::Control& control) override;

    [[nodiscard]] bool finished() const override { return loop_.finished(); }

    [[nodiscard]] trial::CoreReport<counters::TxCounts> report() const override;

    [[nodiscard]] counters::TxStreamCounts stream_measured() const override {
        return loop_.streams_measured().front();
    }

    void add_to(trial::TransportReport& report) const override;

  private:
    [[nodiscard]] const Queue& queue() const { return loop_.queues().front(); }

    void charge_idle();
    [[nodiscard]] std::uint64_t wake_after(TxCause cause) const;

    World& world_;
    std::uint32_t descriptors_;
    engine::TxLoop<VirtualClock, Queue> loop_;
    counters::Phase phase_ = counters::Phase::settle;
    std::uint64_t charged_ = 0;         ///< time up to here has its cause
    TxCause idle_ = TxCause::pacing;    ///< cause of the time after it
    std::uint64_t wake_ = flow::never;  ///< its next turn, unless an ACK comes first
    bool ended_ = false;
};

template <class Queue>
void GeneratorOf<Queue>::charge_idle() {
    if (world_.now > charged_) {
        loop_.charge_turn(idle_, charged_, world_.now);
        charged_ = world_.now;
    }
}

/// When a turn that moved nothing, for this cause, could move something.
template <class Queue>
std::uint64_t GeneratorOf<Queue>::wake_after(TxCause cause) const {
    const std::uint64_t now = world_.now;
    std::uint64_t timeout = flow::never;
    if constexpr (closed) {
        timeout = queue().flows->deadline();
    }
    switch (cause) {
    case TxCause::pacing:
        // Once all is done a pacer would still have its times.
        return queue().is_finished() ? flow::never : queue().next_event(now);
    case TxCause::window:
        return timeout;
    case TxCause::ring_full:
        // For a whole burst, as drivers give descriptors back in groups.
        return std::min(
            timeout,
            world_.link.room_at(std::min(world_.work.asked, std::max(descriptors_ / 2, 1U)))
        );
    case TxCause::pool_empty:
        return now + pool_look_ticks;
    case TxCause::sending:
        break;
    }
    return now;
}

template <class Queue>
void GeneratorOf<Queue>::step() {
    charge_idle();
    const std::uint64_t now = world_.now;
    world_.work.ticks = 0;
    world_.work.asked = 0;
    const TxCause cause = loop_.turn(now);
    if (world_.work.asked != 0) {
        // No call is free: a model without costs would send for ever at one time.
        charged_ = now + std::max<std::uint64_t>(world_.work.ticks, 1);
        loop_.charge_turn(cause, now, charged_);
    }
    idle_ = cause;
    wake_ = cause == TxCause::sending ? charged_ : std::max(wake_after(cause), now + 1);
    if constexpr (closed) {
        if (queue().is_finished() && !loop_.finished()) {
            engine::Control same;
            same.phase = phase_;
            loop_.look(same, charged_);
        }
    }
}

template <class Queue>
void GeneratorOf<Queue>::look(const engine::Control& control) {
    if (ended_) {
        return;
    }
    charge_idle();
    loop_.look(control, charged_);
    const counters::Phase phase = control.phase.load();
    if (phase != phase_) {
        phase_ = phase;
        wake_ = charged_;
    }
    if (loop_.done()) {
        loop_.end();
        ended_ = true;
    }
}

template <class Queue>
trial::CoreReport<counters::TxCounts> GeneratorOf<Queue>::report() const {
    trial::CoreReport<counters::TxCounts> report;
    report.total = loop_.total();
    report.ended = ended_ ? 1 : 0;
    if (ended_) {
        const auto& last = loop_.report();
        report.total = last.total;
        report.measured = last.measured;
        report.measure_start_ticks = last.measure_start_ticks;
        report.measure_end_ticks = last.measure_end_ticks;
    }
    return report;
}

template <class Queue>
void GeneratorOf<Queue>::add_to(trial::TransportReport& report) const {
    if constexpr (closed) {
        trial::add_flows(report, StreamId{0}, queue().flows->measured());
    } else {
        report.latencies.hold.merge(queue().measured_hold);
    }
}

template <class Pacer>
std::unique_ptr<Generator> closed_loop(World& world, const GeneratorSpec& spec) {
    using Queue = engine::ClosedQueue<GenTx, GenRx, Pacer, VirtualClock>;
    auto flows = std::make_unique<flow::FlowSet>(engine::flow_set_spec(*spec.closed));
    std::vector<Queue> queues;
    queues.push_back({
        .port = {{}, &world},
        .acks = {{}, &world},
        .clock = {&world},
        .pacer = Pacer(spec.pacer),
        .flows = std::move(flows),
        .writer = engine::SegmentWriter(
            engine::segment_spec(*spec.closed, spec.stream.stream, spec.stream.fields)
        ),
        .ticks_per_ns = 1,
    });
    return std::make_unique<GeneratorOf<Queue>>(world, std::move(queues));
}

template <class Pacer, class Mutator>
std::unique_ptr<Generator> open_loop(World& world, const GeneratorSpec& spec) {
    using Queue = engine::TxQueue<GenTx, Pacer, flow::UnlimitedWindow, Mutator>;
    std::vector<Queue> queues;
    queues.push_back({
        .port = {{}, &world},
        .pacer = Pacer(spec.pacer),
        .window = {},
        .mutator = Mutator(spec.stream),
    });
    return std::make_unique<GeneratorOf<Queue>>(world, std::move(queues));
}

}  // namespace

std::unique_ptr<Generator> make_generator(World& world, const GeneratorSpec& spec) {
    world.work = {spec.frame_ticks, spec.call_ticks};
    if (spec.closed) {
        return spec.paced ? closed_loop<flow::RatePacer>(world, spec)
                          : closed_loop<flow::MaxPacer>(world, spec);
    }
    if (spec.stream.flows == 1 && spec.stream.payload_bytes.size() == 1) {
        return spec.paced ? open_loop<flow::RatePacer, engine::UniformMutator>(world, spec)
                          : open_loop<flow::MaxPacer, engine::UniformMutator>(world, spec);
    }
    return spec.paced ? open_loop<flow::RatePacer, engine::VariedMutator>(world, spec)
                      : open_loop<flow::MaxPacer, engine::VariedMutator>(world, spec);
}

}  // namespace gensink::model
