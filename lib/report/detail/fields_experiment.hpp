// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/experiment.hpp"
#include "report/detail/archive.hpp"
#include "report/detail/names.hpp"

/// JSON fields of what was concluded from the trials.
namespace gensink::report::detail {

template <class Archive>
void fields(Archive& archive, Of<experiment::CellStatistic> auto& cell) {
    archive("cell", cell.cell);
    archive("metric", cell.metric);
    archive.derived("unit", [&]() -> std::optional<std::string> {
        const trial::Metric* metric = trial::find_metric(cell.metric);
        return metric != nullptr ? std::optional(std::string(metric->unit)) : std::nullopt;
    });
    archive.named("load_kind", cell.load_kind, load_kind_names);
    archive("n", cell.n);
    archive("mean", cell.mean);
    archive("median", cell.median);
    archive("min", cell.low);
    archive("max", cell.high);
    archive("interval", cell.interval);
    archive.added("trimmed_mean", cell.trimmed_mean, cell.mean);
    archive.added("p99", cell.p99, cell.high);
}

template <class Archive>
void fields(Archive& archive, Of<experiment::Comparison> auto& comparison) {
    archive("metric", comparison.metric);
    archive("arm", comparison.arm);
    archive("point", comparison.point);
    archive("placebo", comparison.placebo);
    archive("rounds", comparison.rounds);
    archive("gain_ratio", comparison.gain_ratio);
    archive("interval_ratio", comparison.interval);
    archive("smallest_margin_ratio", comparison.smallest_margin_ratio);
    archive.named("verdict", comparison.verdict, verdict_names);
    archive.known_if(!comparison.refusal.empty(), "refusal", comparison.refusal);
    archive("gain_with_disturbed_ratio", comparison.gain_with_disturbed_ratio);
    archive("lag1_autocorrelation", comparison.lag1_autocorrelation);
    archive("baseline_mean", comparison.baseline_mean);
    archive("arm_mean", comparison.arm_mean);
    archive.added("raw_gain_ratio", comparison.raw_gain_ratio);
    archive.added_named_maybe("raw_verdict", comparison.raw_verdict, verdict_names);
}

template <class Archive>
void fields(Archive& archive, Of<experiment::Fit> auto& fit) {
    archive("arm", fit.arm);
    archive("metric", fit.metric);
    archive("key", fit.key);
    archive("point", fit.point);
    archive("rounds", fit.rounds);
    archive("a", fit.a);
    archive("b", fit.b);
    archive("a_interval", fit.a_interval);
    archive("b_interval", fit.b_interval);
    archive("r_squared", fit.r_squared);
    archive("worst_misfit_ratio", fit.worst_misfit_ratio);
    archive("law_holds", fit.law_holds);
    archive.added_named("law", fit.law, law_names);
    archive.added("left_out", fit.left_out);
}

template <class Archive>
void fields(Archive& archive, Of<experiment::KneePoint> auto& point) {
    archive("burst", point.burst);
    archive("mean", point.mean);
    archive("ratio", point.ratio);
    archive("interval", point.interval);
    archive.named("standing", point.standing, knee_standing_names);
    archive("hold_p50_us", point.hold_p50_us);
    archive("hold_p99_us", point.hold_p99_us);
}

template <class Archive>
void fields(Archive& archive, Of<experiment::Knee> auto& knee) {
    archive("arm", knee.arm);
    archive("metric", knee.metric);
    archive("point", knee.point);
    archive("margin_ratio", knee.margin_ratio);
    archive("confidence_ratio", knee.confidence_ratio);
    archive("rounds", knee.rounds);
    archive("points", knee.points);
    archive("best", knee.best);
    archive("proven", knee.proven);
    archive("possible", knee.possible);
    archive("hold_fps", knee.hold_fps);
    archive.known_if(!knee.refusal.empty(), "refusal", knee.refusal);
}

template <class Archive>
void fields(Archive& archive, Of<experiment::SearchResult> auto& search) {
    archive("cell", search.cell);
    archive("max_offered_fps", search.max_offered_fps);
    archive("max_received_fps", search.max_received_fps);
    archive("found_fps", search.found_fps);
    const bool bracketed = search.high_fps > 0;
    archive.known_if(bracketed, "low_fps", search.low_fps);
    archive.known_if(bracketed, "high_fps", search.high_fps);
    archive("line_ratio", search.line_ratio);
    archive.known_if(!search.limit.empty(), "limit", search.limit);
    archive.known_if(!search.evidence.empty(), "evidence", search.evidence);
    archive("probes", search.probes);
}

template <class Archive>
void fields(Archive& archive, Of<experiment::Prediction> auto& prediction) {
    archive("cell", prediction.cell);
    archive.named("load_kind", prediction.load_kind, load_kind_names);
    archive("metric", prediction.metric);
    archive("predicted", prediction.predicted);
    archive("measured", prediction.measured);
    archive("ratio", prediction.ratio);
    archive.known_if(
        !prediction.predicted_limit.empty(), "predicted_limit", prediction.predicted_limit
    );
    archive.known_if(
        !prediction.measured_limit.empty(), "measured_limit", prediction.measured_limit
    );
    archive.known_if(!prediction.evidence.empty(), "evidence", prediction.evidence);
}

template <class Archive>
void fields(Archive& archive, Of<experiment::Expectation> auto& expectation) {
    archive("text", expectation.text);
    archive("met", expectation.met);
    archive("observed", expectation.observed);
}

template <class Archive>
void result_fields(Archive& archive, Of<experiment::ExperimentResult> auto& result) {
    archive("has_verdict", result.has_verdict);
    const bool said = result.has_verdict || result.verdict == experiment::Verdict::invalid;
    archive.named_if(said, "verdict", result.verdict, verdict_names);
    archive("headline", result.headline);
    archive("partial", result.partial);
    archive("failed", result.failed);
    archive("rounds_counted", result.rounds_counted);
    archive("rounds_repeated", result.rounds_repeated);
    archive("comparisons", result.comparisons);
    archive("fits", result.fits);
    archive.added("knees", result.knees);
    archive("searches", result.searches);
    archive.added("predictions", result.predictions);
    archive("expectations", result.expectations);
    archive("cells", result.cells);
    archive("warnings", result.warnings);
    archive("trials", result.trials);
}

}  // namespace gensink::report::detail
