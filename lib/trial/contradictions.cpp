// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/contradictions.hpp"

#include "trial/detail/measured.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::trial::detail {

namespace {

using counters::SinkCounts;
using counters::TxCounts;
using plan::Trust;

std::int64_t to_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

class Finder {
  public:
    void add(std::int64_t frames, const char* what) {
        if (frames != 0) {
            found_.push_back({fmt::format("{} ({} frames)", what, frames), frames});
        }
    }

    [[nodiscard]] std::vector<Contradiction> take() { return std::move(found_); }

  private:
    std::vector<Contradiction> found_;
};

void check_terms(Finder& find, const Snapshot& counts, const Ledger& ledger) {
    std::uint64_t by_stream = 0;
    for (const StreamReport& stream : counts.streams) {
        by_stream += stream.sent_measured.frames_accepted;
    }
    if (!counts.streams.empty()) {
        find.add(
            to_signed(by_stream) - to_signed(ledger.accepted),
            "streams and cores of the generator disagree on what was accepted"
        );
    }
    if (ledger.has_sink && ledger.lost < 0) {
        find.add(ledger.lost, "more frames arrived than were sent");
    }
}

/// The sink's device counts what the generator sent, and the polls do not: whatever the ledger
/// lacks, or has twice, came about behind the device.
bool behind_the_device(const plan::TrialPlan& plan, const Snapshot& counts) {
    const auto& received = counts.sink_device.rx_frames;
    return plan.sink && plan.sink->driver.rx_frames == Trust::exact && received &&
           *received == total_sum(counts.gen, &TxCounts::frames_accepted) &&
           *received != total_sum(counts.sink, &SinkCounts::frames);
}

/// Further copies, and frames too old to tell: what the generator sent again explains itself.
std::int64_t
unexplained_copies(const plan::TrialPlan& plan, const Snapshot& counts, std::uint64_t copies) {
    std::uint64_t sent_again = 0;
    for (const auto& core : counts.gen) {
        sent_again += plan.transport ? core.total.transport.retransmitted : 0;
    }
    return to_signed(copies - std::min(copies, sent_again));
}

void check_lossless(
    Finder& find, const plan::TrialPlan& plan, const Snapshot& counts, const Ledger& ledger
) {
    const bool behind = behind_the_device(plan, counts);
    const bool closed = plan.transport.has_value();
    if (ledger.lost > 0) {
        find.add(
            ledger.lost,
            behind ? "lost on a wire that cannot lose, after the sink's device had received them"
                   : "lost on a wire that cannot lose"
        );
    }
    find.add(to_signed(ledger.late), "reordered on a wire that keeps order");
    find.add(
        unexplained_copies(plan, counts, ledger.duplicate + (closed ? ledger.stale : 0)),
        "duplicated on a wire that cannot duplicate"
    );
    find.add(to_signed(ledger.corrupt), "corrupt on a wire that cannot corrupt");
    find.add(
        closed ? 0 : to_signed(ledger.stale),
        "too old for the sequence window, on a wire that keeps order"
    );
}

void check_devices(
    Finder& find, const plan::TrialPlan& plan, const Snapshot& counts, const Ledger& ledger
) {
    const plan::DriverFacts& gen = plan.gen.driver;
    if (gen.tx_frames == Trust::exact && !gen.loses_refused && counts.gen_device.tx_frames) {
        const std::uint64_t accepted = total_sum(counts.gen, &TxCounts::frames_accepted);
        find.add(
            to_signed(*counts.gen_device.tx_frames) - to_signed(accepted),
            "the generator's device counts other frames sent than it accepted"
        );
    }
    if (!plan.sink || plan.sink->driver.rx_frames != Trust::exact ||
        !counts.sink_device.rx_frames) {
        return;
    }
    // The ledger has said so already: the same frames are not counted twice.
    const bool told = plan.lossless && (ledger.lost > 0 || ledger.duplicate > 0);
    if (told && behind_the_device(plan, counts)) {
        return;
    }
    const std::uint64_t polled = total_sum(counts.sink, &SinkCounts::frames);
    const std::int64_t difference = to_signed(*counts.sink_device.rx_frames) - to_signed(polled);
    // Elsewhere a stranger's frame may arrive between the last poll and the reading of counters.
    if (difference < 0 || plan.lossless) {
        find.add(difference, "the sink's device counts other frames received than were polled");
    }
}

}  // namespace

std::vector<Contradiction>
contradictions(const plan::TrialPlan& plan, const Snapshot& counts, const Ledger& ledger) {
    Finder find;
    if (ledger.in_bytes) {
        find.add(ledger.residue, "TCP has not delivered what was written");
        return find.take();
    }
    check_terms(find, counts, ledger);
    if (plan.lossless && ledger.has_sink) {
        check_lossless(find, plan, counts, ledger);
    }
    check_devices(find, plan, counts, ledger);
    return find.take();
}

}  // namespace gensink::trial::detail
