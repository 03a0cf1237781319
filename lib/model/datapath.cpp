// SPDX-License-Identifier: BSD-3-Clause
#include "model/datapath.hpp"

#include "model/detail/specs.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

namespace gensink::model {
namespace {

/// One trial's world. The ends point into the world, so it comes first.
struct Open {
    Open(const plan::TrialPlan& trial, const GeneratorSpec& gen_spec, const LinkSpec& link);

    engine::Control gen_control;
    engine::Control sink_control;
    plan::TrialPlan plan;
    World world;
    std::unique_ptr<Generator> gen;
    std::unique_ptr<Sink> sink;
};

Open::Open(const plan::TrialPlan& trial, const GeneratorSpec& gen_spec, const LinkSpec& link)
    : plan(trial)
    , world(link, frame_like(gen_spec.stream.fields), ack_like(gen_spec.stream.fields))
    , gen(make_generator(world, gen_spec)) {
    if (plan.sink) {
        const auto* closed = gen_spec.closed ? &*gen_spec.closed : nullptr;
        sink = make_sink(world, sink_spec(plan, closed, gen_spec.stream.run_id));
    }
}

/// A wait of virtual time may take minutes of real time.
constexpr std::uint64_t steps_between_looks = 1U << 16U;

tl::unexpected<Error> told_to_stop() {
    return fail(ErrorKind::measurement, "the model was told to stop", {}, EINTR);
}

class ModelDatapath final : public trial::Datapath {
  public:
    explicit ModelDatapath(std::function<bool()> stopped) : stopped_(std::move(stopped)) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override;

    Result<void> start() override { return {}; }

    Result<void> enter(counters::Phase phase) override;
    Result<void> wait(Duration duration) override;
    Result<trial::Snapshot> snapshot() override;
    Result<trial::Snapshot> stop() override;

    Result<void> close() override {
        open_.reset();
        return {};
    }

  private:
    [[nodiscard]] bool advance(std::uint64_t end);
    void look();
    [[nodiscard]] trial::Snapshot take_snapshot() const;

    std::function<bool()> stopped_;
    std::unique_ptr<Open> open_;
};

Result<trial::Opened> ModelDatapath::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    if (std::string why = refusal(plan); !why.empty()) {
        return fail(ErrorKind::plan, std::move(why), "model");
    }
    const auto closed = closed_loop_spec(plan, run_id);
    const auto* loop = closed ? &*closed : nullptr;
    const wire::FrameFields fields = frame_fields(plan, loop, run_id);
    open_ = std::make_unique<Open>(
        plan, generator_spec(plan, fields, run_id), link_spec(plan, loop, fields.payload_bytes)
    );
    trial::Opened opened;
    opened.tsc_hz = plan::model_hz;
    opened.gen_limits = plan.gen.driver.limits;
    opened.sink_limits = plan.sink ? plan.sink->driver.limits : plan::DeviceLimits{};
    if (plan.model->rate_bps) {
        opened.gen_link_bps = static_cast<std::uint64_t>(std::llround(*plan.model->rate_bps));
        opened.sink_link_bps = opened.gen_link_bps;
    }
    opened.gen_driver = opened.sink_driver = "model";
    opened.memory = "model";
    return opened;
}

Result<void> ModelDatapath::enter(counters::Phase phase) {
    open_->sink_control.phase = phase;
    open_->gen_control.phase = phase;
    look();
    return {};
}

/// Whoever is due first takes a turn; false: no one is before the end, and it is that time now.
bool ModelDatapath::advance(std::uint64_t end) {
    Open& o = *open_;
    const std::uint64_t at_gen = o.gen->next();
    const std::uint64_t at_sink = o.sink ? o.sink->next() : flow::never;
    const std::uint64_t at = std::max(o.world.now, std::min(at_gen, at_sink));
    o.world.now = std::min(at, end);
    if (at >= end) {
        return false;
    }
    if (at_sink <= at_gen) {
        o.sink->step();
    } else {
        o.gen->step();
    }
    return true;
}

/// Up to, not including, the end: what happens then belongs to the phase that may begin then.
Result<void> ModelDatapath::wait(Duration duration) {
    if (stopped_ && stopped_()) {
        return told_to_stop();
    }
    Open& o = *open_;
    const std::uint64_t end = o.world.now + ticks(duration);
    const bool may_finish = o.gen_control.phase.load() == counters::Phase::measure;
    for (std::uint64_t step = 1; !(may_finish && o.gen->finished()); ++step) {
        if (step % steps_between_looks == 0 && stopped_ && stopped_()) {
            return told_to_stop();
        }
        if (!advance(end)) {
            break;
        }
    }
    if (o.sink && o.gen_control.phase.load() == counters::Phase::drain) {
        o.sink->poll();  // that a drain is quiet only counts while the sink polls
    }
    return {};
}

/// Both ends tell their counts, up to now.
void ModelDatapath::look() {
    Open& o = *open_;
    if (o.sink) {
        o.sink->look(o.sink_control);
    }
    o.gen->look(o.gen_control);
}

trial::Snapshot ModelDatapath::take_snapshot() const {
    const Open& o = *open_;
    const Link::Counts& link = o.world.link.counts();
    trial::Snapshot s;
    s.tsc_hz = plan::model_hz;
    s.gen.push_back(o.gen->report());
    s.streams.resize(1);
    s.streams[0].sent_measured = o.gen->stream_measured();
    s.gen_device.tx_frames = link.sent;
    s.gen_device.rx_frames = link.acks_received;
    s.gen_device.tx_errors = s.gen_device.rx_missed = 0;
    s.gen_link_up = true;
    if (o.sink) {
        s.sink.push_back(o.sink->report());
        const engine::StreamSeen seen = o.sink->stream();
        s.streams[0].seen_measured = seen.measured;
        s.streams[0].seen_other = seen.other;
        s.sink_device.tx_frames = link.acks_sent;
        s.sink_device.rx_frames = link.received;
        s.sink_device.rx_missed = link.missed;
        s.sink_device.tx_errors = s.sink_device.rx_errors = s.sink_device.rx_no_buffer = 0;
        s.sink_link_up = true;
    }
    s.frames_left_in_pool = o.world.frames.left();
    s.transfer_done = o.gen->finished();
    return s;
}

Result<trial::Snapshot> ModelDatapath::snapshot() {
    look();
    return take_snapshot();
}

Result<trial::Snapshot> ModelDatapath::stop() {
    open_->gen_control.phase = counters::Phase::drain;
    open_->sink_control.stop = true;
    look();
    trial::Snapshot last = take_snapshot();
    open_->gen->add_to(last.transport.emplace());
    return last;
}

}  // namespace

std::unique_ptr<trial::Datapath> make_datapath(std::function<bool()> stopped) {
    return std::make_unique<ModelDatapath>(std::move(stopped));
}

/// Steps of SplitMix64 (Steele, Lea and Flood 2014): every number changes all bits.
std::uint64_t seed_of(std::span<const std::uint64_t> numbers) {
    std::uint64_t seed = 0;
    for (const std::uint64_t number : numbers) {
        seed += 0x9e3779b97f4a7c15 + number;
        seed = (seed ^ seed >> 30U) * 0xbf58476d1ce4e5b9;
        seed = (seed ^ seed >> 27U) * 0x94d049bb133111eb;
        seed ^= seed >> 31U;
    }
    return seed;
}

}  // namespace gensink::model
