// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/direction.hpp"
#include "plan/detail/kernel.hpp"

#include <algorithm>

namespace gensink::plan::detail {

namespace {

using profile::Settings;
using Address = std::array<std::uint8_t, 4>;

/// The address of each interface, whoever sends.
struct Addresses {
    Address gen{};
    Address sink{};
};

Addresses addresses_of(const FrameRecipe& frames, bool reverse) {
    return reverse ? Addresses{frames.destination_ip, frames.source_ip}
                   : Addresses{frames.source_ip, frames.destination_ip};
}

/// Sockets need them; devices do not, and may write what they like.
void settle_addresses(
    VethPlan& veth, const Addresses& wanted, const Settings& settings, Problems& problems
) {
    if (veth.gen_ip == Address{}) {
        veth.gen_ip = wanted.gen;
        veth.sink_ip = wanted.sink;
    } else if (veth.gen_ip != wanted.gen || veth.sink_ip != wanted.sink) {
        problems.add(
            settings.where("traffic.destination_ip"),
            "the interfaces of wire.veth have one address each: give all kernel arms the same "
            "traffic.source_ip and traffic.destination_ip"
        );
    }
}

}  // namespace

void plan_veth(
    const profile::Profile& profile,
    const Surroundings& surroundings,
    Plan& plan,
    Problems& problems
) {
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        const Settings& settings = profile.cells[i].settings;
        const TrialPlan& trial = plan.cells[i].trial;
        if (!settings.get<bool>("wire.veth")) {
            continue;
        }
        if (trial.wire != WireKind::kernel && trial.wire != WireKind::ports) {
            problems.add(
                settings.where("wire.veth"),
                "a veth pair joins kernel sockets, or devices over its interfaces: set wire.kind: "
                "kernel or ports"
            );
            continue;
        }
        if (!plan.veth) {
            plan.veth =
                VethPlan{surroundings.netns + "gen", surroundings.netns + "sink", 0, {}, {}};
        }
        const auto mtu = static_cast<std::uint32_t>(settings.get<std::uint64_t>("traffic.mtu"));
        plan.veth->mtu = std::max(plan.veth->mtu, mtu);
        if (trial.kernel) {
            settle_addresses(
                *plan.veth, addresses_of(trial.frames, is_reverse(settings)), settings, problems
            );
        }
    }
    if (plan.veth && !surroundings.topology.root) {
        warn(
            plan.warnings, "wire.veth makes network namespaces, which needs root: run it with sudo"
        );
    }
}

}  // namespace gensink::plan::detail
