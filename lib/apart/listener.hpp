// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gensink::apart {

/// Plans the sink's end of a trial for this host, from a generator's settings ("key=value").
using PlanTrial = std::function<Results<plan::TrialPlan>(const std::vector<std::string>& settings)>;

/// A sink that is told by a generator at the other end of its link what to do. open() makes the
/// port ready and listens; snapshot() serves for a tenth of a second, then tells the counts of the
/// trial that is on. A generator that falls silent for 10 s is given up. ARP and ICMP echo for the
/// plan's destination address are answered.
[[nodiscard]] std::unique_ptr<trial::Datapath>
make_listener(std::unique_ptr<trial::Datapath> local, PlanTrial plan_trial);

}  // namespace gensink::apart
