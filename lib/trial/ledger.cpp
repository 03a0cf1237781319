// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/byte_ledger.hpp"
#include "trial/detail/contradictions.hpp"
#include "trial/detail/measured.hpp"
#include "trial/trial.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gensink::trial {

namespace {

using counters::SinkCounts;
using counters::StreamCounts;
using counters::TxCounts;
using plan::Trust;
using Count = std::optional<std::uint64_t>;

std::int64_t to_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// Frames that arrived, of those the generator counts as accepted: it counts each retransmission.
std::uint64_t arrived(const plan::TrialPlan& plan, const StreamCounts& seen) {
    const std::uint64_t unique = seen.in_order + seen.late + seen.corrupt;
    return plan.transport ? unique + seen.duplicate + seen.stale : unique;
}

/// Device counters cover the whole trial, and so does everything that they are compared with.
class Attributor {
  public:
    Attributor(const plan::TrialPlan& plan, const Snapshot& counts)
        : plan_(plan)
        , counts_(counts)
        , accepted_(to_signed(detail::total_sum(counts.gen, &TxCounts::frames_accepted))) {}

    std::vector<Ledger::Attribution> places() && {
        at_generator();
        if (plan_.sink) {
            between();
            at_sink();
        }
        return std::move(places_);
    }

    /// Frames of all phases that were accepted and never seen.
    [[nodiscard]] std::int64_t lost_in_trial() const {
        std::int64_t lost = accepted_;
        for (const StreamReport& stream : counts_.streams) {
            lost -=
                to_signed(arrived(plan_, stream.seen_measured) + arrived(plan_, stream.seen_other));
        }
        return lost;
    }

  private:
    void add(const char* place, std::int64_t frames, Trust trust) {
        if (frames > 0 && trust != Trust::absent) {
            places_.push_back({place, frames, trust});
        }
    }

    void add(const char* place, const Count& frames, Trust trust) {
        add(place, to_signed(frames.value_or(0)), trust);
    }

    void at_generator() {
        const DeviceReport& device = counts_.gen_device;
        const plan::DriverFacts& driver = plan_.gen.driver;
        if (driver.tx_frames == Trust::exact && device.tx_frames) {
            add("generator's device: accepted, not sent",
                accepted_ - to_signed(*device.tx_frames),
                Trust::exact);
        } else {
            add("generator's device: errors", device.tx_errors, driver.tx_errors);
        }
        // Of all that the interface carries, and each kernel driver by its own rules.
        add("generator's interface: dropped by the kernel",
            counts_.gen_kernel.tx_dropped,
            Trust::approximate);
    }

    /// Only what both devices count exactly; strangers' frames came from elsewhere.
    void between() {
        const DeviceReport& gen = counts_.gen_device;
        const DeviceReport& sink = counts_.sink_device;
        const plan::DriverFacts& driver = plan_.sink->driver;
        const bool exact = plan_.gen.driver.tx_frames == Trust::exact && gen.tx_frames &&
                           driver.rx_frames == Trust::exact && sink.rx_frames &&
                           driver.rx_missed == Trust::exact && sink.rx_missed;
        if (!exact) {
            return;
        }
        const std::uint64_t strangers = detail::total_sum(counts_.sink, &SinkCounts::foreign) +
                                        detail::total_sum(counts_.sink, &SinkCounts::background);
        add("between the devices",
            to_signed(*gen.tx_frames) - to_signed(*sink.rx_frames) - to_signed(*sink.rx_missed) +
                to_signed(strangers),
            Trust::exact);
    }

    void at_sink() {
        const DeviceReport& device = counts_.sink_device;
        add("sink's device: missed", device.rx_missed, plan_.sink->driver.rx_missed);
        add("sink's device: errors", device.rx_errors, Trust::approximate);
        add("sink's device: no buffer", device.rx_no_buffer, Trust::approximate);
        const KernelReport& kernel = counts_.sink_kernel;
        add(plan_.kernel ? "sink's socket: no room" : "sink's packet socket: no room",
            kernel.socket_dropped,
            Trust::exact);
        add("sink's interface: missed", kernel.rx_missed, Trust::approximate);
        add("sink's interface: dropped by the kernel", kernel.rx_dropped, Trust::approximate);
    }

    const plan::TrialPlan& plan_;
    const Snapshot& counts_;
    std::int64_t accepted_;
    std::vector<Ledger::Attribution> places_;
};

void add_seen(Ledger& ledger, const plan::TrialPlan& plan, const Snapshot& counts) {
    std::uint64_t all = 0;
    for (const StreamReport& stream : counts.streams) {
        const StreamCounts& seen = stream.seen_measured;
        all += arrived(plan, seen);
        ledger.in_order += seen.in_order;
        ledger.late += seen.late;
        ledger.corrupt += seen.corrupt;
        ledger.stale += seen.stale;
        ledger.duplicate += seen.duplicate;
    }
    ledger.foreign = detail::total_sum(counts.sink, &SinkCounts::foreign);
    ledger.background = detail::total_sum(counts.sink, &SinkCounts::background);
    ledger.lost = to_signed(ledger.accepted) - to_signed(all);
    // A corrupt frame whose stamp cannot be read may be a copy: so many more came than were sent.
    const std::int64_t copies =
        std::clamp<std::int64_t>(-ledger.lost, 0, to_signed(ledger.corrupt));
    ledger.corrupt -= static_cast<std::uint64_t>(copies);
    ledger.duplicate += static_cast<std::uint64_t>(copies);
    ledger.lost += copies;
}

}  // namespace

Ledger make_ledger(const plan::TrialPlan& plan, const Snapshot& counts) {
    if (plan.is_tcp()) {
        return detail::make_byte_ledger(plan, counts);
    }
    Ledger ledger;
    ledger.has_sink = plan.sink.has_value();
    ledger.built = detail::measured_sum(counts.gen, &TxCounts::frames_built);
    ledger.accepted = detail::measured_sum(counts.gen, &TxCounts::frames_accepted);
    ledger.refused = detail::measured_sum(counts.gen, &TxCounts::frames_asked) - ledger.accepted;
    Attributor attributor(plan, counts);
    const std::int64_t lost_in_trial = attributor.lost_in_trial();
    ledger.attributed = std::move(attributor).places();
    if (ledger.has_sink) {
        add_seen(ledger, plan, counts);
        std::int64_t unknown = lost_in_trial;
        for (const Ledger::Attribution& place : ledger.attributed) {
            unknown -= place.trust == Trust::exact ? place.frames : 0;
        }
        // Counters cover every phase and the loss only one: they may explain more, never less.
        ledger.unknown_place =
            std::clamp<std::int64_t>(unknown, 0, std::max<std::int64_t>(ledger.lost, 0));
    }
    for (const detail::Contradiction& found : detail::contradictions(plan, counts, ledger)) {
        ledger.residue += std::abs(found.frames);
    }
    return ledger;
}

}  // namespace gensink::trial
