// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/checks.hpp"
#include "trial/detail/cpu_values.hpp"
#include "trial/detail/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace gensink::trial::detail {

namespace {

void append(std::string& text, const std::string& more) {
    text += (text.empty() || more.empty() ? "" : "; ") + more;
}

/// Of a core that never saw the measure phase, if that was for want of CPU time.
template <class Counts>
std::string starvation(const CoreReport<Counts>& core) {
    if (!starved(core)) {
        return {};
    }
    return fmt::format(
        "cpu {} gave its thread no time in the measure phase ({:.1f} ms of waiting in {:.1f} ms)",
        core.thread.cpu.value,
        static_cast<double>(std::min(core.thread.run_delay_to_end_ns, core.thread.sampled_ns)) *
            1e-6,
        static_cast<double>(core.thread.sampled_ns) * 1e-6
    );
}

/// What took a core away from its thread, all cores of an end in one text; empty: nothing.
template <class Counts>
std::string
disturbances(const Cores<Counts>& cores, const Case& trial, const plan::DriverFacts& driver) {
    const plan::ValidityPlan& limits = trial.plan.validity;
    std::string text;
    for (const auto& core : cores) {
        const auto interval = interval_seconds(core, trial.result.counts.tsc_hz);
        if (!interval) {
            append(text, starvation(core));
            continue;
        }
        // The share is of the span that the delay was sampled over.
        const double span = core.thread.sampled_ns > 0
                                ? static_cast<double>(core.thread.sampled_ns) * 1e-9
                                : *interval;
        const double delay = static_cast<double>(core.thread.run_delay_ns) * 1e-9;
        if (delay > limits.run_delay_ratio * span) {
            append(
                text,
                fmt::format(
                    "cpu {} waited {:.1f} ms of {:.0f} ms for its turn ({:.1f} %, limit {:.1f} %; "
                    "{} involuntary switches)",
                    core.thread.cpu.value,
                    delay * 1e3,
                    span * 1e3,
                    100 * delay / span,
                    100 * limits.run_delay_ratio,
                    core.thread.involuntary_switches
                )
            );
        }
        // A driver that enters the kernel may stay there: its long turns are no interruption.
        if (core.measured.long_turns > 0 && !driver.system_calls) {
            const double hz = static_cast<double>(trial.result.counts.tsc_hz);
            append(
                text,
                fmt::format(
                    "cpu {} was interrupted {} times above {:.1f} ms, the longest {:.1f} ms",
                    core.thread.cpu.value,
                    core.measured.long_turns,
                    seconds(limits.turn_limit) * 1e3,
                    static_cast<double>(core.measured.longest_turn_ticks) * 1e3 / hz
                )
            );
        }
    }
    return text;
}

template <class Counts>
std::string clock_changes(const Cores<Counts>& cores, double limit) {
    std::string text;
    for (const auto& core : cores) {
        const auto before = static_cast<double>(core.thread.core_hz_before);
        const auto after = static_cast<double>(core.thread.core_hz_after);
        if (before > 0 && after > 0 && std::abs(after / before - 1) > limit) {
            append(
                text,
                fmt::format(
                    "cpu {} ran at {:.0f} MHz before and {:.0f} MHz after (limit {:.1f} %)",
                    core.thread.cpu.value,
                    before * 1e-6,
                    after * 1e-6,
                    100 * limit
                )
            );
        }
    }
    return text;
}

constexpr const char* free_cores =
    "stop what else runs on these cores, isolate them (isolcpus=, or a cpuset), or use fewer; "
    "`gensink doctor` shows which are shared";

/// Time that others' threads had a CPU over the span, whose two ends may be off by a step each. The
/// kernel's own work, softirqs, is not in it.
std::uint64_t others_ns(const CpuReport& cpu, const Snapshot& counts) {
    std::uint64_t own = 0;
    const auto add = [&](const auto& cores) {
        for (const auto& core : cores) {
            own += core.thread.cpu == cpu.cpu ? core.thread.run_ns.value_or(0) : 0;
        }
    };
    add(counts.gen);
    if (!counts.sink_elsewhere) {
        add(counts.sink);
    }
    const std::uint64_t all = cpu.user_ns + cpu.system_ns;
    return all - std::min(all, own + 2 * account_step_ns);
}

/// A socket's thread waits for the kernel's own part of the work, which is done beside it on the
/// same CPU (ksoftirqd): that belongs to what is measured, and others' threads do not.
void check_others(const Case& trial, const std::vector<CpuReport>& cpus, ReasonCode code) {
    const double limit = trial.plan.validity.run_delay_ratio;
    std::string text;
    for (const CpuReport& cpu : cpus) {
        const auto share = ratio(others_ns(cpu, trial.result.counts), cpu.all_ns());
        if (share && *share > limit) {
            append(
                text,
                fmt::format(
                    "others had cpu {} for {:.1f} % of its time (limit {:.1f} %)",
                    cpu.cpu.value,
                    100 * *share,
                    100 * limit
                )
            );
        }
    }
    if (!text.empty()) {
        trial.external(code, std::move(text), free_cores);
    }
}

void check_threads(const Case& trial) {
    const Snapshot& counts = trial.result.counts;
    if (trial.plan.kernel) {
        check_others(trial, counts.gen_cpus, ReasonCode::disturbed_gen);
        if (!counts.sink_elsewhere) {
            check_others(trial, counts.sink_cpus, ReasonCode::disturbed_sink);
        }
        return;
    }
    if (auto text = disturbances(counts.gen, trial, trial.plan.gen.driver); !text.empty()) {
        trial.external(ReasonCode::disturbed_gen, "generator: " + text, free_cores);
    }
    const plan::EndPlan& sink = trial.plan.sink ? *trial.plan.sink : trial.plan.gen;
    if (auto text = disturbances(counts.sink, trial, sink.driver); !text.empty()) {
        trial.external(ReasonCode::disturbed_sink, "sink: " + text, free_cores);
    }
}

}  // namespace

void check_host(const Case& trial) {
    const Snapshot& counts = trial.result.counts;
    check_threads(trial);
    std::string text = clock_changes(counts.gen, trial.plan.validity.clock_ratio);
    if (std::string more = clock_changes(counts.sink, trial.plan.validity.clock_ratio);
        !more.empty()) {
        append(text, more);
    }
    if (!text.empty()) {
        trial.external(
            ReasonCode::clock_changed,
            text,
            trial.plan.virtual_machine
                ? "a guest cannot fix its clock: have the machine below do so, or measure on one "
                  "without guests; longer trials (run.measure) meet more of the same clock"
                : "fix the clock: `cpupower frequency-set -g performance`, turn turbo off, mind "
                  "the heat"
        );
    }
}

}  // namespace gensink::trial::detail
