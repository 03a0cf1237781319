// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "counters/counts.hpp"
#include "counters/histogram.hpp"
#include "engine/classifier.hpp"
#include "engine/control.hpp"
#include "engine/tx_loop.hpp"
#include "flow/flow_set.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

/// One choice a core: from a description to a compiled loop. Virtual calls end at run().
namespace gensink::cores {

class GenLoop {
  public:
    GenLoop() = default;
    GenLoop(const GenLoop&) = delete;
    GenLoop& operator=(const GenLoop&) = delete;
    GenLoop(GenLoop&&) = delete;
    GenLoop& operator=(GenLoop&&) = delete;
    virtual ~GenLoop() = default;
    virtual void run(const engine::Control& control) = 0;
    [[nodiscard]] virtual counters::TxCounts total() const = 0;
    [[nodiscard]] virtual const engine::LoopReport<counters::TxCounts>& report() const = 0;
    [[nodiscard]] virtual std::span<const counters::TxStreamCounts> streams_measured() const = 0;
    /// Safe while the loop runs.
    [[nodiscard]] virtual counters::TxQueueState queue_state(std::size_t queue) const = 0;
    /// Closed loop: all that was to be sent is acknowledged. Safe while the loop runs.
    [[nodiscard]] virtual bool finished() const = 0;
    /// Closed loop: the flows of a queue, once run() has returned; null in the open loop.
    [[nodiscard]] virtual const flow::FlowSet::Measured* flows(std::size_t queue) const = 0;
    /// Adds the hold times of all queues, once run() has returned.
    virtual void add_holds(counters::Histogram& to) const = 0;

    /// Nothing that was accepted waits below, once run() has returned.
    [[nodiscard]] virtual bool is_delivered() const { return true; }

    /// errno of a send that failed for good; 0: none has. Safe while the loop runs.
    [[nodiscard]] virtual int failure() const { return 0; }
};

class SinkLoop {
  public:
    SinkLoop() = default;
    SinkLoop(const SinkLoop&) = delete;
    SinkLoop& operator=(const SinkLoop&) = delete;
    SinkLoop(SinkLoop&&) = delete;
    SinkLoop& operator=(SinkLoop&&) = delete;
    virtual ~SinkLoop() = default;
    virtual void run(const engine::Control& control) = 0;
    [[nodiscard]] virtual counters::SinkCounts total() const = 0;
    [[nodiscard]] virtual counters::Phase phase() const = 0;
    [[nodiscard]] virtual engine::StreamSeen stream(std::size_t index) const = 0;
    [[nodiscard]] virtual const engine::LoopReport<counters::SinkCounts>& report() const = 0;
};

/// The engine's loop over queues of one kind; how it is driven is left to run().
template <class Clock, class Queue>
class GenLoopOf : public GenLoop {
  public:
    GenLoopOf(engine::LoopSpec spec, std::vector<Queue> queues)
        : loop_({}, spec, std::move(queues)) {}

    [[nodiscard]] counters::TxCounts total() const override { return loop_.total(); }

    [[nodiscard]] const engine::LoopReport<counters::TxCounts>& report() const override {
        return loop_.report();
    }

    [[nodiscard]] std::span<const counters::TxStreamCounts> streams_measured() const override {
        return loop_.streams_measured();
    }

    [[nodiscard]] counters::TxQueueState queue_state(std::size_t queue) const override {
        return loop_.queue_state(queue);
    }

    [[nodiscard]] bool finished() const override { return loop_.finished(); }

    [[nodiscard]] const flow::FlowSet::Measured* flows(std::size_t queue) const override {
        if constexpr (requires(const Queue& q) { q.flows->measured(); }) {
            return &loop_.queues()[queue].flows->measured();
        }
        return nullptr;
    }

    void add_holds(counters::Histogram& to) const override {
        for (const Queue& q : loop_.queues()) {
            if constexpr (requires { q.flows->measured(); }) {
                to.merge(q.flows->measured().latencies.hold);
            } else if constexpr (requires { q.measured_hold; }) {
                to.merge(q.measured_hold);
            }
        }
    }

  protected:
    using Loop = engine::TxLoop<Clock, Queue>;

    [[nodiscard]] Loop& loop() { return loop_; }

    [[nodiscard]] const Loop& loop() const { return loop_; }

  private:
    Loop loop_;
};

/// A sink's loop of some kind; likewise.
template <class Loop>
class SinkLoopOf : public SinkLoop {
  public:
    template <class... Arguments>
    explicit SinkLoopOf(Arguments&&... arguments) : loop_(std::forward<Arguments>(arguments)...) {}

    [[nodiscard]] counters::SinkCounts total() const override { return loop_.total(); }

    [[nodiscard]] counters::Phase phase() const override { return loop_.phase(); }

    [[nodiscard]] engine::StreamSeen stream(std::size_t index) const override {
        return loop_.stream(index);
    }

    [[nodiscard]] const engine::LoopReport<counters::SinkCounts>& report() const override {
        return loop_.report();
    }

  protected:
    [[nodiscard]] Loop& loop() { return loop_; }

  private:
    Loop loop_;
};

}  // namespace gensink::cores
