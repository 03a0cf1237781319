// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/detail/analysis.hpp"
#include "plan/plan.hpp"
#include "trial/result.hpp"

#include <optional>
#include <string>

/// What the laws of its limits say of a cell, and what held it in fact.
namespace gensink::experiment::detail {

/// Names of limits, as profiles write them.
namespace limits {
inline constexpr const char* window = "window";
inline constexpr const char* ack_timer = "ack timer";
inline constexpr const char* rate = "rate";
inline constexpr const char* link = "link";
inline constexpr const char* sink_ring = "sink ring";
inline constexpr const char* sink_cpu = "sink CPU";
inline constexpr const char* generator_cpu = "generator CPU";
inline constexpr const char* unknown = "unknown";
}  // namespace limits

struct Predicted {
    /// bit/s of the application's bytes, or ms of an object; absent where a law's input is unknown.
    std::optional<double> value;
    std::string limit;       ///< that is the lowest; empty: unknown
    bool is_object = false;  ///< the value is the time of a block fetched alone
};

/// Closed loops, and whatever runs on the model. Loss has no law here: with it nothing is
/// predicted, nor where a window overruns the sink's ring but for the name.
[[nodiscard]] Predicted
predict(const plan::TrialPlan& plan, const std::optional<double>& intended_fps);

struct MeasuredLimit {
    std::string name;
    std::string evidence;
};

/// From drops at the sink, the use of the link, the sink's idle time, and what the flows waited
/// for.
[[nodiscard]] MeasuredLimit
measured_limit(const plan::TrialPlan& plan, const trial::TrialResult& trial);

/// Puts the predicted value into every trial, for the metric predicted_ratio.
void predict_trials(const plan::Plan& plan, ExperimentResult& result);

/// Predicted beside measured, of each cell. Needs cells.
void predict_cells(Analysis& analysis);

/// What was predicted and found of a cell; null where nothing was.
[[nodiscard]] const Prediction*
prediction_of(const ExperimentResult& result, std::size_t cell, trial::LoadKind kind);

}  // namespace gensink::experiment::detail
