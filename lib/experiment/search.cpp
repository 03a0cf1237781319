// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/search.hpp"

#include <algorithm>

namespace gensink::experiment {

namespace {

/// Repeats at full speed that differ by more are no capacity.
constexpr double repeatable_ratio = 0.1;
/// A load that the generator did not offer, though nothing was lost, is tried so often.
constexpr unsigned tries_when_short = 3;

enum class Outcome { passed, failed, ended };

class Search {
  public:
    Search(const SearchBounds& bounds, const Measure& measure)
        : bounds_(bounds), measure_(measure) {}

    Found run() {
        const Outcome at_max = try_max();
        if (at_max == Outcome::failed) {
            bisect();
        }
        found_.complete = found_.complete || at_max == Outcome::passed;
        if (found_.low_fps > 0.0) {
            found_.found_fps = found_.low_fps;
        }
        return found_;
    }

  private:
    std::optional<Probe> probe(std::optional<double> intended_fps) {
        ++found_.probes;
        return measure_(intended_fps);
    }

    Outcome try_max() {
        double passed_fps = 0.0;
        for (unsigned i = 0; i < repeats(); ++i) {
            const auto seen = probe(std::nullopt);
            if (!seen) {
                return Outcome::ended;
            }
            found_.max_offered_fps =
                std::max(seen->offered_fps, found_.max_offered_fps.value_or(0));
            if (seen->received_fps) {
                found_.max_received_fps =
                    std::max(*seen->received_fps, found_.max_received_fps.value_or(0));
            }
            found_.high_fps = *found_.max_offered_fps;
            if (!(seen->offered_fps > 0.0) || !passes(bounds_, std::nullopt, *seen)) {
                return Outcome::failed;
            }
            // The lowest of the repeats: all of them carried at least this.
            passed_fps = i == 0 ? seen->offered_fps : std::min(passed_fps, seen->offered_fps);
        }
        found_.low_fps = passed_fps;
        // Where the repeats disagree, what the port can do is not known yet.
        return passed_fps < (1.0 - repeatable_ratio) * *found_.max_offered_fps ? Outcome::failed
                                                                               : Outcome::passed;
    }

    /// What less was offered than intended may be an interruption's doing: tried again.
    std::optional<Probe> steady_probe(double fps) {
        std::optional<Probe> seen;
        for (unsigned i = 0; i < tries_when_short; ++i) {
            seen = probe(fps);
            if (!seen || seen->loss_ratio > bounds_.loss_ratio || passes(bounds_, fps, *seen)) {
                break;
            }
        }
        return seen;
    }

    Outcome try_load(double fps) {
        double least_fps = fps;
        for (unsigned i = 0; i < repeats(); ++i) {
            const auto seen = steady_probe(fps);
            if (!seen) {
                return Outcome::ended;
            }
            if (seen->loss_ratio > bounds_.loss_ratio) {
                return Outcome::failed;
            }
            least_fps = std::min(least_fps, seen->offered_fps);
        }
        if (least_fps >= fps * (1.0 - bounds_.resolution_ratio)) {
            return Outcome::passed;
        }
        found_.low_fps = std::max(found_.low_fps, least_fps);  // so much was offered, and came
        return Outcome::failed;
    }

    void bisect() {
        const double resolution = std::clamp(bounds_.resolution_ratio, 1e-6, 0.5);
        const double floor_fps = resolution * found_.high_fps;
        while (found_.high_fps > floor_fps &&
               found_.high_fps - found_.low_fps > resolution * found_.high_fps) {
            const double middle_fps = (found_.low_fps + found_.high_fps) / 2.0;
            switch (try_load(middle_fps)) {
            case Outcome::passed:
                found_.low_fps = middle_fps;
                break;
            case Outcome::failed:
                found_.high_fps = middle_fps;
                break;
            case Outcome::ended:
                return;
            }
        }
        found_.complete = true;
    }

    [[nodiscard]] unsigned repeats() const { return std::max(1U, bounds_.repeats); }

    const SearchBounds& bounds_;
    const Measure& measure_;
    Found found_;
};

}  // namespace

bool passes(const SearchBounds& bounds, std::optional<double> intended_fps, const Probe& probe) {
    if (probe.loss_ratio > bounds.loss_ratio) {
        return false;
    }
    return !intended_fps || probe.offered_fps >= *intended_fps * (1.0 - bounds.resolution_ratio);
}

Found ndr_search(const SearchBounds& bounds, const Measure& measure) {
    return Search(bounds, measure).run();
}

}  // namespace gensink::experiment
