// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "stats/interval.hpp"
#include "trial/metrics.hpp"
#include "trial/result.hpp"
#include "trial/trial.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gensink::experiment {

enum class Verdict { gain, loss, no_difference, inconclusive, invalid };
[[nodiscard]] const char* name(Verdict verdict);  ///< "GAIN", "NO DIFFERENCE", ...

using Interval = stats::Interval;

/// A metric over the counted trials of one cell: of each round the last attempt that ran
/// undisturbed; where a cell has none, its disturbed trials, and a warning says so.
struct CellStatistic {
    std::size_t cell = 0;
    std::string metric;
    std::size_t n = 0;
    double mean = 0;          ///< of all n
    double trimmed_mean = 0;  ///< of what the plan's outlier rule keeps
    double median = 0;
    double p99 = 0;
    double low = 0;   ///< smallest
    double high = 0;  ///< largest
    std::optional<Interval>
        interval;  ///< of the mean, at the plan's confidence; absent below n = 2
    trial::LoadKind load_kind{};
};

/// An arm against the baseline at one point. Differences are gains: > 0 is better. A round counts
/// for a comparison when both of its trials ran undisturbed in the same attempt. Metrics with a
/// value of 0 are refused: no ratio exists.
struct Comparison {
    std::string metric;
    std::string arm;
    std::vector<std::pair<std::string, std::string>> point;
    bool placebo = false;
    std::size_t rounds = 0;            ///< that counted; with 0 all values below are meaningless
    double gain_ratio = 0;             ///< exp(mean log ratio) - 1, signed so that > 0 is better
    std::optional<Interval> interval;  ///< of gain_ratio, simultaneous over the points
    double smallest_margin_ratio = 0;  ///< the smallest margin these data could prove
    Verdict verdict = Verdict::inconclusive;
    std::string refusal;  ///< why no verdict, or why INVALID (sink was the limit, a trial's reason)
    std::optional<double> gain_with_disturbed_ratio;  ///< all attempts; absent: none was disturbed
    /// Without the outlier rule; absent where it cut nothing.
    std::optional<double> raw_gain_ratio;
    std::optional<Verdict> raw_verdict;
    double lag1_autocorrelation = 0;
    std::optional<double> baseline_mean;
    std::optional<double> arm_mean;
};

/// Over the sweep, per arm; means and t intervals over rounds. inverse: metric = a + b / key.
/// affine: metric = (key - b) / a, with a the RTT in s and b an offset in bytes, over the points
/// that the window limited.
struct Fit {
    plan::LawKind law = plan::LawKind::inverse;
    std::string arm;
    std::string metric;
    std::string key;
    std::vector<std::pair<std::string, std::string>> point;  ///< the other swept keys
    std::size_t rounds = 0;
    double a = 0;
    double b = 0;
    std::optional<Interval> a_interval;
    std::optional<Interval> b_interval;
    double r_squared = 0;
    double worst_misfit_ratio = 0;
    bool law_holds = false;  ///< worst misfit within 5 %
    std::vector<std::string>
        left_out;  ///< values of the key that another limit held: "1 MiB (link)"
};

/// Where a point of a sweep lies to the rate that the margin allows.
enum class KneeStanding { within, below, undecided };

struct KneePoint {
    std::string burst;  ///< as written
    std::optional<double> mean;
    double ratio = 1;                  ///< of the best point's rate, over rounds; the best's is 1
    std::optional<Interval> interval;  ///< of it, simultaneous over the points; absent: the best
    KneeStanding standing = KneeStanding::undecided;
    std::optional<double> hold_p50_us;  ///< at equal load
    std::optional<double> hold_p99_us;
};

