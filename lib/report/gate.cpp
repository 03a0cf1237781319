// SPDX-License-Identifier: BSD-3-Clause
#include "report/gate.hpp"

#include "report/detail/selection.hpp"
#include "report/format.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gensink::report {

namespace {

[[nodiscard]] tl::unexpected<Error> bad_gate(std::string_view text, std::string_view why) {
    return fail(
        ErrorKind::usage,
        fmt::format("{}; write loss:2%, or a metric before it: rx.fps:loss:2%", why),
        fmt::format("--fail-on {}", text)
    );
}

[[nodiscard]] GateState state_of(const CellComparison& cell, double loss) {
    if (cell.verdict == experiment::Verdict::invalid) {
        return GateState::invalid;
    }
    if (!cell.interval || !cell.refusal.empty()) {
        return GateState::undecided;
    }
    if (cell.interval->high < -loss) {
        return GateState::closed;
    }
    return cell.interval->low > -loss ? GateState::open : GateState::undecided;
}

[[nodiscard]] const char* words_of(GateState state) {
    switch (state) {
    case GateState::open:
        return "no such loss";
    case GateState::undecided:
        return "cannot be told";
    case GateState::closed:
        return "FAILED";
    default:
        return "INVALID";
    }
}

[[nodiscard]] std::string line_of(const CellComparison& cell, GateState state) {
    const std::string point = detail::point_text(cell.point);
    std::string text = fmt::format(
        "  {}: {}{}{} {}",
        words_of(state),
        cell.arm,
        point.empty() ? "" : " at ",
        point,
        gain(cell.gain_ratio)
    );
    if (cell.interval) {
        text += fmt::format(" [{}]", gain_range(cell.interval->low, cell.interval->high));
    }
    return text + (cell.refusal.empty() ? "" : ": " + cell.refusal) + "\n";
}

}  // namespace

Result<Gate> parse_gate(std::string_view text) {
    Gate gate;
    std::string_view rest = text;
    constexpr std::string_view word = "loss:";
    if (!rest.starts_with(word)) {
        const std::size_t colon = rest.find(':');
        gate.metric = rest.substr(0, colon);
        if (colon == std::string_view::npos || trial::find_metric(gate.metric) == nullptr) {
            return bad_gate(text, fmt::format("no metric '{}'", gate.metric));
        }
        rest.remove_prefix(colon + 1);
    }
    if (!rest.starts_with(word)) {
        return bad_gate(text, "only a loss can fail");
    }
    rest.remove_prefix(word.size());
    const char* const end = rest.data() + rest.size();
    double percent = 0;
    const auto [stop, code] = std::from_chars(rest.data(), end, percent);
    const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
    const bool is_percent = unit == "%" || unit == " %";
    if (code != std::errc{} || !is_percent || !(percent >= 0 && percent < 100)) {
        return bad_gate(text, "the loss is a percentage from 0 % to below 100 %");
    }
    gate.loss_ratio = percent / 100;
    return gate;
}

Result<GateResult> judge(const SavedComparison& comparison, const Gate& gate) {
    const std::string metric = gate.metric.empty() && !comparison.cells.empty()
                                   ? comparison.cells.front().metric
                                   : gate.metric;
    GateResult result{GateState::open, {}};
    std::string lines;
    for (const CellComparison& cell : comparison.cells) {
        if (cell.metric == metric && !cell.placebo) {
            const GateState state = state_of(cell, gate.loss_ratio);
            result.state = std::max(result.state, state);
            lines += line_of(cell, state);
        }
    }
    if (lines.empty()) {
        return fail(
            ErrorKind::usage,
            fmt::format("{} is not among the metrics of these results", metric),
            "--fail-on"
        );
    }
    result.text = fmt::format(
        "{}: is B worse than A by more than {}? {}\n{}",
        metric,
        percent(gate.loss_ratio),
        words_of(result.state),
        lines
    );
    return result;
}

}  // namespace gensink::report
