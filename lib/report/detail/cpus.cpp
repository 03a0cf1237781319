// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// The section on what the kernel and the cores' own counters say.
namespace gensink::report::detail {

namespace {

using trial::LoadKind;

/// A CPU with datapath threads of one end, over a sample's trials.
struct CpuSum {
    trial::CpuReport times;
    std::vector<double> medians;  ///< of the trials that have slices
    double least = 1;
    double most = 0;
    std::uint64_t threads_sampled_ns = 0;
    std::uint64_t threads_user_ns = 0;
    std::uint64_t threads_system_ns = 0;
    bool threads_split = true;  ///< every thread's time is known by mode
};

using CpuSums = std::map<CpuId, CpuSum>;

void add_times(const trial::CpuReport& report, CpuSum& sum) {
    sum.times.user_ns += report.user_ns;
    sum.times.system_ns += report.system_ns;
    sum.times.irq_ns += report.irq_ns;
    sum.times.softirq_ns += report.softirq_ns;
    sum.times.steal_ns += report.steal_ns;
    sum.times.idle_ns += report.idle_ns;
    if (report.use) {
        sum.medians.push_back(report.use->median_ratio);
        sum.least = std::min(sum.least, report.use->min_ratio);
        sum.most = std::max(sum.most, report.use->max_ratio);
    }
}

/// Threads that share a CPU are one row: their spans are one.
template <class Core>
void add_threads(const std::vector<Core>& cores, CpuSums& sums) {
    std::map<CpuId, std::uint64_t> spans;
    for (const Core& core : cores) {
        const auto found = sums.find(core.thread.cpu);
        if (found == sums.end()) {
            continue;
        }
        CpuSum& sum = found->second;
        sum.threads_split = sum.threads_split && core.thread.user_ns && core.thread.system_ns;
        sum.threads_user_ns += core.thread.user_ns.value_or(0);
        sum.threads_system_ns += core.thread.system_ns.value_or(0);
        std::uint64_t& span = spans[core.thread.cpu];
        span = std::max(span, core.thread.sampled_ns);
    }
    for (const auto& [cpu, span] : spans) {
        sums.at(cpu).threads_sampled_ns += span;
    }
}

[[nodiscard]] CpuSums cpu_sums(const Sample& sample, bool gen) {
    CpuSums sums;
    for (const trial::TrialResult* one : sample.trials) {
        for (const trial::CpuReport& cpu : gen ? one->counts.gen_cpus : one->counts.sink_cpus) {
            add_times(cpu, sums[cpu.cpu]);
        }
        if (gen) {
            add_threads(one->counts.gen, sums);
        } else {
            add_threads(one->counts.sink, sums);
        }
    }
    return sums;
}

[[nodiscard]] CellText share(std::uint64_t part, std::uint64_t whole, bool known = true) {
    return CellText(percent(
        known && whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole))
                           : std::nullopt
    ));
}

void add_slices(CpuSum sum, std::vector<CellText>& row) {
    std::ranges::sort(sum.medians);
    const std::size_t n = sum.medians.size();
    const auto shown = [&](double ratio) {
        row.emplace_back(percent(n > 0 ? std::optional(ratio) : std::nullopt));
    };
    shown(sum.least);
    shown(n == 0 ? 0 : (sum.medians[(n - 1) / 2] + sum.medians[n / 2]) / 2);
    shown(sum.most);
}

[[nodiscard]] std::vector<CellText>
cpu_row(const Page& page, const Sample& sample, const std::string& name, const CpuSum& sum) {
    std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(sample.cell));
    row.emplace_back(name);
    const std::uint64_t all = sum.times.all_ns();
    row.push_back(share(sum.times.user_ns, all));
    row.push_back(share(sum.times.system_ns, all));
    row.push_back(share(sum.times.softirq_ns, all));
    row.push_back(share(sum.times.irq_ns, all));
    row.push_back(share(sum.times.steal_ns, all));
    row.push_back(share(sum.times.idle_ns, all));
    row.push_back(share(sum.threads_user_ns, sum.threads_sampled_ns, sum.threads_split));
    row.push_back(share(sum.threads_system_ns, sum.threads_sampled_ns, sum.threads_split));
    add_slices(sum, row);
    return row;
}

