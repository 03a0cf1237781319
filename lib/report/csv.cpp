// SPDX-License-Identifier: BSD-3-Clause
#include "report/csv.hpp"

#include "report/detail/names.hpp"
#include "report/detail/selection.hpp"
#include "trial/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gensink::report {

namespace {

/// Collects one line; `known` false leaves a field empty.
class Line {
  public:
    void text(std::string_view value) {
        separate();
        if (value.find_first_of("\",\r\n") == std::string_view::npos) {
            line_ += value;
            return;
        }
        line_ += '"';
        for (const char c : value) {
            line_.append(c == '"' ? 2 : 1, c);
        }
        line_ += '"';
    }

    void flag(bool value) { text(value ? "true" : "false"); }

    void integer(std::integral auto value, bool known = true) {
        text(known ? fmt::format("{}", value) : std::string());
    }

    void real(std::optional<double> value) {
        const bool known = value.has_value() && std::isfinite(*value);
        text(known ? fmt::format("{}", *value) : std::string());
    }

    [[nodiscard]] std::string take() && { return std::move(line_) + "\r\n"; }

  private:
    void separate() {
        if (!first_) {
            line_ += ',';
        }
        first_ = false;
    }

    std::string line_;
    bool first_ = true;
};

struct TransportColumn {
    const char* name;
    std::uint64_t counters::TransportCounts::*count;
};

constexpr TransportColumn transport_columns[]{
    {"frames_acked", &counters::TransportCounts::frames_acked},
    {"payload_acked", &counters::TransportCounts::payload_acked},
    {"blocks_acked", &counters::TransportCounts::blocks_acked},
    {"acks_received", &counters::TransportCounts::acks_received},
    {"retransmitted", &counters::TransportCounts::retransmitted},
    {"timeouts", &counters::TransportCounts::timeouts},
    {"given_up", &counters::TransportCounts::given_up},
};

struct CpuColumn {
    const char* name;
    std::uint64_t trial::CpuReport::*time;
};

constexpr CpuColumn cpu_columns[]{
    {"user", &trial::CpuReport::user_ns},
    {"system", &trial::CpuReport::system_ns},
    {"irq", &trial::CpuReport::irq_ns},
    {"softirq", &trial::CpuReport::softirq_ns},
    {"steal", &trial::CpuReport::steal_ns},
    {"idle", &trial::CpuReport::idle_ns},
};

[[nodiscard]] std::string header(const std::vector<std::string>& keys) {
    Line line;
    for (const char* name : {"run_id", "profile", "arm", "placebo"}) {
        line.text(name);
    }
    for (const std::string& key : keys) {
        line.text(key);
    }
    for (const char* name :
         {"round",      "attempt",       "load_kind",   "complete",        "valid",
          "reasons",    "intended_fps",  "frame_bytes", "measure_seconds", "sink_measure_seconds",
          "built",      "accepted",      "refused",     "in_order",        "late",
          "corrupt",    "stale",         "lost",        "duplicate",       "foreign",
          "background", "unknown_place", "residue"}) {
        line.text(name);
    }
    for (const char* cause : detail::tx_cause_names) {
        line.text(fmt::format("tx_{}_ticks", cause));
    }
    for (const char* cause : detail::sink_cause_names) {
        line.text(fmt::format("rx_{}_ticks", cause));
    }
    for (const trial::Metric& metric : trial::metrics()) {
        line.text(metric.name);
    }
    for (const TransportColumn& column : transport_columns) {
        line.text(column.name);
    }
    line.text("acks_sent");
    for (const char* cause : detail::flow_cause_names) {
        line.text(fmt::format("flow_{}_ticks", cause));
    }
    for (const char* end : {"gen", "sink"}) {
        for (const CpuColumn& column : cpu_columns) {
            line.text(fmt::format("{}_cpus_{}_ns", end, column.name));
        }
    }
    return std::move(line).take();
}

void add_ledger(const trial::TrialResult& trial, Line& line) {
    const trial::Ledger& ledger = trial.ledger;
    const bool sent = !trial.counts.gen.empty();
    const bool seen = ledger.has_sink;
    line.integer(ledger.built, sent);
    line.integer(ledger.accepted, sent);
    line.integer(ledger.refused, sent);
    line.integer(ledger.in_order, seen);
    line.integer(ledger.late, seen);
    line.integer(ledger.corrupt, seen);
    line.integer(ledger.stale, seen);
    line.integer(ledger.lost, seen);
    line.integer(ledger.duplicate, seen);
    line.integer(ledger.foreign, seen);
    line.integer(ledger.background, seen);
    line.integer(ledger.unknown_place, seen);
    line.integer(ledger.residue, sent || seen);
}

template <class Core>
void add_causes(const std::vector<Core>& cores, std::size_t causes, Line& line) {
    for (std::size_t cause = 0; cause < causes; ++cause) {
        std::uint64_t ticks = 0;
        for (const Core& core : cores) {
            ticks += core.measured.cause_ticks.at(cause);
        }
        line.integer(ticks, !cores.empty());
    }
}

/// Empty in an open loop, whose generator hears nothing back.
void add_transport(const trial::Snapshot& counts, Line& line) {
    const bool closed = counts.transport.has_value();
    for (const TransportColumn& column : transport_columns) {
        std::uint64_t sum = 0;
        for (const auto& core : counts.gen) {
            sum += core.measured.transport.*column.count;
        }
        line.integer(sum, closed);
    }
    std::uint64_t acks = 0;
    for (const auto& core : counts.sink) {
        acks += core.measured.acks_sent;
    }
    line.integer(acks, closed && !counts.sink.empty());
    for (std::size_t cause = 0; cause < counters::flow_causes; ++cause) {
        std::uint64_t ticks = 0;
        for (const auto& core : counts.gen) {
            ticks += core.measured.transport.flow_ticks.at(cause);
        }
        line.integer(ticks, closed);
    }
}

/// Sums over an end's CPUs; empty where the kernel told nothing.
void add_cpus(const std::vector<trial::CpuReport>& cpus, Line& line) {
    for (const CpuColumn& column : cpu_columns) {
        std::uint64_t sum = 0;
        for (const trial::CpuReport& cpu : cpus) {
            sum += cpu.*column.time;
        }
        line.integer(sum, !cpus.empty());
    }
}

[[nodiscard]] std::string reason_codes(const trial::TrialResult& trial) {
    std::string codes;
    for (const trial::Reason& reason : trial.reasons) {
        codes.append(codes.empty() ? "" : ";").append(trial::name(reason.code));
    }
    return codes;
}

[[nodiscard]] std::optional<double> if_positive(double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
}

[[nodiscard]] std::string
row(const Saved& saved, const trial::TrialResult& trial, const std::vector<std::string>& keys) {
    const CellSummary& cell = saved.plan.cells.at(trial.cell);
    Line line;
    line.text(saved.run.id);
    line.text(saved.plan.name);
    line.text(trial.arm);
    line.flag(cell.placebo);
    for (const std::string& key : keys) {
        line.text(detail::value_at(cell.point, key));
    }
    line.integer(trial.round);
    line.integer(trial.attempt);
    line.text(detail::load_kind_names.at(static_cast<std::size_t>(trial.load_kind)));
    line.flag(trial.complete);
    line.flag(trial.valid());
    line.text(reason_codes(trial));
    line.real(trial.intended_fps);
    line.real(cell.frame_bytes);
    line.real(if_positive(trial.measure_seconds));
    line.real(if_positive(trial.sink_measure_seconds));
    add_ledger(trial, line);
    add_causes(trial.counts.gen, counters::tx_causes, line);
    add_causes(trial.counts.sink, counters::sink_causes, line);
    for (const trial::Metric& metric : trial::metrics()) {
        line.real(metric.value(trial));
    }
    add_transport(trial.counts, line);
    add_cpus(trial.counts.gen_cpus, line);
    add_cpus(trial.counts.sink_cpus, line);
    return std::move(line).take();
}

}  // namespace

std::string csv(const Saved& saved) {
    const std::vector<std::string> keys = detail::swept_keys(saved);
    std::string text = header(keys);
    for (const trial::TrialResult& trial : saved.result.trials) {
        if (trial.cell < saved.plan.cells.size()) {
            text += row(saved, trial, keys);
        }
    }
    return text;
}

}  // namespace gensink::report
