// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/detail/predict.hpp"

#include "experiment/detail/layout.hpp"
#include "flow/law.hpp"

#include <algorithm>
#include <vector>

namespace gensink::experiment::detail {

namespace {

namespace law = flow::law;

constexpr double gap_bytes = 20;  // IEEE 802.3 clause 4.4.2
/// An object whose frames alone take so much of its time is the link's.
constexpr double link_share = 0.97;

struct Bound {
    const char* limit;
    double bps;
};

/// The application's share of a frame, and the line's.
struct FrameCost {
    double payload_bytes = 0;
    double wire_bytes = 0;

    [[nodiscard]] double of_frames(double fps) const { return 8 * payload_bytes * fps; }

    [[nodiscard]] double of_line(double bps) const { return bps * payload_bytes / wire_bytes; }
};

FrameCost cost_of(const plan::TrialPlan& plan) {
    if (plan.transport) {
        const flow::SenderSpec& sender = plan.transport->sender;
        return {law::payload_per_frame(sender), law::wire_bytes_per_frame(sender)};
    }
    return {plan.mean_payload_bytes(), plan.mean_frame_bytes() + gap_bytes};
}

std::optional<double> line_of(const plan::TrialPlan& plan) {
    return plan.model ? plan.model->rate_bps : plan.line_bps;
}

double burst_of(const plan::TrialPlan& plan) {
    return std::max<double>(plan.gen.burst, 1);
}

void add_model(
    const plan::ModelPlan& model, double burst, const FrameCost& cost, std::vector<Bound>& bounds
) {
    const double fps = law::generator_fps(
        static_cast<double>(model.frame_ticks),
        static_cast<double>(model.call_ticks),
        burst,
        static_cast<double>(plan::model_hz)
    );
    if (model.frame_ticks + model.call_ticks > 0) {
        bounds.push_back({limits::generator_cpu, cost.of_frames(fps)});
    }
    if (model.sink_fps) {
        bounds.push_back({limits::sink_cpu, cost.of_frames(*model.sink_fps)});
    }
}

void add_loop(const plan::TrialPlan& plan, std::vector<Bound>& bounds) {
    const plan::TransportPlan& loop = *plan.transport;
    const double flows = plan.frames.flows;
    if (const auto bps = law::window_bps(loop.sender, loop.rtt)) {
        bounds.push_back({limits::window, flows * *bps});
    }
    if (const auto bps = law::ack_timer_bps(loop.sender, loop.ack, loop.rtt)) {
        bounds.push_back({limits::ack_timer, flows * *bps});
    }
}

/// The first window's frames come faster than the sink takes them, and its ring is too small.
bool overruns_ring(const plan::TrialPlan& plan, const FrameCost& cost) {
    const plan::ModelPlan& model = *plan.model;
    if (!plan.transport || !model.sink_ring || !model.sink_fps) {
        return false;
    }
    const flow::SenderSpec& sender = plan.transport->sender;
    const double at_once =
        static_cast<double>(plan.frames.flows) *
        (sender.congestion.on ? sender.congestion.initial_frames
                              : flow::frames_admitted(sender, sender.max_outstanding));
    double coming_fps = law::generator_fps(
        static_cast<double>(model.frame_ticks),
        static_cast<double>(model.call_ticks),
        burst_of(plan),
        static_cast<double>(plan::model_hz)
    );
    if (model.rate_bps) {
        coming_fps = std::min(coming_fps, *model.rate_bps / (8 * cost.wire_bytes));
    }
    const double queued = 1 + (at_once - 1) * std::max(0.0, 1 - *model.sink_fps / coming_fps);
    const double room = static_cast<double>(model.sink_ring->value);
    return model.sink_ring->frames ? queued > room : queued * (cost.wire_bytes - gap_bytes) > room;
}

/// What the time of an object is made of.
std::string object_limit(const plan::TransportPlan& loop, const law::Path& path, double whole) {
    flow::AckSpec at_once;
    at_once.every_frames = 1;
    const auto prompt = law::object_time(loop.sender, at_once, path);
    if (prompt && whole - prompt->seconds > whole / 2) {
        return limits::ack_timer;
    }
    if (path.line_bps) {
        const double serial =
            8 * law::wire_bytes_per_frame(loop.sender) * loop.sender.block.frames / *path.line_bps;
        if (serial > link_share * whole) {
            return limits::link;
        }
    }
    return limits::window;
}

Predicted predict_object(const plan::TrialPlan& plan) {
    const plan::TransportPlan& loop = *plan.transport;
    Predicted predicted{std::nullopt, {}, true};
    if (loop.rtt.count() <= 0) {
        return predicted;  // what a real wire takes is not known before
    }
    const law::Path path{loop.rtt, line_of(plan)};
    if (const auto time = law::object_time(loop.sender, loop.ack, path)) {
        predicted.value = time->seconds * 1e3;
        predicted.limit = object_limit(loop, path, time->seconds);
    }
    return predicted;
}

const CellStatistic* statistic_of(
    const ExperimentResult& result, std::size_t cell, trial::LoadKind kind, std::string_view metric
) {
    const auto found = std::ranges::find_if(result.cells, [&](const CellStatistic& statistic) {
        return statistic.cell == cell && statistic.load_kind == kind && statistic.metric == metric;
    });
    return found == result.cells.end() ? nullptr : &*found;
}

/// The limit that most trials met.
MeasuredLimit common_limit(const plan::TrialPlan& plan, const TrialList& trials) {
    std::vector<MeasuredLimit> found;
    for (const trial::TrialResult* trial : trials) {
        found.push_back(measured_limit(plan, *trial));
    }
    const auto votes = [&found](const MeasuredLimit& limit) {
        return std::ranges::count(found, limit.name, &MeasuredLimit::name);
    };
    return *std::ranges::max_element(found, {}, votes);
}

std::optional<Prediction>
predict_cell(const Analysis& analysis, std::size_t cell, trial::LoadKind kind) {
    const plan::TrialPlan& plan = analysis.plan.cells[cell].trial;
    TrialList trials = analysis.table.counted(cell, kind);
    if (trials.empty()) {
        trials = analysis.table.all(cell, kind);
        std::erase_if(trials, [](const trial::TrialResult* trial) { return !trial->complete; });
    }
    if (trials.empty()) {
        return std::nullopt;
    }
    const Predicted predicted = predict(plan, trials.front()->intended_fps);
    Prediction made;
    made.cell = cell;
    made.load_kind = kind;
    made.metric = predicted.is_object ? "transfer.object_ms"
                  : plan.transport    ? "transfer.bps_payload"
                                      : "rx.bps_payload";
    made.predicted = predicted.value;
    made.predicted_limit = predicted.limit;
    if (const auto* seen = statistic_of(analysis.result, cell, kind, made.metric)) {
        made.measured = seen->trimmed_mean;
    }
    if (made.predicted && made.measured && *made.predicted > 0) {
        made.ratio = *made.measured / *made.predicted;
    }
    MeasuredLimit limit = common_limit(plan, trials);
    made.measured_limit = std::move(limit.name);
    made.evidence = std::move(limit.evidence);
    return made;
}

}  // namespace

Predicted predict(const plan::TrialPlan& plan, const std::optional<double>& intended_fps) {
    const bool lossy = plan.model && (plan.model->loss_ratio > 0 || plan.model->ack_loss_ratio > 0);
    if ((!plan.transport && !plan.model) || lossy) {
        return {};
    }
    const FrameCost cost = cost_of(plan);
    if (plan.model && overruns_ring(plan, cost)) {
        return {std::nullopt, limits::sink_ring, plan.transport->sender.sequential};
    }
    if (plan.transport && plan.transport->sender.sequential) {
        return predict_object(plan);
    }
    std::vector<Bound> bounds;
    if (intended_fps) {
        bounds.push_back({limits::rate, cost.of_frames(*intended_fps)});
    }
    if (const auto line = line_of(plan)) {
        bounds.push_back({limits::link, cost.of_line(*line)});
    }
    if (plan.transport) {
        add_loop(plan, bounds);
    }
    if (plan.model) {
        add_model(*plan.model, burst_of(plan), cost, bounds);
    }
    if (bounds.empty()) {
        return {};
    }
    const Bound& lowest = *std::ranges::min_element(bounds, {}, &Bound::bps);
    return {lowest.bps, lowest.limit, false};
}

void predict_trials(const plan::Plan& plan, ExperimentResult& result) {
    for (trial::TrialResult& trial : result.trials) {
        if (trial.cell >= plan.cells.size()) {
            continue;
        }
        const Predicted predicted = predict(plan.cells[trial.cell].trial, trial.intended_fps);
        trial.predicted_object_ms = predicted.is_object ? predicted.value : std::nullopt;
        trial.predicted_bps_payload = predicted.is_object ? std::nullopt : predicted.value;
    }
}

void predict_cells(Analysis& analysis) {
    for (std::size_t cell = 0; cell < analysis.plan.cells.size(); ++cell) {
        const plan::Cell& planned = analysis.plan.cells[cell];
        const bool has_limit =
            planned.trial.transport || planned.trial.model || planned.trial.is_tcp();
        if (planned.placebo || !has_limit) {
            continue;
        }
        for (const auto kind :
             {trial::LoadKind::as_planned, trial::LoadKind::max, trial::LoadKind::cost}) {
            if (auto made = predict_cell(analysis, cell, kind)) {
                analysis.result.predictions.push_back(*std::move(made));
            }
        }
    }
}

const Prediction*
prediction_of(const ExperimentResult& result, std::size_t cell, trial::LoadKind kind) {
    const Prediction* other = nullptr;
    for (const Prediction& prediction : result.predictions) {
        if (prediction.cell == cell) {
            if (prediction.load_kind == kind) {
                return &prediction;
            }
            other = &prediction;
        }
    }
    return other;
}

}  // namespace gensink::experiment::detail
