// SPDX-License-Identifier: BSD-3-Clause
#include "host/cpu_times.hpp"

#include "host/detail/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gensink::host {

namespace fs = std::filesystem;

namespace {

/// "cpu3 1 2 3 ...": user nice system idle iowait irq softirq steal. Older kernels tell fewer.
std::optional<std::pair<CpuId, CpuTimes>> parse_cpu(std::string_view line, std::uint64_t tick_ns) {
    const std::vector<std::string> columns = detail::words(line);
    constexpr std::size_t least_columns = 5;
    if (columns.size() < least_columns || !columns[0].starts_with("cpu")) {
        return std::nullopt;
    }
    const auto cpu = detail::to_number(std::string_view(columns[0]).substr(3));
    if (!cpu) {
        return std::nullopt;  // the sum over all CPUs
    }
    const auto ns = [&](std::size_t column) {
        const auto ticks =
            column < columns.size() ? detail::to_number(columns[column]) : std::nullopt;
        return ticks.value_or(0) * tick_ns;
    };
    CpuTimes times;
    times.user_ns = ns(1) + ns(2);
    times.system_ns = ns(3);
    times.idle_ns = ns(4) + ns(5);
    times.irq_ns = ns(6);
    times.softirq_ns = ns(7);
    times.steal_ns = ns(8);
    return std::pair(CpuId{static_cast<unsigned>(*cpu)}, times);
}

std::uint64_t less(std::uint64_t from, std::uint64_t what) {
    return from > what ? from - what : 0;
}

}  // namespace

std::map<CpuId, CpuTimes> cpu_times() {
    return cpu_times("/");
}

std::map<CpuId, CpuTimes> cpu_times(const fs::path& root) {
    std::map<CpuId, CpuTimes> all;
    const long ticks_per_second = sysconf(_SC_CLK_TCK);
    if (ticks_per_second <= 0) {
        return all;
    }
    const std::uint64_t tick_ns = 1'000'000'000U / static_cast<std::uint64_t>(ticks_per_second);
    const std::string stat = detail::read_text(root / "proc/stat").value_or("");
    const std::string_view text = stat;
    // The CPUs come first; what follows may be long.
    for (std::size_t start = 0; text.substr(start).starts_with("cpu");) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        if (const auto cpu = parse_cpu(text.substr(start, end - start), tick_ns)) {
            all.insert(*cpu);
        }
        start = std::min(end + 1, text.size());
    }
    return all;
}

CpuTimes between(const CpuTimes& start, const CpuTimes& end) {
    CpuTimes times;
    times.user_ns = less(end.user_ns, start.user_ns);
    times.system_ns = less(end.system_ns, start.system_ns);
    times.irq_ns = less(end.irq_ns, start.irq_ns);
    times.softirq_ns = less(end.softirq_ns, start.softirq_ns);
    times.steal_ns = less(end.steal_ns, start.steal_ns);
    times.idle_ns = less(end.idle_ns, start.idle_ns);
    return times;
}

}  // namespace gensink::host
