// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/kernel.hpp"

#include "plan/detail/direction.hpp"
#include "plan/detail/recipe.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

/// include/linux/udp.h UDP_MAX_SEGMENTS (64 up to Linux 6.8), and what IPv4's length field holds.
constexpr std::uint32_t most_segments = 64;
constexpr std::uint32_t most_gso_bytes = 65507;
constexpr std::uint16_t sink_datagrams = 64;
constexpr std::uint16_t most_queues = 64;
constexpr std::array<std::uint8_t, 4> loopback_ip{127, 0, 0, 1};

/// Keys that say nothing to a socket.
constexpr std::string_view other_wires[] = {
    "wire.gen_driver",
    "wire.sink_driver",
    "wire.flow_control",
    "wire.line_rate",
    "wire.lossless",
    "traffic.source_mac",
    "traffic.destination_mac",
    "tx.ring",
    "tx.rs_thresh",
    "tx.free_thresh",
    "tx.pthresh",
    "tx.hthresh",
    "tx.wthresh",
    "tx.payload",
    "sink.ring",
    "sink.fault.drop_every",
    "sink.fault.duplicate_every",
    "sink.fault.reorder_every",
    "sink.fault.corrupt_every",
    "sink.fault.foreign_every",
    "sink.fault.slow",
};

/// Keys of a closed loop in gensink's own frames.
constexpr std::string_view own_loop[] = {
    "ack.policy",
    "congestion.window",
    "transfer.object_size",
    "transfer.total",
    "path.rtt",
};

void refuse_other_wires(const Settings& settings, Problems& problems) {
    for (const std::string_view path : other_wires) {
        if (!settings.is_default(path)) {
            problems.add(
                settings.where(path),
                fmt::format(
                    "{} says nothing to the kernel's sockets: set it in the arms of other wires, "
                    "or leave it out",
                    path
                )
            );
        }
    }
    for (const std::string_view path : own_loop) {
        if (!settings.is_default(path)) {
            problems.add(
                settings.where(path),
                "the kernel has a closed loop of its own: TCP's; window.limit sets its buffers"
            );
        }
    }
}

struct NamedSender {
    std::string_view name;
    KernelSender sender;
};

constexpr NamedSender senders[] = {
    {"write", KernelSender::write},
    {"sendfile", KernelSender::sendfile},
    {"msg_zerocopy", KernelSender::msg_zerocopy},
    {"sendmmsg", KernelSender::sendmmsg},
    {"gso", KernelSender::gso},
};

KernelSender sender_of(const Settings& settings, bool tcp) {
    const std::string& text = settings.get<std::string>("kernel.sender");
    const auto* const found = std::ranges::find(senders, text, &NamedSender::name);
    return found != std::end(senders) ? found->sender
           : tcp                      ? KernelSender::write
                                      : KernelSender::sendmmsg;
}

void check_sender(const KernelPlan& kernel, const Settings& settings, Problems& problems) {
    const bool tcp = kernel.protocol == Protocol::tcp;
    const bool of_udp =
        kernel.sender == KernelSender::sendmmsg || kernel.sender == KernelSender::gso;
    if (kernel.sender != KernelSender::write && of_udp == tcp) {
        problems.add(
            settings.where("kernel.sender"),
            fmt::format(
                "{} sends {}: choose {}",
                settings.at("kernel.sender").text,
                tcp ? "datagrams, and kernel.protocol is tcp"
                    : "a stream, and kernel.protocol is udp",
                tcp ? "write, sendfile or msg_zerocopy" : "write, sendmmsg or gso"
            )
        );
    }
}

/// What one call hands to the kernel.
void check_datagrams(TrialPlan& trial, const Settings& settings, Problems& problems) {
    const KernelPlan& kernel = *trial.kernel;
    const std::uint32_t bytes = trial.frames.payload_bytes.front();
    if (trial.frames.flows > 1) {
        problems.add(
            settings.where("traffic.flows"),
            "a socket is one flow: with kernel.protocol: udp set tx.queues, which has one each"
        );
    }
    if (kernel.sender == KernelSender::write && trial.gen.burst > 1) {
        problems.add(
            settings.where("tx.burst"),
            "kernel.sender: write sends one datagram a call: set tx.burst: 1, or sendmmsg or gso"
        );
    }
    if (kernel.sender != KernelSender::gso) {
        return;
    }
    if (trial.frames.payload_bytes.size() > 1) {
        problems.add(
            settings.where("kernel.sender"),
            "gso cuts one buffer into equal datagrams: make traffic.block_size a multiple of what "
            "a frame holds, or no larger than one"
        );
    }
    if (trial.gen.burst > most_segments || trial.gen.burst * bytes > most_gso_bytes) {
        problems.add(
            settings.where("tx.burst"),
            fmt::format(
                "gso takes {} datagrams and {} B in one call, and {} of {} B are more: lower it to "
                "{}",
                most_segments,
                most_gso_bytes,
                trial.gen.burst,
                bytes,
                std::min(most_segments, most_gso_bytes / bytes)
            )
        );
    }
}

