// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sink.hpp"

#include "engine/acker.hpp"
#include "model/detail/ports.hpp"
#include "model/detail/specs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gensink::model {
namespace {

template <class Acks>
class SinkOf final : public Sink {
  public:
    SinkOf(World& world, const SinkSpec& spec, std::vector<Acks> ackers)
        : world_(world)
        , has_cost_(spec.fps.has_value())
        , loop_(
              {&world},
              loop_spec,
              spec.sink,
              {SinkRx{{}, &world, &taken_, has_cost_}},
              std::move(ackers)
          ) {
        if (spec.fps) {
            frame_time_ = flow::fine_ticks(static_cast<double>(plan::model_hz), *spec.fps);
        }
    }

    [[nodiscard]] std::uint64_t next() const override {
        return ended_
                   ? flow::never
                   : std::max(charged_, std::min(loop_.next_event(), world_.link.next_arrival()));
    }

    void step() override;

    void poll() override {
        if (!ended_ && world_.now >= charged_) {
            step();
        }
    }

    void look(const engine::Control& control) override;
    [[nodiscard]] trial::CoreReport<counters::SinkCounts> report() const override;

    [[nodiscard]] engine::StreamSeen stream() const override { return loop_.stream(0); }

  private:
    void charge_idle();

    World& world_;
    bool has_cost_;
    std::uint32_t taken_ = 0;
    flow::FineTicks frame_time_;
    flow::FineTicks busy_until_;
    engine::SinkLoop<SinkRx, VirtualClock, false, Acks> loop_;
    std::uint64_t charged_ = 0;  ///< time up to here has its cause
    bool ended_ = false;
};

template <class Acks>
void SinkOf<Acks>::charge_idle() {
    if (world_.now > charged_) {
        loop_.charge_turn(counters::SinkCause::polling, charged_, world_.now);
        charged_ = world_.now;
    }
}

template <class Acks>
void SinkOf<Acks>::step() {
    charge_idle();
    const std::uint64_t now = world_.now;
    taken_ = 0;
    const counters::SinkCause cause = loop_.turn(now);
    if (has_cost_ && taken_ != 0) {
        if (busy_until_.ticks < now) {
            busy_until_ = {now, 0};
        }
        busy_until_ += frame_time_;
        charged_ = std::max(now, busy_until_.ticks);
    }
    loop_.charge_turn(cause, now, charged_);
}

template <class Acks>
void SinkOf<Acks>::look(const engine::Control& control) {
    if (ended_) {
        return;
    }
    charge_idle();
    loop_.look(control, charged_);
    if (loop_.done()) {
        loop_.end();
        ended_ = true;
    }
}

template <class Acks>
trial::CoreReport<counters::SinkCounts> SinkOf<Acks>::report() const {
    trial::CoreReport<counters::SinkCounts> report;
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

}  // namespace

std::unique_ptr<Sink> make_sink(World& world, const SinkSpec& spec) {
    if (!spec.acker) {
        return std::make_unique<SinkOf<engine::NoAcks>>(world, spec, std::vector<engine::NoAcks>{});
    }
    std::vector<engine::Acker<SinkTx>> ackers;
    ackers.emplace_back(SinkTx{{}, &world}, *spec.acker);
    return std::make_unique<SinkOf<engine::Acker<SinkTx>>>(world, spec, std::move(ackers));
}

}  // namespace gensink::model
