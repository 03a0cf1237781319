// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/units.hpp"
#include "flow/load.hpp"
#include "flow/transport.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A plan is complete: nothing after it chooses.
namespace gensink::plan {

enum class WireKind { cable, ports, model, kernel };
enum class UdpChecksum { incremental, offload, zero };
/// Pause frames of both ports: what a trial asks of them.
enum class FlowControl { leave, on, off };
/// How much of a frame the sink checks: gensink's header, or every byte after Ethernet's.
enum class Verify { header, full };

using MacAddress = std::array<std::uint8_t, 6>;

/// What a stream's frames look like: a cycle of sizes, spread over flows.
struct FrameRecipe {
    /// UDP payload of each frame of the cycle, >= 18. Closed loop: the sizes that occur, each once;
    /// TransportPlan::sender says which frame has which.
    std::vector<std::uint16_t> payload_bytes;
    std::uint16_t header_bytes = 0;      ///< of each UDP payload: a protocol's, not payload
    std::uint32_t frames_per_block = 1;  ///< 0: a frame holds several blocks (coalesce)
    std::uint32_t block_bytes = 0;
    /// Open loop: a power of two, and frame s of a stream belongs to flow s mod flows.
    std::uint16_t flows = 1;
    UdpChecksum udp_checksum = UdpChecksum::incremental;
    std::optional<MacAddress> source_mac;       ///< absent: the port's own
    std::optional<MacAddress> destination_mac;  ///< absent: the sink's, where known, else broadcast
    std::array<std::uint8_t, 4> source_ip{198, 18, 0, 1};  ///< RFC 2544 appendix C.2.2
    std::array<std::uint8_t, 4> destination_ip{198, 18, 0, 2};
    std::uint16_t source_port = 49152;  ///< flow f uses source_port + f
    std::uint16_t destination_port = 5401;
};

enum class SourceKind { pattern, random, file };

/// Where the application's bytes are, and how they come into frames.
struct PayloadPlan {
    flow::Payload mode = flow::Payload::in_template;
    SourceKind source = SourceKind::pattern;
    std::uint64_t working_set = 0;  ///< bytes that are sent before they repeat; 0: the whole file
    std::string file;               ///< where source is file
    std::uint64_t least_bytes = 0;  ///< that the source must have
    bool device_reads = false;      ///< a device reads the source by itself: zero_copy on PCI
    std::uint32_t own_bytes = 0;  ///< of each UDP payload, gensink's header: never from the source

    [[nodiscard]] bool from_source() const { return mode != flow::Payload::in_template; }
};

/// A datapath thread: one pinned loop over some queues of one end.
struct CorePlan {
    LcoreId lcore;
    CpuId cpu;
    std::vector<QueueId> queues;
};

/// Values with their source: "assumed" until a worker has probed the device.
struct DeviceLimits {
    std::uint32_t max_frame_bytes = 1518;
    std::uint16_t max_queues = 1;
    std::uint16_t min_descriptors = 1;
    std::uint16_t max_descriptors = 4096;
    bool probed = false;
};

/// How far a device or kernel counter can be trusted.
enum class Trust { exact, approximate, absent };

/// What a driver class does, from drivers-config.
struct DriverFacts {
    std::string name;  ///< drivers-config entry, e.g. "ring", "null", "af_packet"
    Trust tx_frames = Trust::approximate;
    Trust rx_frames = Trust::approximate;
    Trust rx_missed = Trust::absent;
    Trust tx_errors = Trust::absent;
    std::string doorbell = "unknown";  ///< per_call | chunk N | wakeup | none | unknown
    bool loses_refused = false;        ///< accepts frames that it then drops itself
    Duration settle{0};
    std::optional<std::uint64_t> line_bps;
    DeviceLimits limits;
    bool small_buffers = false;         ///< receive buffers may be as small as the largest frame
    bool power_of_two_buffers = false;  ///< of a receive buffer, so much is used
    bool keeps_buffers = false;         ///< a stopped port keeps its receive buffers: remove it
    std::uint32_t pool_extra = 0;  ///< buffers of each receive queue's pool that the driver keeps
    bool copies_sent = false;      ///< copies each frame that it sends
    bool one_segment = false;      ///< sends no frame of several
    bool system_calls = false;     ///< sends or receives by system call: a long turn may be its own
};

struct EndPlan {
    std::string device;  ///< EAL device: "net_null0", "net_af_packet0,iface=v0", "0000:01:00.0";
                         ///< empty on the cable
    std::string device_written;  ///< the same as the profile names it, without what the plan added
    std::string netns;           ///< network namespace by name, empty: this one
    bool reflects = false;       ///< sends back what arrives, and counts no stream
    bool peer = false;           ///< a gensink elsewhere, met on the link: no device, no cores here
    DriverFacts driver;
    std::uint16_t queues = 1;
    std::uint16_t descriptors = 1024;
    std::uint16_t burst = 32;
    std::uint16_t rs_thresh = 0;          ///< of the transmit queues; 0: as the driver has it
    std::uint16_t free_thresh = 0;        ///< of the transmit queues; 0: as the driver has it
    std::optional<std::uint8_t> pthresh;  ///< of the transmit queues; absent: as the driver has it
    std::optional<std::uint8_t> hthresh;  ///< the same
    std::optional<std::uint8_t> wthresh;  ///< the same
    std::vector<CorePlan> cores;
    std::uint32_t pool_frames = 0;  ///< per stream at the generator, per queue at the sink
};

/// A receive-side fault, made on purpose to prove that it is caught.
struct FaultPlan {
    std::uint32_t drop_every = 0;  ///< every n-th frame; 0: never
    std::uint32_t duplicate_every = 0;
    std::uint32_t reorder_every = 0;  ///< swapped with the frame `reorder_depth` later
    std::uint32_t reorder_depth = 1;
    std::uint32_t corrupt_every = 0;  ///< one bit flipped in the UDP payload
    std::uint32_t foreign_every = 0;  ///< run id replaced, checksums kept right
    std::uint32_t slow_ticks = 0;     ///< extra ticks per frame that moved