bool is_peer(const Settings& settings, profile::KeyOf<std::string> key) {
    return settings.find(key) == "peer";
}

/// An end is here, or a gensink elsewhere; there is no device.
void check_places(const Settings& settings, Problems& problems) {
    for (const auto& [path, device] :
         {std::pair{"wire.gen", settings.find<std::string>("wire.gen")},
          std::pair{"wire.sink", settings.find<std::string>("wire.sink")}}) {
        if (device && *device != "peer") {
            problems.add(
                settings.where(path),
                fmt::format(
                    "`{}` is a device, and wire.kind: kernel has sockets: leave it out, or write "
                    "`peer` for a gensink elsewhere",
                    *device
                )
            );
        }
    }
    const bool gen = is_peer(settings, "wire.gen");
    const bool sink = is_peer(settings, "wire.sink");
    if (gen && sink) {
        problems.add(settings.where("wire.sink"), "both ends are a peer: one must be here");
    }
    if ((gen || sink) && is_reverse(settings)) {
        problems.add(
            settings.where("traffic.direction"),
            "reverse exchanges ends that are both here: start `gensink sink` at the other host"
        );
    }
    if (sink && !settings.given("traffic.destination_ip")) {
        problems.add(
            settings.where("traffic.destination_ip"),
            "must be the address of the host where `gensink sink --port kernel` waits"
        );
    }
    if ((gen || sink) && settings.get<std::uint64_t>("traffic.destination_port") < 2) {
        problems.add(
            settings.where("traffic.destination_port"),
            "the two hosts agree on the port below it: set 2 or more"
        );
    }
}

DriverFacts socket_facts(bool tcp) {
    DriverFacts facts;
    facts.name = tcp ? "tcp" : "udp";
    facts.doorbell = "none";
    facts.system_calls = true;
    facts.tx_frames = facts.rx_frames = Trust::absent;
    facts.limits = {wire::max_frame_bytes, most_queues, 1, 1, true};
    return facts;
}

std::uint16_t small(const Settings& settings, profile::KeyOf<std::uint64_t> key) {
    return static_cast<std::uint16_t>(settings.find(key).value_or(0));
}

/// One datagram a call, unless the profile or the sender says otherwise.
std::uint16_t burst_of(const KernelPlan& kernel, const Settings& settings) {
    const bool one = kernel.protocol == Protocol::tcp ||
                     (kernel.sender == KernelSender::write && !settings.given("tx.burst"));
    return one ? 1 : small(settings, "tx.burst");
}

std::uint16_t cores_of(
    const Settings& settings,
    profile::KeyOf<std::uint64_t> key,
    const EndPlan& end,
    Problems& problems
) {
    const std::uint16_t cores = small(settings, key);
    if (cores > end.queues) {
        problems.add(
            settings.where(profile::keys()[key.index].path),
            fmt::format(
                "{} cores for {} queues: a core needs a queue; set tx.queues", cores, end.queues
            )
        );
    }
    return std::min(cores, end.queues);
}

void plan_addresses(TrialPlan& trial, const Settings& settings) {
    KernelPlan& kernel = *trial.kernel;
    const bool peer = trial.gen.peer || trial.sink->peer;
    kernel.loopback = !peer && trial.gen.netns == trial.sink->netns;
    if (trial.gen.peer) {
        trial.frames.destination_ip = {};  // a translator may show the generator another address
    }
    if (trial.sink->peer && !settings.given("traffic.source_ip")) {
        trial.frames.source_ip = {};  // of the interface that the route leads to
    }
    if (!kernel.loopback) {
        return;
    }
    if (!settings.given("traffic.source_ip")) {
        trial.frames.source_ip = loopback_ip;
    }
    if (!settings.given("traffic.destination_ip")) {
        trial.frames.destination_ip = loopback_ip;
    }
}

