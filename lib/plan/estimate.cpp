// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"
#include "profile/metric_names.hpp"
#include "wire/size.hpp"

#include <algorithm>
#include <cmath>

namespace gensink::plan {

namespace {

/// Taking and giving back ports and pools, per trial (seen on rings and af_packet).
constexpr Duration open_close{30'000'000};
/// A drain that ends when every frame is accounted for; only a loss waits for quiet.
constexpr Duration short_drain{10'000'000};
/// EAL start of a worker, once a round.
constexpr Duration worker_start{400'000'000};

/// Where arms are compared at load max, cost and rate need trials of their own.
struct LoadKinds {
    unsigned trials = 1;     ///< of each round
    bool calibrate = false;  ///< a cost load must be found first
};

LoadKinds load_kinds(const Plan& plan, const Cell& cell) {
    if (!plan.has_cost_load() || cell.trial.load.unit != flow::LoadUnit::max) {
        return {};
    }
    bool cost = plan.knee.has_value();
    bool rate = plan.knee.has_value();
    for (const std::string& name : plan.metrics) {
        const profile::MetricName* metric = profile::find_metric_name(name);
        const bool is_cost = metric != nullptr && metric->kind == profile::MetricName::Kind::cost;
        (is_cost ? cost : rate) = true;
    }
    return {cost && rate ? 2U : 1U, cost && !plan.cost_load()};
}

/// Probes of one cell's search: one at max, then halvings of the bracket.
unsigned probes(const SearchPlan& search) {
    const double halvings = std::ceil(std::log2(1.0 / search.resolution_ratio));
    return 1 + static_cast<unsigned>(halvings) * search.repeats;
}

/// What the model takes for a frame and its ACK: 0.1 to 0.3 us on a Xeon of 2023, which others may
/// use as well.
constexpr double model_seconds_per_frame = 0.5e-6;
/// A generator core on a real wire, when nothing else limits it.
constexpr double core_fps = 5e6;

double flows_of(const TrialPlan& trial) {
    return static_cast<double>(trial.frames.flows) * trial.gen.queues;
}

/// True where a full window neither fills a rule that answers at once nor is refilled before the
/// sink's timer.
bool waits_for_timer(const TransportPlan& transport, double mean_payload) {
    const flow::AckSpec& ack = transport.ack;
    const double held = transport.sender.max_outstanding;
    return ack.delay && (!ack.every_frames || *ack.every_frames > held) &&
           (!ack.above_bytes || static_cast<double>(*ack.above_bytes) >= held * mean_payload);
}

/// Frames per second of all flows together, at most: load, line, core, window and ACK timer.
double highest_fps(const TrialPlan& trial) {
    double fps = core_fps * static_cast<double>(std::max<std::size_t>(trial.gen.cores.size(), 1));
    if (trial.model) {
        const double calls = static_cast<double>(trial.model->call_ticks) / trial.gen.burst;
        const double ticks = static_cast<double>(trial.model->frame_ticks) + calls;
        fps = static_cast<double>(model_hz) / std::max(ticks, 1.0);
    }
    if (trial.intended_fps) {
        fps = std::min(fps, *trial.intended_fps);
    }
    if (trial.line_bps) {
        fps = std::min(fps, wire::line_fps(*trial.line_bps, trial.mean_frame_bytes()));
    }
    if (trial.model && trial.model->sink_fps && trial.transport) {
        fps = std::min(fps, *trial.model->sink_fps);
    }
    if (trial.transport) {
        const TransportPlan& transport = *trial.transport;
        const double window = flows_of(trial) * transport.sender.max_outstanding;
        const Duration timer = waits_for_timer(transport, trial.mean_payload_bytes())
                                   ? transport.ack.delay_max.value_or(*transport.ack.delay)
                                   : Duration{0};
        if (const double round = seconds(transport.rtt + timer); round > 0) {
            fps = std::min(fps, window / round);
        }
    }
    return fps;
}

/// Frames of a finite transfer, of all flows together.
double transfer_frames(const TrialPlan& trial) {
    const flow::SenderSpec& sender = trial.transport->sender;
    const double block = sender.block.frames + (sender.connect ? 1.0 : 0.0);
    return static_cast<double>(*sender.blocks) * block * flows_of(trial);
}

/// How long a finite transfer takes: its frames, and for each object the rounds of slow start.
double transfer_seconds(const TrialPlan& trial) {
    const TransportPlan& transport = *trial.transport;
    const flow::SenderSpec& sender = transport.sender;
    double rounds = 0;
    if (sender.sequential) {
        const double windows = static_cast<double>(sender.block.frames) /
                               std::max(sender.congestion.initial_frames, 1U);
        rounds = 1.0 + (sender.connect ? 1.0 : 0.0) +
                 (sender.congestion.on ? std::ceil(std::log2(windows + 1.0)) : 0.0);
        rounds *= static_cast<double>(*sender.blocks);
    }
    return rounds * seconds(transport.rtt) + transfer_frames(trial) / highest_fps(trial);
}

bool is_finite(const TrialPlan& trial) {
    return trial.transport && trial.transport->finite();
}

Duration trial_time(const TrialPlan& trial) {
    const PhasesPlan& phases = trial.phases;
    double s = seconds(phases.warmup + phases.measure);
    if (is_finite(trial)) {
        s = std::min(s, transfer_seconds(trial));
    }
    if (trial.model) {
        // Virtual time costs nothing: it is the frames that do.
        const double frames = is_finite(trial)
                                  ? std::min(transfer_frames(trial), highest_fps(trial) * s)
                                  : highest_fps(trial) * s;
        return Duration{static_cast<std::int64_t>(frames * model_seconds_per_frame * 1e9)} +
               open_close;
    }
    return phases.settle + Duration{static_cast<std::int64_t>(s * 1e9)} +
           std::min(phases.quiet, short_drain) + open_close;
}

}  // namespace

unsigned Plan::trials() const {
    unsigned count = 0;
    for (const Cell& cell : cells) {
        count += search && !cell.placebo ? probes(*search) : 0;
        count += load_kinds(*this, cell).trials * stats.rounds;
    }
    return count;
}

Duration Plan::duration() const {
    Duration total{0};
    // A pilot plays the trials of the first metric alone: one of each cell.
    const unsigned pilot = has_pilot() ? pilot_rounds : 0;
    std::vector<const std::vector<Environment>*> distinct;
    for (const Cell& cell : cells) {
        const Duration once = trial_time(cell.trial);
        const LoadKinds kinds = load_kinds(*this, cell);
        total += once * (kinds.trials * stats.rounds + pilot +
                         (search && !cell.placebo ? probes(*search) : 0));
        total +=
            kinds.calibrate && !cell.placebo ? once : Duration{0};  // calibration of the cost load
        const bool seen = std::ranges::any_of(distinct, [&](const auto* environments) {
            return *environments == cell.environments;
        });
        if (!seen && !cell.environments.empty()) {
            distinct.push_back(&cell.environments);
        }
    }
    return total + worker_start * static_cast<int>(distinct.size()) * (stats.rounds + pilot + 1);
}

}  // namespace gensink::plan
