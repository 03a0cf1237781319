// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include "wire/size.hpp"

#include <algorithm>
#include <numeric>

namespace gensink::plan {

namespace {

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

/// Of a block's frames, with FCS; every frame is at least Ethernet's smallest.
double mean_frame_bytes_of(const flow::BlockCut& block, std::uint32_t header) {
    const auto bytes = [&](std::uint32_t frame) {
        return wire::frame_bytes(block.bytes_of(frame) + header);
    };
    const std::uint32_t n = block.frames;
    double sum = bytes(n - 1);
    sum += n > 1 ? bytes(n - 2) : 0U;
    sum += n > 2 ? double{n - 2.0} * bytes(0) : 0.0;
    return sum / n;
}

}  // namespace

double TrialPlan::mean_frame_bytes() const {
    if (transport) {
        return mean_frame_bytes_of(transport->sender.block, frames.header_bytes);
    }
    double sum = 0;
    for (const std::uint16_t each : frames.payload_bytes) {
        sum += wire::frame_bytes(each);
    }
    return sum / static_cast<double>(std::max<std::size_t>(frames.payload_bytes.size(), 1));
}

double TrialPlan::mean_payload_bytes() const {
    if (transport) {
        const flow::BlockCut& block = transport->sender.block;
        return static_cast<double>(block.bytes()) / block.frames;
    }
    const double sum =
        std::accumulate(frames.payload_bytes.begin(), frames.payload_bytes.end(), 0.0);
    return sum / static_cast<double>(std::max<std::size_t>(frames.payload_bytes.size(), 1)) -
           frames.header_bytes;
}

bool operator==(const Environment& left, const Environment& right) {
    return left.hugepages == right.hugepages && left.memory_mib == right.memory_mib &&
           left.control_cpu == right.control_cpu && left.netns == right.netns &&
           left.devices == right.devices && same_cores(left.cores, right.cores) &&
           left.extra_eal == right.extra_eal && left.drives_gen == right.drives_gen &&
           left.drives_sink == right.drives_sink && left.peer == right.peer &&
           left.kernel == right.kernel && left.telemetry == right.telemetry &&
           left.pdump == right.pdump && left.file_prefix == right.file_prefix;
}

bool Plan::has_pilot() const {
    return stats.precision_ratio && compare && !metrics.empty() && stats.rule == Rule::paired;
}

}  // namespace gensink::plan