    [[nodiscard]] bool any() const {
        return (drop_every | duplicate_every | reorder_every | corrupt_every | foreign_every |
                slow_ticks) != 0;
    }
};

/// How repetitions or trials are left out of a mean.
enum class OutlierRule { none, trim_high, trim_both, mad };

struct Outliers {
    OutlierRule rule = OutlierRule::none;
    unsigned trim = 2;  ///< values that a trim rule leaves out, at each end that it trims
};

/// The closed loop: every flow's sender and the sink's answers. Absent: open loop, no ACKs.
struct TransportPlan {
    flow::SenderSpec sender;
    flow::AckSpec ack;
    std::uint32_t fan_out = 1;  ///< > 1: one writer sends each block to so many flows in turn
    Duration rtt{0};            ///< of the path: modelled, or emulated by ack.path_delay
    Outliers outliers;          ///< among the blocks of a trial that fetches them one by one

    [[nodiscard]] bool finite() const { return sender.blocks.has_value(); }
};

/// Room of the modelled sink's receive ring.
struct RingLimit {
    std::uint64_t value = 0;
    bool frames = false;  ///< else bytes of frames with FCS
};

/// The modelled path, in virtual time.
struct ModelPlan {
    std::uint64_t frame_ticks = 100;  ///< a: cost of each frame at the generator
    std::uint64_t call_ticks = 200;   ///< b: cost of each send call
    Duration rtt{0};  ///< of a full-size frame on the idle path, serialisation included
    std::optional<double> rate_bps;  ///< bottleneck, layer 1; absent: no serialisation
    double loss_ratio = 0;
    double ack_loss_ratio = 0;
    std::optional<RingLimit> sink_ring;
    std::optional<double> sink_fps;  ///< what the sink takes from its ring; absent: at once
    unsigned timeouts = 0;  ///< blocks of a trial whose first frame is lost once, spread evenly
    std::uint64_t seed = 1;
};

enum class Protocol { tcp, udp };
enum class KernelSender { write, sendfile, msg_zerocopy, sendmmsg, gso };

/// Sockets of the kernel in place of ports. Of TCP a frame is a segment of the MTU's size, and the
/// ledger counts bytes; of UDP a frame is a datagram with gensink's header in it.
struct KernelPlan {
    Protocol protocol = Protocol::tcp;
    KernelSender sender = KernelSender::write;
    std::optional<std::uint64_t> send_buffer;     ///< SO_SNDBUF; absent: as the kernel has it
    std::optional<std::uint64_t> receive_buffer;  ///< SO_RCVBUF; likewise
    std::uint32_t read_bytes = 131072;            ///< TCP: asked for in one call
    std::uint16_t mtu = 1500;                     ///< that segments are cut to
    bool no_delay = false;
    bool loopback = false;  ///< both ends over lo
};

/// A veth pair that is made for the run: gen0 in one namespace, sink0 in the other.
struct VethPlan {
    std::string gen_netns;
    std::string sink_netns;
    std::uint32_t mtu = 1500;
    std::array<std::uint8_t, 4> gen_ip{};
    std::array<std::uint8_t, 4> sink_ip{};
};

/// The model's clock: a tick is a nanosecond.
inline constexpr std::uint64_t model_hz = 1'000'000'000;

/// Bounds that decide whether a trial counts.
struct ValidityPlan {
    double run_delay_ratio = 0.02;   ///< of the measure phase, per datapath thread
    Duration turn_limit{5'000'000};  ///< a turn above it was interrupted
    double clock_ratio = 0.01;       ///< change of core Hz over the trial
    double offered_ratio = 0.01;     ///< offered may fall short of intended by this
    double burst_ratio = 0.05;       ///< achieved burst may fall short of tx.burst by this
};

struct PhasesPlan {
    Duration settle{0};
    Duration warmup{200'000'000};
    Duration measure{1'000'000'000};
    Duration quiet{100'000'000};  ///< drained when nothing has come for this long
    Duration drain_cap{5'000'000'000};
};

/// One trial of one cell, as a worker runs it; the load may be replaced per trial.
struct TrialPlan {
    WireKind wire = WireKind::cable;
    FlowControl flow_control = FlowControl::leave;
    bool lossless = true;          ///< the wire cannot lose a frame: a residue is an error
    bool virtual_machine = false;  ///< the cores' clocks are another host's affair
    EndPlan gen;
    std::optional<EndPlan> sink;  ///< absent: `sink: none`
    FrameRecipe frames;
    PayloadPlan payload;
    flow::Load load;                     ///< as written
    std::optional<double> intended_fps;  ///< over all queues; absent: max
    flow::Fill fill = flow::Fill::full;
    Duration flush_after{0};  ///< 0: never send less than a full burst when fill is full
    flow::Behind behind = flow::Behind::catch_up;
    Verify verify = Verify::full;
    FaultPlan fault;
    PhasesPlan phases;
    ValidityPlan validity;
    std::optional<double> line_bps;  ///< assumed or reported link rate, layer 1
    std::optional<TransportPlan> transport;
    /// What the sink elsewhere must know of the profile, as "key=value"; empty where it is here.
    std::vector<std::string> for_peer;
    /// Set exactly where wire is model. Each end then has one core and one queue; device, CPU,
    /// namespace and Cell::environments mean nothing.
    std::optional<ModelPlan> model;
    /// Set exactly where wire is kernel. The ends have cores, queues and namespaces, no device.
    std::optional<KernelPlan> kernel;

    /// A stream of bytes without frames of its own.
    [[nodiscard]] bool is_tcp() const { return kernel && kernel->protocol == Protocol::tcp; }

    [[nodiscard]] double mean_frame_bytes() const;    ///< with FCS, over the cycle
    [[nodiscard]] double mean_payload_bytes() const;  ///< without FrameRecipe::header_bytes
};

/// What a worker process needs before EAL starts. Cells with equal environments share a worker.
struct Environment {
    bool hugepages = false;
    std::uint32_t memory_mib = 0;  ///< EAL heap without hugepages, or hugepage memory to reserve
    CpuId control_cpu;
    std::string netns;
    std::vector<std::string> devices;    ///< PCI addresses and virtual devices to probe
    std::vector<CorePlan> cores;         ///< every datapath thread of the process
    std::vector<std::string> extra_eal;  ///< drivers-config's escape hatch
    bool drives_gen = true;
    bool drives_sink = true;
    bool peer = false;    ///< the other end is a gensink elsewhere, met on the link
    bool kernel = false;  ///< sockets: no EAL
    bool telemetry = false;
    bool pdump = false;       ///< hugepages in files that a second process may map
    std::string file_prefix;  ///< EAL's, for who attaches by it; empty: each process has its own
    friend bool operator==(const Environment&, const Environment&);
};

/// An arm at a point of the sweep.
struct Cell {
    std::string arm;
    std::vector<std::pair<std::string, std::string>> point;  ///< swept key and its value as written
    bool placebo = false;                                    ///< the baseline under another label
    TrialPlan trial;
    std::vector<Environment> environments;  ///< one worker, or generator's then sink's
    std::vector<std::string> warnings;
};

enum class Better { lower, higher };
enum class Rule { paired, netperf };

struct ComparePlan {
    std::string baseline;
    double margin_ratio = 0.02;
    bool placebo = true;
    /// Load of cost trials where traffic.load is max: absent = a sixth of the slowest arm's
    /// maximum.
    std::optional<flow::Load> cost_load;
};

struct StatsPlan {
    double confidence = 0.99;
    unsigned rounds = 10;
    std::uint64_t seed = 1;
    std::optional<double> precision_ratio;  ///< asks for a pilot; half-width wanted
    Rule rule = Rule::paired;
    double netperf_width_ratio = 0.05;  ///< full width, netperf -I level,width
    unsigned repeats = 5;               ///< rounds that may be repeated for external causes
    Outliers outliers;                  ///< among the trials of a cell
};

/// inverse: metric = a + b / key. linear: metric = a + b * key. affine: metric = (key - offset) /
/// rtt.
enum class LawKind { inverse, linear, affine };

/// Of a pilot that sizes the rounds to stats.precision, and what it may size them to.
inline constexpr unsigned pilot_rounds = 5;
inline constexpr unsigned fewest_sized_rounds = 5;
inline constexpr unsigned most_sized_rounds = 100;

struct FitPlan {
    LawKind law = LawKind::inverse;
    std::string metric = "tx.ticks_per_frame";
    std::string key = "tx.burst";
    std::string reference;  ///< an arm whose b is printed beside (the null device)
};

/// The swept key whose knee is looked for.
inline constexpr const char* knee_key = "tx.burst";

struct KneePlan {
    double margin_ratio = 0.05;
    std::string metric = "rx.fps";        ///< tx.fps where an arm has no sink
    std::optional<flow::Load> hold_load;  ///< of the trials whose hold times are told; as cost_load
};

struct SearchPlan {
    double loss_ratio = 0.0;  ///< 0: NDR; else PDR
    double resolution_ratio = 0.01;
    unsigned repeats = 2;  ///< trials per probe, all must pass
};

struct ExpectPlan {
    std::string metric;    ///< empty: the verdict, or the limit alone
    bool of_fits = false;  ///< metric is b of an arm's fit over b of the first arm's
    std::string arm;       ///< empty: every arm
    /// Points that have all of these (swept key, value as Cell::point has it); empty: every point.
    std::vector<std::pair<std::string, std::string>> at;
    std::string limit;    ///< name of the limit, empty: not asked
    std::string verdict;  ///< gain | loss | no_difference | inconclusive
    std::optional<double> equals;
    std::optional<double> at_least;
    std::optional<double> at_most;
    double within_ratio = 0.0;
};

/// The whole experiment.
struct Plan {
    std::string name;
    std::string summary;
    std::string profile_text;
    std::string profile_digest;          ///< XXH3-64 of text and overrides, 16 hex digits
    std::vector<std::string> overrides;  ///< --set key=value as given
    std::vector<std::string> arms;       ///< in written order, placebo excluded
    std::vector<Cell> cells;             ///< arm-major over points, then the placebo's cells
    std::vector<std::string> metrics;    ///< the first decides
    std::optional<ComparePlan> compare;
    StatsPlan stats;
    std::optional<FitPlan> fit;
    std::optional<KneePlan> knee;
    std::optional<SearchPlan> search;
    std::vector<ExpectPlan> expect;
    std::optional<VethPlan> veth;  ///< where an arm asks for one
    bool quick = false;
    bool shared_cores = false;  ///< fewer cores than datapath threads + 1
    std::vector<std::string> warnings;

    /// Cost is measured at an equal intended load of its own where traffic.load is max.
    [[nodiscard]] bool has_cost_load() const { return compare.has_value() || knee.has_value(); }

    /// As written; absent: found by calibration.
    [[nodiscard]] std::optional<flow::Load> cost_load() const {
        return compare && compare->cost_load ? compare->cost_load
               : knee                        ? knee->hold_load
                                             : std::nullopt;
    }

    [[nodiscard]] unsigned trials() const;    ///< without calibration and repeats
    [[nodiscard]] bool has_pilot() const;     ///< stats.precision asks for one, and it can be had
    [[nodiscard]] Duration duration() const;  ///< estimate of the whole run
};

}  // namespace gensink::plan
