// SPDX-License-Identifier: BSD-3-Clause
#include "report/saved.hpp"

namespace gensink::report {

namespace {

[[nodiscard]] EndSummary summary_of(const plan::EndPlan& end) {
    return {
        .device = end.device,
        .device_written = end.device_written,
        .netns = end.netns,
        .driver = end.driver.name,
        .doorbell = end.driver.doorbell,
        .queues = end.queues,
        .descriptors = end.descriptors,
        .burst = end.burst,
        .cores = end.cores,
    };
}

[[nodiscard]] CellSummary summary_of(const plan::Cell& cell) {
    const plan::TrialPlan& trial = cell.trial;
    CellSummary summary;
    summary.arm = cell.arm;
    summary.point = cell.point;
    summary.placebo = cell.placebo;
    summary.wire = trial.wire;
    summary.lossless = trial.lossless;
    summary.gen = summary_of(trial.gen);
    if (trial.sink) {
        summary.sink = summary_of(*trial.sink);
    }
    summary.frame_bytes = trial.mean_frame_bytes();
    summary.payload_bytes = trial.mean_payload_bytes();
    summary.block_bytes = trial.frames.block_bytes;
    summary.flows = trial.frames.flows;
    summary.load = trial.load;
    summary.intended_fps = trial.intended_fps;
    summary.fill = trial.fill;
    summary.warmup = trial.phases.warmup;
    summary.measure = trial.phases.measure;
    summary.line_bps = trial.line_bps;
    summary.fault = trial.fault.any();
    summary.warnings = cell.warnings;
    return summary;
}

[[nodiscard]] PlanSummary summary_of(const plan::Plan& plan) {
    PlanSummary summary;
    summary.name = plan.name;
    summary.summary = plan.summary;
    summary.profile_text = plan.profile_text;
    summary.profile_digest = plan.profile_digest;
    summary.overrides = plan.overrides;
    summary.seed = plan.stats.seed;
    summary.quick = plan.quick;
    summary.shared_cores = plan.shared_cores;
    summary.arms = plan.arms;
    summary.metrics = plan.metrics;
    if (plan.compare) {
        summary.baseline = plan.compare->baseline;
        summary.margin_ratio = plan.compare->margin_ratio;
    }
    summary.confidence = plan.stats.confidence;
    summary.rounds = plan.stats.rounds;
    summary.rule = plan.stats.rule;
    summary.outliers = plan.stats.outliers;
    if (plan.fit) {
        summary.fit_reference = plan.fit->reference;
    }
    if (plan.search) {
        summary.search_loss_ratio = plan.search->loss_ratio;
    }
    for (const plan::Cell& cell : plan.cells) {
        summary.cells.push_back(summary_of(cell));
    }
    summary.warnings = plan.warnings;
    return summary;
}

}  // namespace

Saved collect(RunInfo run, const plan::Plan& plan, experiment::ExperimentResult result) {
    Saved saved;
    saved.run = std::move(run);
    saved.plan = summary_of(plan);
    saved.result = std::move(result);
    for (const trial::TrialResult& trial : saved.result.trials) {
        const std::uint64_t hz =
            trial.counts.tsc_hz != 0 ? trial.counts.tsc_hz : trial.opened.tsc_hz;
        if (hz != 0) {
            saved.tsc_hz = hz;
            break;
        }
    }
    return saved;
}

}  // namespace gensink::report
