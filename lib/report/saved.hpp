// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/units.hpp"
#include "experiment/experiment.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What a result holds, whether it was just measured or read from a file: every rendering starts
/// from here, so that a saved result prints as it did on the day.
namespace gensink::report {

/// The machine, as far as it is known. Absent (or an empty string) is unknown.
struct HostFacts {
    std::string hostname;
    std::string cpu_model;
    std::string microcode;
    std::optional<unsigned> cpus;     ///< that this process may use
    std::optional<unsigned> sockets;  ///< NUMA nodes
    std::optional<bool> smt;          ///< hardware threads share cores
    std::optional<bool> invariant_tsc;
    std::optional<bool> turbo;
    std::string governor;
    std::string kernel;             ///< release, e.g. "6.1.0-18-amd64"
    std::string kernel_options;     ///< those that matter: isolcpus, nohz_full, mitigations, ...
    std::string mitigations;        ///< "name: state" of each that the CPU needs
    std::string hugepages;          ///< e.g. "node 0: 512 of 1024 x 2 MiB free"
    std::string topology;           ///< e.g. "1 socket, 2 cores, 4 threads; isolated: 2-3"
    std::string virtualization;     ///< hypervisor, where there is one
    std::vector<std::string> nics;  ///< one line a port: PCI address, driver, firmware, link width
};

/// What only the command knows.
struct RunInfo {
    std::string id;
    std::string started;  ///< ISO 8601, UTC: "2026-11-30T13:25:37Z"
    std::string finished;
    std::vector<std::pair<std::string, std::string>> versions;  ///< {"gensink", "0.1.0"}, ...
    std::vector<std::string> command_line;
    HostFacts host;
};

/// One end of a cell, without what only its worker needs.
struct EndSummary {
    std::string device;          ///< with all its arguments; empty on the cable
    std::string device_written;  ///< as the profile names it; empty in old results
    std::string netns;
    std::string driver;  ///< drivers-config entry
    std::string doorbell;
    std::uint16_t queues = 0;
    std::uint16_t descriptors = 0;
    std::uint16_t burst = 0;
    std::vector<plan::CorePlan> cores;

    /// What a person calls the device.
    [[nodiscard]] const std::string& name() const {
        return device_written.empty() ? device : device_written;
    }
};

struct CellSummary {
    std::string arm;
    std::vector<std::pair<std::string, std::string>> point;
    bool placebo = false;
    plan::WireKind wire = plan::WireKind::cable;
    bool lossless = false;
    EndSummary gen;
    std::optional<EndSummary> sink;  ///< absent: `sink: none`
    double frame_bytes = 0;          ///< mean over the cycle, with FCS
    double payload_bytes = 0;
    std::uint32_t block_bytes = 0;
    std::uint16_t flows = 0;
    flow::Load load;  ///< as written
    std::optional<double> intended_fps;
    flow::Fill fill = flow::Fill::full;
    Duration warmup{0};
    Duration measure{0};
    std::optional<double> line_bps;  ///< layer 1
    bool fault = false;              ///< faults were planted on purpose
    std::vector<std::string> warnings;
};

struct PlanSummary {
    std::string name;
    std::string summary;
    std::string profile_text;
    std::string profile_digest;
    std::vector<std::string> overrides;
    std::uint64_t seed = 0;
    bool quick = false;
    bool shared_cores = false;
    std::vector<std::string> arms;
    std::vector<std::string> metrics;     ///< the first decides
    std::optional<std::string> baseline;  ///< absent: nothing is compared
    std::optional<double> margin_ratio;
    double confidence = 0;
    unsigned rounds = 0;
    plan::Rule rule = plan::Rule::paired;
    plan::Outliers outliers;                  ///< among the trials of a cell
    std::string fit_reference;                ///< an arm, or empty
    std::optional<double> search_loss_ratio;  ///< 0: NDR; absent: no search
    std::vector<CellSummary> cells;           ///< same order as in the plan
    std::vector<std::string> warnings;
};

struct Saved {
    RunInfo run;
    PlanSummary plan;
    experiment::ExperimentResult result;
    std::optional<std::uint64_t> tsc_hz;
};

/// Puts a finished (or interrupted) experiment into the form that all renderings take.
[[nodiscard]] Saved
collect(RunInfo run, const plan::Plan& plan, experiment::ExperimentResult result);

}  // namespace gensink::report
