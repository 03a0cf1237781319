// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/detail/values.hpp"

/// The values behind the names of TCP's metrics: what the kernel tells of its connections.
namespace gensink::trial::detail {

inline std::uint64_t tcp_sum(const TrialResult& trial, std::uint64_t counters::TcpCounts::*field) {
    std::uint64_t sum = 0;
    for (const auto& core : trial.counts.gen) {
        sum += core.measured.tcp.*field;
    }
    return sum;
}

/// Of the time in which data waited to be sent or acknowledged. Absent where none is told.
template <std::uint64_t counters::TcpCounts::*Field>
Value tcp_share(const TrialResult& trial) {
    return ratio(tcp_sum(trial, Field), tcp_sum(trial, &counters::TcpCounts::busy_us));
}

inline Value tcp_retransmit_ratio(const TrialResult& trial) {
    const auto sent = measured_sum(trial.counts.gen, &TxCounts::frames_accepted);
    return trial.ledger.in_bytes ? ratio(tcp_sum(trial, &counters::TcpCounts::retransmitted), sent)
                                 : std::nullopt;
}

}  // namespace gensink::trial::detail
