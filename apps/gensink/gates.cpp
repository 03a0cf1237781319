// SPDX-License-Identifier: BSD-3-Clause
#include "gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace gensink::app {
namespace {

Status gate_status(report::GateState state) {
    switch (state) {
    case report::GateState::open:
        return Status::ok;
    case report::GateState::undecided:
        return Status::inconclusive;
    case report::GateState::closed:
        return Status::expectation_unmet;
    default:
        return Status::invalid;
    }
}

}  // namespace

Result<std::vector<report::Gate>> parse_gates(const std::vector<std::string>& texts) {
    std::vector<report::Gate> gates;
    gates.reserve(texts.size());
    for (const std::string& text : texts) {
        auto gate = report::parse_gate(text);
        if (!gate) {
            return tl::unexpected<Error>(gate.error());
        }
        gates.push_back(*std::move(gate));
    }
    return gates;
}

Status judge(const report::SavedComparison& comparison, const std::vector<report::Gate>& gates) {
    report::GateState worst = report::GateState::open;
    for (const report::Gate& gate : gates) {
        const Result<report::GateResult> judged = report::judge(comparison, gate);
        if (!judged) {
            return report_errors(std::span(&judged.error(), 1));
        }
        fmt::print("\n{}", judged->text);
        worst = std::max(worst, judged->state);
    }
    return gate_status(worst);
}

}  // namespace gensink::app
