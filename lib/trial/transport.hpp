// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "flow/flow_set.hpp"
#include "trial/datapath.hpp"

namespace gensink::trial {

/// Adds what the flows of one stream saw in the measure phase.
void add_flows(TransportReport& report, StreamId stream, const flow::FlowSet::Measured& measured);

}  // namespace gensink::trial
