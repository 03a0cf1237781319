// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/cell.hpp"
#include "plan/detail/device.hpp"
#include "plan/detail/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::plan::detail {

namespace {

constexpr std::uint64_t mebibyte = 1ULL << 20;

std::uint32_t to_mib(std::uint64_t bytes) {
    // Hugepages of 2 MiB are the smallest unit that either kind of memory is made of.
    return static_cast<std::uint32_t>((bytes + 2 * mebibyte - 1) / (2 * mebibyte) * 2);
}

void add_cores(Environment& environment, const std::vector<CorePlan>& cores) {
    environment.cores.insert(environment.cores.end(), cores.begin(), cores.end());
}

void add_device(
    Environment& environment, const EndPlan& end, std::span<const profile::DriverConfig> drivers
) {
    if (!end.device.empty() &&
        std::ranges::find(environment.devices, end.device) == environment.devices.end()) {
        environment.devices.push_back(end.device);
    }
    for (const profile::DriverConfig& config : drivers) {
        if (config.driver == end.driver.name) {
            for (const std::string& argument : config.eal) {
                if (std::ranges::find(environment.extra_eal, argument) ==
                    environment.extra_eal.end()) {
                    environment.extra_eal.push_back(argument);
                }
            }
        }
    }
}

/// Equal but for the memory: such cells share a worker, which must have enough for each.
bool same_worker(Environment left, const Environment& right) {
    left.memory_mib = right.memory_mib;
    return left == right;
}

std::uint64_t free_hugepage_bytes(const Topology& topology) {
    std::uint64_t bytes = 0;
    for (const HugepageSize& size : topology.hugepages) {
        bytes += size.page_bytes * size.free;
    }
    return bytes;
}

/// Gives cells that share a worker what the neediest of them needs.
void equalise_memory(std::vector<Cell>& cells) {
    std::vector<Environment*> all;
    for (Cell& cell : cells) {
        for (Environment& environment : cell.environments) {
            all.push_back(&environment);
        }
    }
    for (Environment* environment : all) {
        for (const Environment* other : all) {
            if (same_worker(*environment, *other)) {
                environment->memory_mib = std::max(environment->memory_mib, other->memory_mib);
            }
        }
    }
}

/// Decides between hugepages and 4 KiB pages for a cell's workers.
void choose_pages(
    Cell& cell, const profile::Settings& settings, const Topology& topology, Problems& problems
) {
    const std::uint64_t free_bytes = topology.hugepages_usable ? free_hugepage_bytes(topology) : 0;
    std::uint64_t needed = 0;
    for (const Environment& environment : cell.environments) {
        needed += environment.memory_mib * mebibyte;
    }
    const std::string& wish = settings.get<std::string>("host.hugepages");
    const bool enough = needed <= free_bytes;
    if (wish == "on" && !enough) {
        problems.add(
            settings.where("host.hugepages"),
            fmt::format(
                "needs {} MiB of hugepages, and {} MiB are free and usable: reserve more (`gensink "
                "doctor` has the command), or set host.hugepages: auto",
                needed / mebibyte,
                free_bytes / mebibyte
            )
        );
    }
    for (Environment& environment : cell.environments) {
        environment.hugepages = enough && wish != "off" && !environment.kernel;
    }
}

/// A second process attaches by hugepage files, and to devices that it can open as well.
void check_pdump(
    const Cell& cell,
    const profile::Settings& settings,
    const Topology& topology,
    Problems& problems
) {
    if (!settings.get<bool>("host.pdump")) {
        return;
    }
    if (cell.trial.wire != WireKind::ports) {
        problems.add(
            settings.where("host.pdump"),
            "dpdk-dumpcap attaches to devices, and this wire has none: set wire.kind: ports, or "
            "host.pdump: false"
        );
        return;
    }
    const bool all = std::ranges::all_of(cell.environments, &Environment::hugepages);
    if (!all || !topology.hugetlbfs) {
        problems.add(
            settings.where("host.pdump"),
            fmt::format(
                "needs hugepages that another process can open, and {}: {}",
                all ? "no hugetlbfs is mounted" : "too few are free, or host.hugepages is off",
                all ? "mount -t hugetlbfs none /dev/hugepages"
                    : "`gensink doctor` has the command that reserves more"
            )
        );
    }
}

/// Plain pages are promised beyond what there is: a worker would die when it touches them.
void check_memory(
    Cell& cell, const profile::Settings& settings, const Topology& topology, Problems& problems
) {
    std::uint64_t needed = 0;
    for (const Environment& environment : cell.environments) {
        needed += environment.hugepages ? 0 : environment.memory_mib * mebibyte;
    }
    const bool written = settings.find<std::uint64_t>("host.memory").has_value();
    const char* advice = written ? "lower host.memory, or leave it out"
                                 : "lower tx.pool, tx.ring, sink.ring or the number of queues";
    if (topology.memory_bytes && needed > *topology.memory_bytes) {
        problems.add(
            settings.where(written ? "host.memory" : "tx.pool"),
            fmt::format(
                "the workers need {} MiB, and this machine has {} MiB: {}",
                needed / mebibyte,
                *topology.memory_bytes / mebibyte,
                advice
            )
        );
    } else if (topology.available_memory_bytes && needed > *topology.available_memory_bytes) {
        warn(
            cell.warnings,
            fmt::format(
                "the workers may need {} MiB, and {} MiB are available: the kernel may end the "
                "run; end what else uses memory, or {}",
                needed / mebibyte,
                *topology.available_memory_bytes / mebibyte,
                advice
            )
        );
    }
}

}  // namespace

