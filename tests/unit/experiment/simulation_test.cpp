// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <malloc.h>

#include "catch.hpp"
#include "fake.hpp"
#include "normal.hpp"

using namespace gensink;
using namespace gensink::experiment;

namespace {

/// A host whose speed wanders from round to round, and whose every launch of an arm is a little
/// faster or slower than the last.
struct Noise {
    double drift = 0.05;   ///< of the host: each round is a step of a random walk
    double launch = 0.01;  ///< of an arm in one round
};

class Simulation {
  public:
    Simulation(std::uint64_t seed, Noise noise) : normal_(seed), noise_(noise) {
        // glibc would return each experiment's megabyte to the kernel, and fault it in again.
        mallopt(M_TRIM_THRESHOLD, 64 << 20);
        host_.trial_of = [this](const trial::Request& request) {
            return make(request);
        };
    }

    /// `effect`: by how much the arm "batched" is better, as a ratio.
    ExperimentResult run(plan::Plan& plan, double effect) {
        effect_ = effect;
        round_ = 0;
        speed_ = 0.0;
        ++plan.stats.seed;
        host_.requests.clear();
        host_.rounds_begun.clear();
        return host_.run(plan);
    }

  private:
    trial::TrialResult make(const trial::Request& request) {
        if (request.round != round_) {
            round_ = request.round;
            speed_ += noise_.drift * normal_();
        }
        const double gain = request.arm == "batched" ? std::log1p(effect_) : 0.0;
        const double log_ticks = std::log(100.0) + speed_ - gain + noise_.launch * normal_();
        return fake::make_trial({.tx_ticks_per_frame = std::exp(log_ticks)}, fake::Ends::gen);
    }

    fake::Host host_;
    fake::Normal normal_;
    Noise noise_;
    double effect_ = 0.0;
    double speed_ = 0.0;
    unsigned round_ = 0;
};

constexpr int experiments = 10'000;

bool is_false_verdict(const ExperimentResult& result) {
    return result.verdict == Verdict::gain || result.verdict == Verdict::loss;
}

bool covers(const Comparison& comparison, double effect) {
    return comparison.interval && comparison.interval->low <= effect &&
           effect <= comparison.interval->high;
}

}  // namespace

TEST_CASE("the 99 % interval covers a planted effect in 98.7 to 99.3 % of 10,000 experiments") {
    Simulation simulation(1, {});
    auto plan = fake::make_plan();
    constexpr double effect = 0.05;
    int covered = 0;
    int losses = 0;
    for (int i = 0; i < experiments; ++i) {
        const auto result = simulation.run(plan, effect);
        covered += covers(*fake::find(result, false), effect) ? 1 : 0;
        losses += result.verdict == Verdict::loss ? 1 : 0;
    }
    CHECK(covered >= 9'870);
    CHECK(covered <= 9'930);
    CHECK(losses == 0);
}

TEST_CASE("without an effect at most 1 % of 10,000 experiments over points say GAIN or LOSS") {
    auto plan =
        fake::make_plan({{{"traffic.block_size", "128 B"}}, {{"traffic.block_size", "4096 B"}}});
    Simulation simulation(2, {});
    int false_verdicts = 0;
    int all_covered = 0;
    for (int i = 0; i < experiments; ++i) {
        const auto result = simulation.run(plan, 0.0);
        false_verdicts += is_false_verdict(result) ? 1 : 0;
        const bool both = covers(*fake::find(result, false, 0), 0.0) &&
                          covers(*fake::find(result, false, 1), 0.0);
        all_covered += both ? 1 : 0;
    }
    CHECK(false_verdicts <= experiments / 100);
    CHECK(all_covered >= 9'870);  // Bonferroni's intervals hold together
}

TEST_CASE("launch noise above the margin makes experiments inconclusive, not NO DIFFERENCE") {
    Simulation simulation(3, {.drift = 0.1, .launch = 0.05});
    auto plan = fake::make_plan();
    int false_verdicts = 0;
    int no_difference = 0;
    for (int i = 0; i < experiments; ++i) {
        const auto result = simulation.run(plan, 0.0);
        false_verdicts += is_false_verdict(result) ? 1 : 0;
        no_difference += result.verdict == Verdict::no_difference ? 1 : 0;
    }
    // Here the margin excuses none of the nominal 1 %: within three standard errors of 0.1 %.
    CHECK(false_verdicts <= experiments / 100 + 30);
    CHECK(no_difference <= experiments / 1000);
}

TEST_CASE("an effect of 10 % is found under 5 % drift and 1 % launch noise") {
    Simulation simulation(4, {});
    auto plan = fake::make_plan();
    int gains = 0;
    for (int i = 0; i < 200; ++i) {
        gains += simulation.run(plan, 0.1).verdict == Verdict::gain ? 1 : 0;
    }
    CHECK(gains >= 198);
}
