// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"
#include "plan/detail/describe.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gensink::plan {

namespace {

std::string list(const std::vector<QueueId>& queues) {
    std::string text;
    for (const QueueId queue : queues) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", queue.value);
    }
    return text;
}

std::string socket_of(const Topology& topology, CpuId id) {
    for (const Cpu& cpu : topology.cpus) {
        if (cpu.id == id) {
            return fmt::format("socket {}", cpu.socket.value);
        }
    }
    return "socket unknown";
}

std::string describe_cores(const TrialPlan& trial, const EndPlan& end, const Topology& topology) {
    const bool gen = &end == &trial.gen;
    std::string text;
    for (const CorePlan& core : end.cores) {
        text += fmt::format(
            "    lcore {} on CPU {} ({}): queue{} {}",
            core.lcore.value,
            core.cpu.value,
            socket_of(topology, core.cpu),
            core.queues.size() == 1 ? "" : "s",
            list(core.queues)
        );
        if (gen && trial.intended_fps) {
            text += fmt::format(
                ", {} each ({:.4g} %)",
                describe_fps(*trial.intended_fps / end.queues),
                100.0 / end.queues
            );
        } else if (gen) {
            text += ", as fast as it can";
        }
        text += '\n';
    }
    return text;
}

std::string describe_sockets(const KernelPlan& kernel, const EndPlan& end, bool gen) {
    const auto& buffer = gen ? kernel.send_buffer : kernel.receive_buffer;
    const bool tcp = kernel.protocol == Protocol::tcp;
    const std::string calls = !tcp  ? fmt::format("{} datagrams a call", end.burst)
                              : gen ? std::string("a block a call")
                                    : fmt::format("{} B a call", kernel.read_bytes);
    return fmt::format(
        "    {} stream{}, {}, {} {}\n",
        end.queues,
        end.queues == 1 ? "" : "s",
        calls,
        gen ? "SO_SNDBUF" : "SO_RCVBUF",
        buffer ? fmt::format("{} B", *buffer) : std::string("as the kernel has it")
    );
}

std::string describe_end(const TrialPlan& trial, const EndPlan& end, const Topology& topology) {
    const bool gen = &end == &trial.gen;
    const DeviceLimits& limits = end.driver.limits;
    std::string text = fmt::format(
        "  {} {} (drivers-config: {}){}\n",
        gen ? "generator" : "sink     ",
        trial.kernel         ? end.device_written
        : end.device.empty() ? "the cable's port"
                             : end.device,
        end.driver.name,
        end.netns.empty() ? "" : fmt::format(", namespace {}", end.netns)
    );
    if (trial.kernel) {
        return text + describe_sockets(*trial.kernel, end, gen) +
               describe_cores(trial, end, topology);
    }
    text += fmt::format(
        "    {} queue{}, burst {}, ring {}, pool {} frames a {}; limits {}: {} queues, {}..{} "
        "descriptors, frames to {} B\n",
        end.queues,
        end.queues == 1 ? "" : "s",
        end.burst,
        end.descriptors,
        end.pool_frames,
        gen ? "stream" : "queue",
        limits.probed ? "probed" : "assumed",
        limits.max_queues,
        limits.min_descriptors,
        limits.max_descriptors,
        limits.max_frame_bytes
    );
    return text + describe_cores(trial, end, topology);
}

/// Sizes of a cycle that repeat are written once: 7124 frames of a 10 MiB block are three lines.
std::string describe_cycle(const FrameRecipe& frames) {
    std::string text;
    const std::vector<std::uint16_t>& sizes = frames.payload_bytes;
    for (auto first = sizes.begin(); first != sizes.end();) {
        const auto last =
            std::find_if(first, sizes.end(), [&](std::uint16_t size) { return size != *first; });
        const auto count = sizes.size() == 1 ? std::max(frames.frames_per_block, 1U)
                                             : static_cast<std::uint32_t>(last - first);
        text +=
            fmt::format("    {} x {}\n", count, detail::describe_size(*first, frames.header_bytes));
        first = last;
    }
    return text;
}

