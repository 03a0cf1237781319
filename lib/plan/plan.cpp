// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include "profile/metric_names.hpp"
#include "wire/size.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gensink::plan {

namespace {

/// Taking and giving back ports and pools, per trial (seen on rings and af_packet).
constexpr Duration open_close{30'000'000};
/// A drain that ends when every frame is accounted for; only a loss waits for quiet.
constexpr Duration short_drain{10'000'000};
/// EAL start of a worker, once a round.
constexpr Duration worker_start{400'000'000};

bool same_cores(const std::vector<CorePlan>& left, const std::vector<CorePlan>& right) {
    return std::equal(
        left.begin(),
        left.end(),
        right.begin(),
        right.end(),
        [](const CorePlan& a, const CorePlan& b) {
            return a.lcore == b.lcore && a.cpu == b.cpu && a.queues == b.queues;
        }
    );
}

/// Where arms are compared at load max, cost and rate need trials of their own.
struct LoadKinds {
    unsigned trials = 1;     ///< of each round
    bool calibrate = false;  ///< a cost load must be found first
};

LoadKinds load_kinds(const Plan& plan, const Cell& cell) {
    if (!plan.compare || cell.trial.load.unit != flow::LoadUnit::max) {
        return {};
    }
    bool cost = false;
    bool rate = false;
    for (const std::string& name : plan.metrics) {
        const profile::MetricName* metric = profile::find_metric_name(name);
        const bool is_cost = metric != nullptr && metric->kind == profile::MetricName::Kind::cost;
        (is_cost ? cost : rate) = true;
    }
    return {cost && rate ? 2U : 1U, cost && !plan.compare->cost_load};
}

/// Probes of one cell's search: one at max, then halvings of the bracket.
unsigned probes(const SearchPlan& search) {
    const double halvings = std::ceil(std::log2(1.0 / search.resolution_ratio));
    return 1 + static_cast<unsigned>(halvings) * search.repeats;
}

Duration trial_time(const TrialPlan& trial) {
    const PhasesPlan& phases = trial.phases;
    return phases.settle + phases.warmup + phases.measure + std::min(phases.quiet, short_drain) +
           open_close;
}

}  // namespace

double TrialPlan::mean_frame_bytes() const {
    double sum = 0;
    for (const std::uint16_t payload : frames.payload_bytes) {
        sum += wire::frame_bytes(payload);
    }
    return sum / static_cast<double>(std::max<std::size_t>(frames.payload_bytes.size(), 1));
}

double TrialPlan::mean_payload_bytes() const {
    const double sum =
        std::accumulate(frames.payload_bytes.begin(), frames.payload_bytes.end(), 0.0);
    return sum / static_cast<double>(std::max<std::size_t>(frames.payload_bytes.size(), 1));
}

bool operator==(const Environment& left, const Environment& right) {
    return left.hugepages == right.hugepages && left.memory_mib == right.memory_mib &&
           left.control_cpu == right.control_cpu && left.netns == right.netns &&
           left.devices == right.devices && same_cores(left.cores, right.cores) &&
           left.extra_eal == right.extra_eal && left.drives_gen == right.drives_gen &&
           left.drives_sink == right.drives_sink;
}

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
    std::vector<const std::vector<Environment>*> distinct;
    for (const Cell& cell : cells) {
        const Duration once = trial_time(cell.trial);
        const LoadKinds kinds = load_kinds(*this, cell);
        total +=
            once * (kinds.trials * stats.rounds + (search && !cell.placebo ? probes(*search) : 0));
        total +=
            kinds.calibrate && !cell.placebo ? once : Duration{0};  // calibration of the cost load
        const bool seen = std::ranges::any_of(distinct, [&](const auto* environments) {
            return *environments == cell.environments;
        });
        if (!seen) {
            distinct.push_back(&cell.environments);
        }
    }
    return total + worker_start * static_cast<int>(distinct.size()) * (stats.rounds + 1);
}

}  // namespace gensink::plan
