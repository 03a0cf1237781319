// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/archive.hpp"
#include "report/detail/names.hpp"
#include "report/saved.hpp"

/// JSON fields of `run` and `plan`.
namespace gensink::report::detail {

/// An empty text means unknown, and unknown is null.
template <class Archive>
void text_or_null(Archive& archive, const char* key, auto& text) {
    archive.known_if(!text.empty(), key, text);
}

template <class Archive>
void fields(Archive& archive, Of<HostFacts> auto& host) {
    text_or_null(archive, "hostname", host.hostname);
    text_or_null(archive, "cpu_model", host.cpu_model);
    text_or_null(archive, "microcode", host.microcode);
    archive("cpus", host.cpus);
    archive("sockets", host.sockets);
    archive("smt", host.smt);
    archive("invariant_tsc", host.invariant_tsc);
    archive("turbo", host.turbo);
    text_or_null(archive, "governor", host.governor);
    text_or_null(archive, "kernel", host.kernel);
    text_or_null(archive, "kernel_options", host.kernel_options);
    text_or_null(archive, "mitigations", host.mitigations);
    text_or_null(archive, "hugepages", host.hugepages);
    text_or_null(archive, "topology", host.topology);
    text_or_null(archive, "virtualization", host.virtualization);
    archive("nics", host.nics);
}

template <class Archive>
void fields(Archive& archive, Of<plan::CorePlan> auto& core) {
    archive("lcore", core.lcore);
    archive("cpu", core.cpu);
    archive("queues", core.queues);
}

template <class Archive>
void fields(Archive& archive, Of<EndSummary> auto& end) {
    archive("device", end.device);
    archive.added_if(!end.device_written.empty(), "device_written", end.device_written);
    archive("netns", end.netns);
    archive("driver", end.driver);
    archive("doorbell", end.doorbell);
    archive("queues", end.queues);
    archive("descriptors", end.descriptors);
    archive("burst", end.burst);
    archive("cores", end.cores);
}

template <class Archive>
void fields(Archive& archive, Of<flow::Load> auto& load) {
    archive.named("unit", load.unit, load_unit_names);
    archive.known_if(load.unit != flow::LoadUnit::max, "value", load.value);
}

template <class Archive>
void fields(Archive& archive, Of<CellSummary> auto& cell) {
    archive("arm", cell.arm);
    archive("point", cell.point);
    archive("placebo", cell.placebo);
    archive.named("wire", cell.wire, wire_names);
    archive("lossless", cell.lossless);
    archive("gen", cell.gen);
    archive("sink", cell.sink);
    archive("frame_bytes", cell.frame_bytes);
    archive("payload_bytes", cell.payload_bytes);
    archive.known_if(cell.block_bytes != 0, "block_bytes", cell.block_bytes);
    archive("flows", cell.flows);
    archive("load", cell.load);
    archive("intended_fps", cell.intended_fps);
    archive.named("fill", cell.fill, fill_names);
    archive("warmup_ns", cell.warmup);
    archive("measure_ns", cell.measure);
    archive("line_bps_l1", cell.line_bps);
    archive("fault_planted", cell.fault);
    archive("warnings", cell.warnings);
}

template <class Archive>
void run_fields(Archive& archive, Of<Saved> auto& saved) {
    auto& run = saved.run;
    archive("id", run.id);
    text_or_null(archive, "started", run.started);
    text_or_null(archive, "finished", run.finished);
    archive("versions", run.versions);
    archive("command_line", run.command_line);
    archive.object("profile", [&](auto& inner) {
        inner("name", saved.plan.name);
        inner("summary", saved.plan.summary);
        inner("digest_xxh3_64", saved.plan.profile_digest);
        inner("overrides", saved.plan.overrides);
        inner("text", saved.plan.profile_text);
    });
    archive("seed", saved.plan.seed);
    archive("quick", saved.plan.quick);
    archive("shared_cores", saved.plan.shared_cores);
    archive("tsc_hz", saved.tsc_hz);
    archive("host", run.host);
}

template <class Archive>
void fields(Archive& archive, Of<plan::Outliers> auto& outliers) {
    archive.named("rule", outliers.rule, outlier_names);
    archive("trim", outliers.trim);
}

template <class Archive>
void plan_fields(Archive& archive, Of<PlanSummary> auto& plan) {
    archive("arms", plan.arms);
    archive("metrics", plan.metrics);
    archive("baseline", plan.baseline);
    archive("margin_ratio", plan.margin_ratio);
    archive("confidence_ratio", plan.confidence);
    archive("rounds", plan.rounds);
    archive.named("rule", plan.rule, rule_names);
    archive.added("outliers", plan.outliers);
    text_or_null(archive, "fit_reference", plan.fit_reference);
    archive("search_loss_ratio", plan.search_loss_ratio);
    archive("cells", plan.cells);
    archive("warnings", plan.warnings);
}

}  // namespace gensink::report::detail