std::string describe_payload(const PayloadPlan& payload) {
    const char* mode = payload.mode == flow::Payload::copy            ? "copied into each frame"
                       : payload.mode == flow::Payload::copy_checksum ? "copied and summed"
                                                                      : "attached, not copied";
    const std::string source = payload.source == SourceKind::file     ? payload.file
                               : payload.source == SourceKind::random ? "random bytes"
                                                                      : "a pattern";
    const std::string repeats = payload.working_set == 0
                                    ? ""
                                    : fmt::format(", {} B before they repeat", payload.working_set);
    return fmt::format("    payload {}, from {}{}\n", mode, source, repeats);
}

std::string describe_frames(const TrialPlan& trial) {
    const FrameRecipe& frames = trial.frames;
    std::string text;
    if (frames.frames_per_block == 0) {
        text += fmt::format("  frames    blocks of {} B, coalesced\n", frames.block_bytes);
    } else {
        text += fmt::format(
            "  frames    block of {} B in {} frame{}\n",
            frames.block_bytes,
            frames.frames_per_block,
            frames.frames_per_block == 1 ? "" : "s"
        );
    }
    text += trial.transport ? detail::describe_block(trial) : describe_cycle(frames);
    if (trial.payload.from_source()) {
        text += describe_payload(trial.payload);
    }
    if (frames.flows > 1) {
        text += fmt::format("    {} flows a queue\n", frames.flows);
    }
    return text;
}

std::string describe_rate(const TrialPlan& trial) {
    std::string text = "  load      ";
    const char* source = trial.model ? "modelled" : "assumed";
    if (trial.intended_fps) {
        text += fmt::format("{} over all queues", describe_fps(*trial.intended_fps));
    } else {
        text += "max";
    }
    if (trial.line_bps) {
        text += fmt::format(
            "; line ({}) {:g} Gbit/s carries {}",
            source,
            *trial.line_bps / 1e9,
            describe_fps(wire::line_fps(*trial.line_bps, trial.mean_frame_bytes()))
        );
    }
    return text + (trial.lossless ? "; the wire loses nothing\n" : "; the wire may lose frames\n");
}

std::string describe_workers(const std::vector<Environment>& environments) {
    std::string text;
    for (const Environment& environment : environments) {
        text += fmt::format(
            "  worker    {}: {} MiB in {}, control on CPU {}{}\n",
            environment.drives_gen && environment.drives_sink ? "both ends"
            : environment.drives_gen                          ? "generator"
                                                              : "sink",
            environment.memory_mib,
            environment.hugepages ? "hugepages" : "4 KiB pages",
            environment.control_cpu.value,
            environment.netns.empty() ? "" : fmt::format(", namespace {}", environment.netns)
        );
    }
    return text;
}

std::string describe_cell(const Cell& cell, const Topology& topology) {
    std::string text = fmt::format("Arm {}", cell.arm);
    for (const auto& [key, value] : cell.point) {
        text += fmt::format(", {} = {}", key, value);
    }
    const TrialPlan& trial = cell.trial;
    text += '\n';
    if (trial.model) {
        text += detail::describe_model(trial);
    } else {
        text += describe_end(trial, trial.gen, topology);
        text += trial.sink ? describe_end(trial, *trial.sink, topology)
                           : "  sink      none: the ledger ends where frames leave the generator\n";
    }
    text += describe_frames(trial) + describe_rate(trial) + detail::describe_transport(trial);
    const PhasesPlan& phases = trial.phases;
    const bool finite = trial.transport && trial.transport->finite();
    text += fmt::format(
        "  phases    settle {}, warm-up {}, measure {}{}, drain until quiet for {}\n",
        describe_duration(phases.settle),
        describe_duration(phases.warmup),
        finite ? "the transfer, at most " : "",
        describe_duration(phases.measure),
        describe_duration(phases.quiet)
    );
    return text + describe_workers(cell.environments);
}

}  // namespace

std::string describe_cells(const Plan& plan, const Topology& topology) {
    std::string text;
    for (const Cell& cell : plan.cells) {
        if (cell.placebo) {
            continue;  // the baseline again
        }
        text += describe_cell(cell, topology) + '\n';
    }
    return text;
}

}  // namespace gensink::plan
