// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/cell.hpp"
#include "plan/detail/kernel.hpp"
#include "plan/detail/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace gensink::plan::detail {

namespace {

using profile::Settings;

bool acks_by(const Settings& settings, std::string_view rule) {
    const auto policy = settings.find<profile::Names>("ack.policy");
    return policy && std::ranges::find(*policy, rule) != policy->end();
}

bool modelled(const Settings& settings) {
    return settings.get<std::string>("wire.kind") == "model";
}

bool windowed(const Settings& settings) {
    return settings.find<std::uint64_t>("window.limit").has_value();
}

bool slow_starts(const Settings& settings) {
    return settings.get<std::string>("congestion.window") == "on";
}

bool delays_acks(const Settings& settings) {
    return acks_by(settings, "delayed");
}

bool on_real_wire(const Settings& settings) {
    return !modelled(settings) && !is_kernel(settings);
}

bool has_source(const Settings& settings) {
    return settings.get<std::string>("tx.payload") != "template" || is_kernel_tcp(settings);
}

bool on_kernel_tcp(const Settings& settings) {
    return is_kernel_tcp(settings);
}

struct Use {
    std::string_view key;
    bool (*used)(const Settings& settings);
    std::string_view only;  ///< where it is used
};

constexpr std::string_view by_window = "with window.limit";
constexpr std::string_view by_slow_start = "with congestion.window: on";
constexpr std::string_view by_timer = "where ack.policy names `delayed`";
constexpr std::string_view on_model = "on the model";
constexpr std::string_view by_payload = "where tx.payload is not `template`, and in TCP arms";
constexpr std::string_view on_ports = "on a real wire of ports";
constexpr std::string_view in_kernel = "with wire.kind: kernel";
constexpr std::string_view in_tcp = "with wire.kind: kernel and kernel.protocol: tcp";

constexpr Use uses[] = {
    {"window.reserve", windowed, by_window},
    {"window.accounting", windowed, by_window},
    {"window.admit", windowed, by_window},
    {"window.wake", windowed, by_window},
    {"window.truesize",
     [](const Settings& settings) {
         return windowed(settings) && settings.get<std::string>("window.accounting") == "truesize";
     },
     "with window.accounting: truesize"},
    {"ack.every",
     [](const Settings& settings) { return acks_by(settings, "every_n"); },
     "where ack.policy names `every_n`"},
    {"ack.bytes",
     [](const Settings& settings) { return acks_by(settings, "bytes_over"); },
     "where ack.policy names `bytes_over`"},
    {"ack.delay", delays_acks, by_timer},
    {"ack.delay_max", delays_acks, by_timer},
    {"congestion.initial", slow_starts, by_slow_start},
    {"congestion.growth", slow_starts, by_slow_start},
    {"congestion.ssthresh", slow_starts, by_slow_start},
    {"recovery.policy", closes_loop, "in the closed loop"},
    {"recovery.timeout", closes_loop, "in the closed loop"},
    {"transfer.header",
     [](const Settings& settings) {
         return closes_loop(settings) &&
                (settings.find<std::uint64_t>("transfer.object_size") ||
                 settings.get<std::string>("traffic.frame_mode") != "coalesce");
     },
     "in the closed loop, before objects, and before blocks that are not coalesced"},
    {"path.rtt",
     [](const Settings& settings) { return modelled(settings) || closes_loop(settings); },
     "in the closed loop, where it delays ACKs, and on the model"},
    {"path.rate", modelled, on_model},
    {"path.loss", modelled, on_model},
    {"path.ack_loss", modelled, on_model},
    {"model.frame_ticks", modelled, on_model},
    {"model.call_ticks", modelled, on_model},
    {"model.sink_ring", modelled, on_model},
    {"model.sink_rate", modelled, on_model},
    {"model.timeouts", modelled, on_model},
    {"wire.flow_control",
     [](const Settings& settings) { return settings.get<std::string>("wire.kind") == "ports"; },
     "with wire.kind: ports"},
    {"source.kind", has_source, by_payload},
    {"source.working_set", has_source, by_payload},
    {"source.cache", has_source, by_payload},
    {"source.file", has_source, by_payload},
    {"tx.pool", on_real_wire, on_ports},
    {"sink.ring", on_real_wire, on_ports},
    {"sink.pool", on_real_wire, on_ports},
    {"host.telemetry", on_real_wire, on_ports},
    {"kernel.protocol", is_kernel, in_kernel},
    {"kernel.sender", is_kernel, in_kernel},
    {"kernel.send_buffer", is_kernel, in_kernel},
    {"kernel.receive_buffer", is_kernel, in_kernel},
    {"kernel.no_delay", on_kernel_tcp, in_tcp},
    {"sink.read_size", on_kernel_tcp, in_tcp},
};

/// Where a key is written that no cell which writes it has a use for; absent where one has.
std::optional<std::string> idle_at(const profile::Profile& profile, const Use& use) {
    std::optional<std::string> where;
    for (const profile::Cell& cell : profile.cells) {
        if (cell.settings.at(use.key).origin == profile::Origin::fallback) {
            continue;
        }
        if (use.used(cell.settings)) {
            return std::nullopt;
        }
        where = where ? where : cell.settings.where(use.key);
    }
    return where;
}

}  // namespace

void warn_of_unused(const profile::Profile& profile, std::vector<std::string>& warnings) {
    std::string_view only;
    std::string places;
    const auto say = [&] {
        if (!places.empty()) {
            warn(warnings, fmt::format("{}: not used here, only {}", places, only));
        }
        places.clear();
    };
    for (const Use& use : uses) {
        const auto where = idle_at(profile, use);
        if (!where) {
            continue;
        }
        if (use.only != only) {
            say();
        }
        only = use.only;
        places += fmt::format("{}{}", places.empty() ? "" : ", ", *where);
    }
    say();
}

}  // namespace gensink::plan::detail
