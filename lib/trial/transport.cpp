// SPDX-License-Identifier: BSD-3-Clause
#include "trial/transport.hpp"

namespace gensink::trial {

void add_flows(TransportReport& report, StreamId stream, const flow::FlowSet::Measured& measured) {
    for (std::size_t i = 0; i < measured.flows.size(); ++i) {
        const flow::FlowSet::FlowSeen& seen = measured.flows[i];
        report.flows.push_back(
            {stream.value,
             i,
             seen.frames_acked,
             seen.payload_acked,
             seen.retransmitted,
             seen.timeouts,
             seen.times}
        );
    }
    report.latencies.frame.merge(measured.latencies.frame);
    report.latencies.frame_intended.merge(measured.latencies.frame_intended);
    report.latencies.block.merge(measured.latencies.block);
    report.latencies.block_intended.merge(measured.latencies.block_intended);
    report.latencies.hold.merge(measured.latencies.hold);
    const auto ticks = measured.block_times.ticks();
    report.block_ticks.insert(report.block_ticks.end(), ticks.begin(), ticks.end());
}

}  // namespace gensink::trial
