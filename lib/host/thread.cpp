// SPDX-License-Identifier: BSD-3-Clause
#include "host/thread.hpp"

#include "host/detail/text.hpp"

#include <string>
#include <unistd.h>

namespace gensink::host {

namespace fs = std::filesystem;

Result<ThreadSample> sample_thread(pid_t tid) {
    return sample_thread(tid, "/");
}

Result<ThreadSample> sample_thread(pid_t tid, const fs::path& root) {
    const fs::path folder = root / "proc/self/task" / std::to_string(tid);
    const auto status = detail::read_text(folder / "status");
    const auto switches = [&](const char* key) {
        const auto text = status ? detail::field(*status, key) : std::nullopt;
        return text ? detail::to_number(*text) : std::nullopt;
    };
    const auto voluntary = switches("voluntary_ctxt_switches");
    const auto involuntary = switches("nonvoluntary_ctxt_switches");
    if (!voluntary || !involuntary) {
        return fail(
            ErrorKind::environment,
            "thread " + std::to_string(tid) + " has ended, or /proc is not readable",
            (folder / "status").string()
        );
    }
    ThreadSample sample;
    sample.voluntary_switches = *voluntary;
    sample.involuntary_switches = *involuntary;
    // Time on a CPU, time waiting for one, time slices (Linux Documentation/scheduler/sched-stats).
    const auto schedstat =
        detail::words(detail::read_text(folder / "schedstat").value_or(std::string{}));
    if (schedstat.size() >= 2) {
        sample.run_ns = detail::to_number(schedstat[0]);
        sample.run_delay_ns = detail::to_number(schedstat[1]);
    }
    return sample;
}

std::optional<Duration> steal(CpuId cpu) {
    return steal(cpu, "/");
}

std::optional<Duration> steal(CpuId cpu, const fs::path& root) {
    constexpr std::size_t steal_column = 8;  // proc(5): user nice system idle iowait irq softirq
    const std::string stat = detail::read_text(root / "proc/stat").value_or("");
    const std::string name = "\ncpu" + std::to_string(cpu.value) + ' ';
    const std::size_t start = stat.find(name);
    if (start == std::string::npos) {
        return std::nullopt;
    }
    const std::string line = stat.substr(start + 1, stat.find('\n', start + 1) - start - 1);
    const std::vector<std::string> columns = detail::words(line);
    const auto ticks =
        columns.size() > steal_column ? detail::to_number(columns[steal_column]) : std::nullopt;
    const long ticks_per_second = sysconf(_SC_CLK_TCK);
    if (!ticks || ticks_per_second <= 0) {
        return std::nullopt;
    }
    const std::uint64_t tick_ns = 1'000'000'000U / static_cast<std::uint64_t>(ticks_per_second);
    return Duration(static_cast<Duration::rep>(*ticks * tick_ns));
}

}  // namespace gensink::host