/// The smallest burst whose rate is within a margin of the best one's, by arm and point.
struct Knee {
    std::string arm;
    std::string metric;
    std::vector<std::pair<std::string, std::string>> point;  ///< the other swept keys
    double margin_ratio = 0;
    double confidence_ratio = 0;
    std::size_t rounds = 0;         ///< the fewest of any point
    std::vector<KneePoint> points;  ///< by rising burst
    std::size_t best = 0;           ///< index of the highest mean
    std::size_t proven = 0;         ///< of the smallest burst that is proven within the margin
    std::size_t possible = 0;       ///< of the smallest that could be; equal where it is conclusive
    std::optional<double> hold_fps;  ///< intended load of the trials whose hold times are told
    std::string refusal;  ///< why there is no knee: a trial proves nothing, or there is none
};

/// What was found, in a sentence.
[[nodiscard]] std::string describe(const Knee& knee);

/// Highest load within a loss bound, by bisection, for one cell.
struct SearchResult {
    std::size_t cell = 0;
    std::optional<double> max_offered_fps;
    std::optional<double> max_received_fps;
    std::optional<double> found_fps;  ///< highest intended load that passed; absent: none did
    double low_fps = 0;               ///< bracket at the end
    double high_fps = 0;
    std::optional<double> line_ratio;
    std::string limit;  ///< "link", "generator CPU", "sink", "peer", "unknown"
    std::string evidence;
    unsigned probes = 0;
};

/// The law of a cell's limit beside what was measured. Texts are empty where nothing is known.
struct Prediction {
    std::size_t cell = 0;
    trial::LoadKind load_kind{};
    std::string metric;  ///< that both values are of: transfer.bps_payload, transfer.object_ms, ...
    std::optional<double> predicted;
    std::optional<double> measured;
    std::optional<double> ratio;  ///< measured / predicted
    /// window, ack timer, rate, link, sink ring, sink CPU, generator CPU, unknown
    std::string predicted_limit;
    std::string measured_limit;
    std::string evidence;  ///< of the measured limit
};

struct Expectation {
    std::string text;
    bool met = false;
    std::string observed;
};

struct ExperimentResult {
    std::vector<trial::TrialResult> trials;  ///< calibration and probes too (round 0)
    std::vector<CellStatistic> cells;
    std::vector<Comparison> comparisons;
    std::vector<Fit> fits;
    std::vector<Knee> knees;
    std::vector<SearchResult> searches;
    std::vector<Prediction> predictions;
    std::vector<Expectation> expectations;
    std::vector<std::string> warnings;
    /// Of the first metric over all points. Without a comparison: invalid where a counted trial is.
    Verdict verdict = Verdict::inconclusive;
    std::string headline;         ///< the verdict in one sentence
    bool has_verdict = false;     ///< false: nothing was compared
    bool partial = false;         ///< interrupted or a round failed
    bool failed = false;          ///< no usable trial
    unsigned rounds_counted = 0;  ///< rounds with an attempt that was whole and undisturbed
    unsigned rounds_repeated = 0;
};

/// Runs one trial; never throws. The one seam between statistics and reality.
using RunTrial = std::function<trial::TrialResult(const trial::Request&)>;
/// Called before each round (fresh workers), with its number; 0 before calibration, each round of a
/// pilot, and search. Called again after a trial whose datapath died.
using BeginRound = std::function<void(unsigned)>;
/// True once a signal asked to stop.
using Stopped = std::function<bool()>;

struct Hooks {
    RunTrial run_trial;
    BeginRound begin_round;
    Stopped stopped;
    std::function<void(unsigned done, unsigned total)> progress;
};

/// Calibrates the cost load, sizes the rounds by a pilot if asked, runs rounds in seeded random
/// order, searches, and analyses. Stops early when asked to, after an interrupted trial (partial),
/// when three trials in a row die (failed), or find or lose their link (partial).
[[nodiscard]] ExperimentResult run(const plan::Plan& plan, const Hooks& hooks);

/// Analysis alone, on trials already made (re-rendering, tests).
void analyse(const plan::Plan& plan, ExperimentResult& result);

}  // namespace gensink::experiment
