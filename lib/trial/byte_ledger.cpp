// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/byte_ledger.hpp"

#include "trial/detail/measured.hpp"

#include <algorithm>
#include <cstdlib>

namespace gensink::trial::detail {

std::int64_t bytes_on_the_way(const Snapshot& counts) {
    std::uint64_t read = 0;
    for (const StreamReport& stream : counts.streams) {
        read += stream.seen_other.in_order;
    }
    const std::uint64_t written = total_sum(counts.gen, &counters::TxCounts::payload_bytes);
    return static_cast<std::int64_t>(written - read);
}

Ledger make_byte_ledger(const plan::TrialPlan& plan, const Snapshot& counts) {
    Ledger ledger;
    ledger.in_bytes = true;
    ledger.has_sink = plan.sink.has_value();
    ledger.accepted = measured_sum(counts.gen, &counters::TxCounts::payload_bytes);
    ledger.built = ledger.accepted;
    for (const StreamReport& stream : counts.streams) {
        // A stream keeps its order: what was written first has been read first.
        const counters::TxStreamCounts& sent = stream.sent_measured;
        const std::uint64_t read = stream.seen_other.in_order;
        ledger.in_order +=
            std::min(sent.frames_accepted, read - std::min(read, sent.first_sequence));
    }
    ledger.lost = static_cast<std::int64_t>(ledger.accepted - ledger.in_order);
    ledger.unknown_place = std::max<std::int64_t>(ledger.lost, 0);
    ledger.residue = plan.lossless ? std::abs(bytes_on_the_way(counts)) : 0;
    return ledger;
}

}  // namespace gensink::trial::detail
