// SPDX-License-Identifier: BSD-3-Clause
#include "trial/trial.hpp"

#include "trial/detail/byte_ledger.hpp"
#include "trial/detail/checks.hpp"
#include "trial/detail/error_reason.hpp"
#include "trial/detail/measured.hpp"
#include "trial/detail/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <sys/random.h>
#include <utility>

namespace gensink::trial {

namespace {

using counters::Phase;
using counters::TxCounts;
using namespace std::chrono_literals;

constexpr Duration slice = 200ms;       // between two reports of progress
constexpr Duration link_patience = 2s;  // beyond what the datapath itself waits
constexpr Duration link_step = 10ms;
constexpr Duration transfer_step = 2ms;  // between two looks whether a finite transfer is done
constexpr int transfer_steps = 2048;     // or this share of its time so far, where that is longer
constexpr Duration drain_step = 2ms;     // longer than a loop takes to publish its counts

/// Tells this trial's frames from those of any other, on this wire or another.
std::uint32_t random_run_id() {
    std::uint32_t id = 0;
    if (getrandom(&id, sizeof id, 0) != sizeof id || id == 0) {
        id =
            static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
    return id;
}

/// A model repeats a trial to the bit, its run id included.
std::uint32_t run_id(const plan::TrialPlan& plan) {
    if (!plan.model) {
        return random_run_id();
    }
    const std::uint64_t seed = plan.model->seed;
    return static_cast<std::uint32_t>(seed ^ seed >> 32U) | 1U;
}

/// The plan with this trial's load in place of its own.
plan::TrialPlan with_load(plan::TrialPlan plan, const Request& request) {
    if (request.intended_fps) {
        plan.load = {flow::LoadUnit::fps, *request.intended_fps};
        plan.intended_fps = request.intended_fps;
    } else if (request.load_kind != LoadKind::as_planned) {
        plan.load = {};
        plan.intended_fps.reset();
    }
    return plan;
}

std::uint64_t seen(const Snapshot& counts) {
    std::uint64_t frames = 0;
    for (const auto& core : counts.sink) {
        frames += core.total.frames;
    }
    return frames;
}

/// Frames that arrived, each once; where they are sent again, each copy.
std::uint64_t arrived(const Snapshot& counts, bool copies) {
    std::uint64_t frames = 0;
    for (const StreamReport& stream : counts.streams) {
        for (const auto* part : {&stream.seen_measured, &stream.seen_other}) {
            frames += part->in_order + part->late + part->corrupt;
            frames += copies ? part->duplicate + part->stale : 0;
        }
    }
    return frames;
}

/// The generator's totals move no more.
bool gen_ended(const Snapshot& counts) {
    return std::ranges::all_of(counts.gen, [](const auto& core) { return core.ended != 0; });
}

/// Every core of the sink has polled in between. One that waits for its CPU proves nothing by
/// silence: frames may lie in its ring.
bool polled(const Snapshot& before, const Snapshot& after) {
    return std::ranges::equal(
        before.sink,
        after.sink,
        [](std::uint64_t then, std::uint64_t now) { return now > then; },
        [](const auto& core) { return core.total.receive_calls; },
        [](const auto& core) { return core.total.receive_calls; }
    );
}

/// For how long nothing has come, a step later.
Duration quiet_for(Duration quiet, const Snapshot& before, const Snapshot& after) {
    if (seen(after) != seen(before)) {
        return Duration{0};
    }
    return gen_ended(before) && polled(before, after) ? quiet + drain_step : quiet;
}

template <class Counts>
double mean_interval(const detail::Cores<Counts>& cores, std::uint64_t tsc_hz) {
    double sum = 0;
    for (const auto& core : cores) {
        sum += detail::interval_seconds(core, tsc_hz).value_or(0);
    }
    return cores.empty() ? 0 : sum / static_cast<double>(cores.size());
}

void label(TrialResult& result, const Request& request) {
    result.cell = request.cell;
    result.arm = request.arm;
    result.round = request.round;
    result.attempt = request.attempt;
    result.load_kind = request.load_kind;
}

/// One trial. Each step returns false when the trial must end, with the reason noted.
class Runner {
  public:
    Runner(
        Datapath& datapath,
        const plan::TrialPlan& plan,
        const Request& request,
        const Progress& progress
    )
        : datapath_(datapath)
        , plan_(with_load(plan, request))
        , request_(request)
        , progress_(progress)
        , watch_(plan_) {}

    TrialResult run() &&;

  private:
    bool open();
    bool start();
    bool settle();
    bool spend(Phase phase, Duration duration);
    bool transfer();
    bool send();
    bool drains_by_link(Duration in_phase);
    bool drain();
    [[nodiscard]] bool all_accounted() const;
    void finish();
    void forget_blocks();
    void sum_up();

    bool good(const Result<void>& step);
    bool wait(Duration duration);
    bool look();
    bool watch(Phase phase, Duration in_phase);
    bool end_with(Reason reason);
    void report(Phase phase) const;

    Datapath& datapath_;
    plan::TrialPlan plan_;
    Request request_;
    const Progress& progress_;
    detail::Watch watch_;
    TrialResult result_;
    Duration sent_for_{0};   ///< since the warm-up began
    bool measured_ = false;  ///< the measure phase was waited out
    bool final_ = false;     ///< counts are those of the joined loops
    bool died_ = false;
};

bool Runner::end_with(Reason reason) {
    died_ = died_ || reason.code == ReasonCode::datapath_died;
    // An end that was given up repeats its error to whoever asks again.
    const bool told = std::ranges::any_of(result_.reasons, [&](const Reason& before) {
        return before.code == reason.code && before.message == reason.message;
    });
    if (!told) {
        result_.reasons.push_back(std::move(reason));
    }
    return false;
}

bool Runner::good(const Result<void>& step) {
    return step ? true : end_with(detail::to_reason(step.error()));
}

bool Runner::wait(Duration duration) {
    return good(datapath_.wait(duration));
}

bool Runner::look() {
    auto counts = datapath_.snapshot();
    if (!counts) {
        return end_with(detail::to_reason(counts.error()));
    }
    result_.counts = *std::move(counts);
    return true;
}

void Runner::report(Phase phase) const {
    if (progress_) {
        progress_(phase, result_.counts);
    }
}

bool Runner::open() {
    auto opened = datapath_.open(plan_, run_id(plan_));
    if (!opened) {
        return end_with(detail::to_reason(opened.error()));
    }
    result_.opened = *std::move(opened);
    return true;
}

bool Runner::start() {
    const auto started = datapath_.start();
    if (started) {
        return true;
    }
    // A datapath that waited in vain for its link says so as best it can; the ports know.
    if (started.error().kind == ErrorKind::device) {
        const auto counts = datapath_.snapshot();
        if (auto down = counts ? detail::link_down(plan_, *counts, {}) : std::nullopt) {
            down->message += ": " + started.error().message;
            return end_with(*std::move(down));
        }
    }
    return end_with(detail::to_reason(started.error()));
}

bool Runner::settle() {
    Duration driver = plan_.gen.driver.settle;
    if (plan_.sink) {
        driver = std::max(driver, plan_.sink->driver.settle);
    }
    // Not the sum: a plan may have put the driver's time into the phase already.
    if (!wait(std::max(plan_.phases.settle, driver)) || !look()) {
        return false;
    }
    report(Phase::settle);
    for (Duration waited{0};; waited += link_step) {
        auto down = detail::link_down(plan_, result_.counts, {});
        if (!down) {
            break;
        }
        if (waited >= link_patience) {
            return end_with(*std::move(down));
        }
        if (!wait(link_step) || !look()) {
            return false;
        }
    }
    return true;
}

/// A phase in which frames are sent, looked at now and then but not in its last part.
bool Runner::spend(Phase phase, Duration duration) {
    if (!good(datapath_.enter(phase))) {
        return false;
    }
    report(phase);  // short phases have no other
    Duration left = duration;
    while (left > slice + slice / 2) {
        if (!wait(slice) || !look()) {
            return false;
        }
        left -= slice;
        sent_for_ += slice;
        report(phase);
        if (!watch(phase, duration - left)) {
            return false;
        }
    }
    sent_for_ += left;
    return wait(left);
}

bool Runner::watch(Phase phase, Duration in_phase) {
    auto reason = watch_.look(result_.counts, {phase, in_phase, sent_for_});
    return reason ? end_with(*std::move(reason)) : true;
}

/// The measure phase of a finite transfer: it ends when all is acknowledged, or at its cap.
bool Runner::transfer() {
    if (!good(datapath_.enter(Phase::measure))) {
        return false;
    }
    report(Phase::measure);
    const Duration cap = plan_.phases.measure;
    Duration reported{0};
    for (Duration spent{0}; spent < cap && !result_.counts.transfer_done;) {
        // In virtual time a transfer may take hours: the steps grow with it.
        const Duration wanted = std::clamp(spent / transfer_steps, transfer_step, slice);
        const Duration step = std::min(wanted, cap - spent);
        if (!wait(step) || !look()) {
            return false;
        }
        spent += step;
        sent_for_ += step;
        if (spent - reported < std::max(slice, reported / 64)) {
            continue;
        }
        reported = spent;
        report(Phase::measure);
        if (!watch(Phase::measure, spent)) {
            return false;
        }
    }
    return true;
}

bool Runner::send() {
    if (plan_.transport && plan_.transport->finite()) {
        return transfer();  // what a warm-up had sent could not be measured
    }
    return spend(Phase::warmup, plan_.phases.warmup) && spend(Phase::measure, plan_.phases.measure);
}

/// Nothing more can come, as far as counts tell. Only once the generator's loops have ended.
bool Runner::all_accounted() const {
    const auto accepted = detail::total_sum(result_.counts.gen, &TxCounts::frames_accepted);
    if (!plan_.sink) {
        const auto sent = result_.counts.gen_device.tx_frames;
        const bool exact = plan_.gen.driver.tx_frames == plan::Trust::exact && sent;
        return !exact || *sent >= accepted;
    }
    if (plan_.is_tcp()) {
        return detail::bytes_on_the_way(result_.counts) == 0;
    }
    // Elsewhere all may have come once, and copies be on their way.
    return plan_.lossless && arrived(result_.counts, plan_.transport.has_value()) == accepted;
}

/// What a lost link held back does not come any more.
bool Runner::drains_by_link(Duration in_phase) {
    auto down = detail::link_down(plan_, result_.counts, {Phase::drain, in_phase, sent_for_});
    return down ? end_with(*std::move(down)) : true;
}

bool Runner::drain() {
    if (!good(datapath_.enter(Phase::drain)) || !look()) {
        return false;
    }
    Duration quiet{0};
    Duration reported{0};
    for (Duration now{0}; now < plan_.phases.drain_cap;) {
        const Snapshot before = result_.counts;
        now += drain_step;
        if (!wait(drain_step) || !look() || !drains_by_link(now)) {
            return false;
        }
        if (seen(result_.counts) != seen(before)) {
            result_.drain_seconds = seconds(now);
        }
        quiet = quiet_for(quiet, before, result_.counts);
        // Ended at the look before: this one's totals were told after the end.
        if (gen_ended(before) && (all_accounted() || quiet >= plan_.phases.quiet)) {
            return true;
        }
        if (now - reported >= slice) {
            reported = now;
            report(Phase::drain);
        }
    }
    return true;
}

/// Joins the loops and gives the ports back, as far as there is anyone to ask.
void Runner::finish() {
    if (!died_) {
        if (auto last = datapath_.stop()) {
            result_.counts = *std::move(last);
            final_ = true;
        } else {
            end_with(detail::to_reason(last.error()));
        }
    }
    if (died_) {
        return;
    }
    if (const auto closed = datapath_.close(); !closed) {
        Reason reason = detail::to_reason(closed.error());
        reason.severity = final_ ? Severity::note : reason.severity;
        end_with(std::move(reason));
    }
}

/// Coalesced blocks are not told apart: their rate follows from their size, and they have no times.
void Runner::forget_blocks() {
    result_.stream_block_bytes = plan_.frames.block_bytes;
    if (result_.counts.transport) {
        result_.counts.transport->latencies.block = {};
        result_.counts.transport->latencies.block_intended = {};
    }
}

void Runner::sum_up() {
    label(result_, request_);
    result_.intended_fps = plan_.intended_fps;
    result_.complete = measured_ && final_;
    result_.driver_copies = plan_.gen.driver.copies_sent;
    result_.header_bytes = plan_.is_tcp() ? 0 : plan_.frames.header_bytes;
    if (plan_.transport) {
        result_.outliers = outlier_rule(plan_.transport->outliers);
        if (plan_.frames.frames_per_block == 0) {
            forget_blocks();
        }
    }
    const Snapshot& counts = result_.counts;
    result_.measure_seconds = mean_interval(counts.gen, counts.tsc_hz);
    result_.sink_measure_seconds = mean_interval(counts.sink, counts.tsc_hz);
    plan::TrialPlan balanced = plan_;
    Snapshot terms = counts;
    if (!final_) {
        // Counts taken in full flight: frames are on their way, and devices ahead of loops.
        balanced.lossless = false;
        terms.gen_device = {};
        terms.sink_device = {};
        terms.streams.clear();
    }
    result_.ledger = make_ledger(balanced, terms);
    auto found = judge(plan_, result_);
    // A trial that nothing was measured in counts on no host.
    const auto measured = [&](const auto& cores) {
        return std::ranges::all_of(cores, [&](const auto& core) {
            return detail::interval_seconds(core, counts.tsc_hz).has_value();
        });
    };
    if (request_.shared_cores && measured(counts.gen) && measured(counts.sink)) {
        for (Reason& reason : found) {
            if (reason.severity == Severity::external) {
                reason.severity = Severity::note;
                reason.message.insert(0, "SHARED CORES: ");
            }
        }
    }
    std::ranges::move(found, std::back_inserter(result_.reasons));
}

TrialResult Runner::run() && {
    if (open()) {
        if (start() && settle() && send()) {
            measured_ = true;
            drain();
        }
        finish();
        if (auto stuck =
                measured_ && final_ ? watch_.look_back(result_.counts, sent_for_) : std::nullopt) {
            end_with(*std::move(stuck));
        }
    }
    sum_up();
    return std::move(result_);
}

}  // namespace

TrialResult
run(Datapath& datapath,
    const plan::TrialPlan& plan,
    const Request& request,
    const Progress& progress) {
    return Runner(datapath, plan, request, progress).run();
}

TrialResult failed(const Request& request, const Error& error) {
    TrialResult result;
    label(result, request);
    result.intended_fps = request.intended_fps;
    result.reasons.push_back(detail::to_reason(error));
    return result;
}

}  // namespace gensink::trial