std::vector<Environment> make_environments(
    const Cell& cell,
    const profile::Settings& settings,
    const Surroundings& surroundings,
    CpuId control,
    bool separate
) {
    const TrialPlan& trial = cell.trial;
    const auto wanted = settings.find<std::uint64_t>("host.memory");
    const bool kernel = trial.wire == WireKind::kernel;
    const auto memory = [&](bool gen, bool sink) {
        return kernel ? 0 : to_mib(wanted.value_or(worker_memory_bytes(trial, gen, sink)));
    };
    Environment one;
    one.control_cpu = control;
    one.kernel = kernel;
    one.telemetry = !kernel && settings.get<bool>("host.telemetry");
    one.pdump = !kernel && settings.get<bool>("host.pdump");
    one.netns = trial.gen.netns;
    add_device(one, trial.gen, surroundings.drivers);
    add_cores(one, trial.gen.cores);
    one.drives_sink = trial.sink.has_value();
    if (!separate) {
        if (trial.sink) {
            add_device(one, *trial.sink, surroundings.drivers);
            add_cores(one, trial.sink->cores);
        }
        one.memory_mib = memory(true, true);
        return {one};
    }
    one.drives_sink = false;
    one.peer = trial.sink->peer;
    one.memory_mib = memory(true, false);
    Environment other;
    other.control_cpu = control;
    other.kernel = kernel;
    other.telemetry = one.telemetry;
    other.pdump = one.pdump;
    other.netns = trial.sink->netns;
    add_device(other, *trial.sink, surroundings.drivers);
    add_cores(other, trial.sink->cores);
    other.drives_gen = false;
    other.peer = trial.gen.peer;
    other.memory_mib = memory(false, true);
    if (one.peer) {
        return {one};
    }
    return other.peer ? std::vector{other} : std::vector{one, other};
}

void settle_memory(
    std::vector<Cell>& cells,
    const profile::Profile& profile,
    const Topology& topology,
    Problems& problems
) {
    equalise_memory(cells);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        choose_pages(cells[i], profile.cells[i].settings, topology, problems);
        check_memory(cells[i], profile.cells[i].settings, topology, problems);
        check_pdump(cells[i], profile.cells[i].settings, topology, problems);
    }
}

void name_prefixes(std::vector<Cell>& cells, std::string_view unique) {
    std::vector<Environment> known;
    for (Cell& cell : cells) {
        for (Environment& environment : cell.environments) {
            if (!environment.telemetry && !environment.pdump) {
                continue;
            }
            const auto found = std::ranges::find(known, environment);
            const auto index = found - known.begin();
            if (found == known.end()) {
                known.push_back(environment);
            }
            environment.file_prefix = fmt::format(
                "gensink-{}{}", unique, index == 0 ? "" : fmt::format("-{}", index + 1)
            );
        }
    }
}

}  // namespace gensink::plan::detail