/// As a person calls them.
void name_ends(TrialPlan& trial, const Settings& settings) {
    const std::string& protocol = settings.get<std::string>("kernel.protocol");
    const std::string_view sender =
        std::ranges::find(senders, trial.kernel->sender, &NamedSender::sender)->name;
    trial.gen.device_written = fmt::format("kernel {} by {}", protocol, sender);
    trial.sink->device_written = fmt::format(
        "kernel {} socket{}", protocol, trial.sink->peer ? " of a gensink elsewhere" : ""
    );
    trial.gen.device = trial.gen.peer ? "peer" : "";
    trial.sink->device = trial.sink->peer ? "peer" : "";
}

}  // namespace

bool is_kernel(const Settings& settings) {
    return settings.get<std::string>("wire.kind") == "kernel";
}

bool is_kernel_tcp(const Settings& settings) {
    return is_kernel(settings) && settings.get<std::string>("kernel.protocol") == "tcp";
}

void plan_kernel(TrialPlan& trial, const Settings& settings, Problems& problems) {
    refuse_other_wires(settings, problems);
    check_places(settings, problems);
    KernelPlan& kernel = trial.kernel.emplace();
    kernel.protocol = is_kernel_tcp(settings) ? Protocol::tcp : Protocol::udp;
    kernel.sender = sender_of(settings, trial.is_tcp());
    const auto window = settings.find<std::uint64_t>("window.limit");
    const auto or_window = [&](profile::KeyOf<std::uint64_t> key) {
        const auto own = settings.find(key);
        return own ? own : window;
    };
    kernel.send_buffer = or_window("kernel.send_buffer");
    kernel.receive_buffer = or_window("kernel.receive_buffer");
    kernel.read_bytes = static_cast<std::uint32_t>(settings.get<std::uint64_t>("sink.read_size"));
    kernel.mtu = static_cast<std::uint16_t>(settings.get<std::uint64_t>("traffic.mtu"));
    kernel.no_delay = settings.get<bool>("kernel.no_delay");
    check_sender(kernel, settings, problems);
}

Placement plan_kernel_ends(
    TrialPlan& trial, const Settings& settings, const Surroundings& surroundings, Problems& problems
) {
    const bool tcp = trial.is_tcp();
    trial.gen.driver = socket_facts(tcp);
    trial.gen.queues = small(settings, "tx.queues");
    trial.gen.burst = burst_of(*trial.kernel, settings);
    trial.gen.peer = is_peer(settings, "wire.gen");
    trial.gen.netns = netns_of(true, settings, surroundings, problems);
    trial.sink.emplace();
    trial.sink->driver = socket_facts(tcp);
    trial.sink->peer = is_peer(settings, "wire.sink");
    trial.sink->queues = trial.gen.queues;  // a socket, or TCP's connections, of each stream
    const std::uint16_t wanted = small(settings, "sink.burst");
    trial.sink->burst = wanted == 0 ? sink_datagrams : wanted;
    trial.sink->netns = netns_of(false, settings, surroundings, problems);
    if (const std::uint16_t queues = small(settings, "sink.queues");
        queues != 0 && queues != trial.gen.queues) {
        problems.add(
            settings.where("sink.queues"),
            "the kernel's sockets are joined one to one: leave it out, and set tx.queues"
        );
    }
    plan_addresses(trial, settings);
    name_ends(trial, settings);
    if (!tcp) {
        check_datagrams(trial, settings, problems);
    }
    const auto wish_of = [&](const EndPlan& end, profile::KeyOf<std::uint64_t> cores) {
        const unsigned own = end.peer ? 0 : cores_of(settings, cores, end, problems);
        return CoreWish{own, end.queues, std::nullopt};
    };
    const CoreWish gen = wish_of(trial.gen, "tx.cores");
    const CoreWish sink = wish_of(*trial.sink, "sink.cores");
    Placement placement = place(settings, surroundings.topology, gen, sink, problems);
    trial.gen.cores = placement.gen;
    trial.sink->cores = placement.sink;
    trial.lossless = tcp;
    return placement;
}

std::string
netns_of(bool gen, const Settings& settings, const Surroundings& surroundings, Problems& problems) {
    const char* const key = gen ? "wire.gen_netns" : "wire.sink_netns";
    const auto written = gen ? settings.find<std::string>("wire.gen_netns")
                             : settings.find<std::string>("wire.sink_netns");
    if (!settings.get<bool>("wire.veth")) {
        return written.value_or("");
    }
    if (written) {
        problems.add(
            settings.where(key), "wire.veth makes the namespaces: leave it out, or wire.veth"
        );
    }
    return surroundings.netns + (gen != is_reverse(settings) ? "gen" : "sink");
}

}  // namespace gensink::plan::detail
