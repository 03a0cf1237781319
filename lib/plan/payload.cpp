// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/payload.hpp"

#include "plan/detail/recipe.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::plan::detail {

namespace {

using flow::Payload;

constexpr std::uint64_t warm_bytes = 64ULL << 10;
constexpr std::uint64_t cold_bytes = 256ULL << 20;
/// Less may stay in a last-level cache.
constexpr std::uint64_t least_cold_bytes = 64ULL << 20;

Payload mode_of(const profile::Settings& settings) {
    const std::string& text = settings.get<std::string>("tx.payload");
    return text == "copy"            ? Payload::copy
           : text == "copy_checksum" ? Payload::copy_checksum
           : text == "zero_copy"     ? Payload::zero_copy
                                     : Payload::in_template;
}

SourceKind kind_of(const profile::Settings& settings) {
    const std::string& text = settings.get<std::string>("source.kind");
    return text == "random" ? SourceKind::random
           : text == "file" ? SourceKind::file
                            : SourceKind::pattern;
}

void plan_file(PayloadPlan& payload, const profile::Settings& settings, Problems& problems) {
    const auto file = settings.find<std::string>("source.file");
    if (payload.source == SourceKind::file) {
        payload.file = file.value_or("");
        if (!file) {
            problems.add(
                settings.where("source.kind"), "source.kind: file needs source.file, the file"
            );
        }
    } else if (file) {
        problems.add(
            settings.where("source.file"), "source.file is read where source.kind is `file`"
        );
    }
}

void plan_working_set(TrialPlan& trial, const profile::Settings& settings, Problems& problems) {
    PayloadPlan& payload = trial.payload;
    const bool file = payload.source == SourceKind::file;
    const bool cold = settings.get<std::string>("source.cache") == "cold";
    const std::uint64_t largest =
        trial.is_tcp() ? trial.frames.block_bytes : largest_frame(trial.frames);
    const std::uint64_t usual = file ? 0 : cold ? cold_bytes : std::max(warm_bytes, largest);
    const auto asked = settings.find<std::uint64_t>("source.working_set");
    payload.working_set = asked.value_or(usual);
    payload.least_bytes = std::max(asked.value_or(0), cold ? least_cold_bytes : 0);
    if (payload.working_set == 0) {
        return;
    }
    if (payload.working_set < largest) {
        problems.add(
            settings.where("source.working_set"),
            fmt::format(
                "a working set of {} B is shorter than a {} of {} B",
                payload.working_set,
                trial.is_tcp() ? "block" : "frame",
                largest
            )
        );
    }
    if (cold && payload.working_set < least_cold_bytes) {
        problems.add(
            settings.where("source.working_set"),
            fmt::format(
                "source.cache: cold needs {} MiB or more: less may stay in the cache",
                least_cold_bytes >> 20
            )
        );
    }
}

/// What is copied is not summed, unless that is asked for.
void plan_checksum(TrialPlan& trial, const profile::Settings& settings, Problems& problems) {
    const Payload mode = trial.payload.mode;
    const bool summed = mode == Payload::in_template || mode == Payload::copy_checksum;
    const std::string& text = settings.get<std::string>("traffic.udp_checksum");
    const auto refuse = [&](const char* why) {
        problems.add(settings.where("traffic.udp_checksum"), why);
    };
    if (text == "auto" && !summed) {
        trial.frames.udp_checksum = UdpChecksum::zero;
    } else if (text == "incremental" && !summed) {
        refuse("incremental holds for payload that does not change: with tx.payload: copy or "
               "zero_copy choose offload or zero; or choose copy_checksum");
    } else if (mode == Payload::copy_checksum && (text == "offload" || text == "zero")) {
        refuse(
            "tx.payload: copy_checksum writes the checksum itself: leave this out, or choose copy"
        );
    }
}

/// What tx.payload: zero_copy asks of the generator's device.
void check_segments(TrialPlan& trial, const profile::Settings& settings, Problems& problems) {
    const bool pci =
        trial.wire == WireKind::ports && !trial.gen.peer && !trial.gen.device.starts_with("net_");
    trial.payload.device_reads = pci;
    if (pci && trial.payload.source == SourceKind::file) {
        problems.add(
            settings.where("source.kind"),
            "a device that reads memory by itself cannot be given a file's pages: with "
            "tx.payload: zero_copy choose source.kind: pattern or random"
        );
    }
    if (trial.gen.driver.one_segment) {
        problems.add(
            settings.where("tx.payload"),
            fmt::format(
                "zero_copy sends frames of two segments, and {} takes one "
                "(drivers-config/{}.yaml): "
                "choose copy",
                trial.gen.device,
                trial.gen.driver.name
            )
        );
    }
    if (trial.fault.any()) {
        problems.add(
            settings.where("tx.payload"),
            "zero_copy cannot be combined with sink.fault, which edits whole frames: choose copy"
        );
    }
}

}  // namespace

void plan_payload(TrialPlan& trial, const profile::Settings& settings, Problems& problems) {
    if (trial.is_tcp()) {
        trial.payload.source = kind_of(settings);
        plan_file(trial.payload, settings, problems);
        plan_working_set(trial, settings, problems);
        return;
    }
    trial.payload.mode = mode_of(settings);
    if (!trial.payload.from_source()) {
        return;
    }
    if (trial.wire == WireKind::model) {
        problems.add(
            settings.where("tx.payload"),
            "frames of the model have no payload: tx.payload needs a real wire"
        );
        return;
    }
    trial.payload.own_bytes = wire::gensink_header_bytes;
    trial.payload.source = kind_of(settings);
    plan_file(trial.payload, settings, problems);
    plan_working_set(trial, settings, problems);
    plan_checksum(trial, settings, problems);
    if (trial.payload.mode == Payload::zero_copy) {
        check_segments(trial, settings, problems);
    }
}

}  // namespace gensink::plan::detail