void add_account(Page& page, LoadKind kind) {
    std::vector<std::string> keys = key_titles(page);
    keys.emplace_back("cpu");
    Table table(
        std::move(keys),
        {{"share of its time", {"user", "system", "softirq", "irq", "steal", "idle"}},
         {"gensink's thread", {"user", "system"}},
         {"busy over time", {"min", "median", "max"}}}
    );
    for (const Sample& sample : page.samples) {
        for (const bool gen : {true, false}) {
            for (const auto& [cpu, sum] : sample.kind == kind ? cpu_sums(sample, gen) : CpuSums{}) {
                const std::string name =
                    fmt::format("{} {}", gen ? "generator" : "sink", cpu.value);
                table.add(cpu_row(page, sample, name, sum));
            }
        }
    }
    if (!table.empty()) {
        page.title("Their CPUs by the kernel's account (/proc/stat, in steps of 10 ms)");
        page.table(table);
    }
}

/// Modes in which threads were counted; none where the machine has no counters.
struct CounterScopes {
    bool user = false;
    bool user_and_kernel = false;
    bool sampled = false;  ///< there were threads to count for
};

[[nodiscard]] CounterScopes scopes_of(const Page& page) {
    CounterScopes seen;
    const auto look = [&](const auto& cores) {
        for (const auto& core : cores) {
            const auto& scope = core.thread.hardware.scope;
            seen.sampled = seen.sampled || core.thread.run_ns.has_value();
            seen.user = seen.user || scope == trial::HardwareScope::user;
            seen.user_and_kernel =
                seen.user_and_kernel || scope == trial::HardwareScope::user_and_kernel;
        }
    };
    for (const Sample& sample : page.samples) {
        for (const trial::TrialResult* one : sample.trials) {
            look(one->counts.gen);
            look(one->counts.sink);
        }
    }
    return seen;
}

[[nodiscard]] std::vector<CellText> event_row(const Page& page, const Sample& sample, bool gen) {
    std::vector<CellText> row = key_values(page, page.saved.plan.cells.at(sample.cell));
    row.emplace_back(gen ? "generator" : "sink");
    const auto per_frame = [&](const char* what) {
        return mean(sample, fmt::format("{}.{}_per_frame", gen ? "tx" : "rx", what));
    };
    const auto cycles = per_frame("cycles");
    const auto instructions = per_frame("instructions");
    row.emplace_back(number(cycles));
    row.emplace_back(number(instructions));
    row.emplace_back(number(per_frame("cache_misses")));
    row.emplace_back(number(per_frame("branch_misses")));
    row.emplace_back(number(
        cycles.value_or(0) > 0 && instructions ? std::optional(*instructions / *cycles)
                                               : std::nullopt
    ));
    return row;
}

void add_events(Page& page, LoadKind kind) {
    const CounterScopes scopes = scopes_of(page);
    if (!scopes.user && !scopes.user_and_kernel) {
        if (scopes.sampled) {
            page.line();
            page.paragraph(
                "no hardware counters on this machine: cycles, instructions and misses per frame "
                "are absent"
            );
        }
        return;
    }
    std::vector<std::string> keys = key_titles(page);
    keys.emplace_back("threads");
    Table table(
        std::move(keys),
        {{"a frame", {"cycles", "instructions", "cache misses", "branch misses"}},
         {"", {"instr./cycle"}}}
    );
    for (const Sample& sample : page.samples) {
        if (sample.kind == kind) {
            table.add(event_row(page, sample, true));
            if (page.saved.plan.cells.at(sample.cell).sink) {
                table.add(event_row(page, sample, false));
            }
        }
    }
    page.title(fmt::format(
        "Hardware counters of their threads, all turns{}",
        scopes.user ? "; user mode alone: lower kernel.perf_event_paranoid for the kernel's part"
                    : ""
    ));
    page.table(table);
}

}  // namespace

void add_cpus(Page& page, LoadKind kind) {
    add_account(page, kind);
    add_events(page, kind);
}

}  // namespace gensink::report::detail
