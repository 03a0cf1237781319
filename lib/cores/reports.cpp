// SPDX-License-Identifier: BSD-3-Clause
#include "cores/reports.hpp"

namespace gensink::cores {
namespace {

trial::HardwareReport report_of(const host::HardwareCounts& counts) {
    trial::HardwareReport report;
    report.cycles = counts.cycles;
    report.instructions = counts.instructions;
    report.cache_misses = counts.cache_misses;
    report.branch_misses = counts.branch_misses;
    if (counts.cycles || counts.instructions || counts.cache_misses || counts.branch_misses) {
        report.scope = counts.scope == host::PerfScope::user
                           ? trial::HardwareScope::user
                           : trial::HardwareScope::user_and_kernel;
    }
    return report;
}

std::vector<trial::CpuReport> reports_of(const std::optional<host::CpuMeter>& meter) {
    std::vector<trial::CpuReport> reports;
    for (const host::CpuUse& use : meter ? meter->uses() : std::vector<host::CpuUse>{}) {
        trial::CpuReport report;
        report.cpu = use.cpu;
        report.sampled_ns = use.sampled_ns;
        report.user_ns = use.times.user_ns;
        report.system_ns = use.times.system_ns;
        report.irq_ns = use.times.irq_ns;
        report.softirq_ns = use.times.softirq_ns;
        report.steal_ns = use.times.steal_ns;
        report.idle_ns = use.times.idle_ns;
        if (use.over_time) {
            const host::UseOverTime& over = *use.over_time;
            report.use = trial::CpuSlices{over.min_ratio, over.median_ratio, over.max_ratio};
        }
        reports.push_back(report);
    }
    return reports;
}

std::vector<CpuId> cpus_of(const std::vector<plan::CorePlan>& cores, std::size_t threads) {
    std::vector<CpuId> all;
    for (std::size_t i = 0; i < threads; ++i) {
        all.push_back(cores[i].cpu);
    }
    return all;
}

}  // namespace

trial::ThreadFacts facts_of(const host::ThreadUse& use, CpuId cpu) {
    trial::ThreadFacts facts;
    facts.cpu = cpu;
    facts.sampled_ns = use.sampled_ns;
    facts.run_delay_ns = use.run_delay_ns;
    facts.run_delay_to_end_ns = use.run_delay_to_end_ns;
    facts.involuntary_switches = use.involuntary_switches;
    facts.run_ns = use.run_ns;
    facts.user_ns = use.user_ns;
    facts.system_ns = use.system_ns;
    facts.hardware = report_of(use.hardware);
    return facts;
}

void EndsMeter::start(
    const plan::TrialPlan& plan, std::size_t gen_threads, std::size_t sink_threads
) {
    gen_.emplace(cpus_of(plan.gen.cores, gen_threads));
    sink_.emplace(plan.sink ? cpus_of(plan.sink->cores, sink_threads) : std::vector<CpuId>{});
}

void EndsMeter::enter(counters::Phase phase) {
    for (std::optional<host::CpuMeter>* meter : {&gen_, &sink_}) {
        if (*meter && phase == counters::Phase::measure) {
            (*meter)->mark();
        } else if (*meter && phase == counters::Phase::drain) {
            (*meter)->cut();
        }
    }
}

void EndsMeter::look() {
    for (std::optional<host::CpuMeter>* meter : {&gen_, &sink_}) {
        if (*meter) {
            (*meter)->look();
        }
    }
}

std::vector<trial::CpuReport> EndsMeter::gen() const {
    return reports_of(gen_);
}

std::vector<trial::CpuReport> EndsMeter::sink() const {
    return reports_of(sink_);
}

}  // namespace gensink::cores
