// SPDX-License-Identifier: BSD-3-Clause
#include "host/doctor.hpp"
#include "host/rights.hpp"

#include <algorithm>
#include <linux/capability.h>

#include "catch.hpp"

using namespace gensink;
using host::Check;
using host::CheckStatus;

namespace {

constexpr std::uint64_t mib = 1024 * 1024;

/// Four isolated CPUs, hugepages, all rights, no PCI: nothing to complain about.
struct Host {
    plan::Topology topology;
    host::Probes probes;
    host::Need need;

    Host() {
        for (unsigned cpu = 0; cpu < 4; ++cpu) {
            topology.cpus.push_back({CpuId{cpu}, SocketId{0}, {}, cpu > 1});
        }
        topology.hugepages = {{2 * mib, SocketId{0}, 512, 512}};
        topology.hugepages_usable = true;
        topology.invariant_tsc = true;
        probes.governors = {"performance"};
        probes.turbo = false;
        probes.iommu = true;
        probes.capabilities = ~std::uint64_t{0};
        probes.load = 0.1;
        probes.steal_ratio = 0.0;
        probes.memory_bytes = 4096 * mib;
        probes.tun = true;
        need.threads = 2;
        need.cpus = {CpuId{2}, CpuId{3}};
        need.memory = {{SocketId{0}, 128 * mib}};
    }

    [[nodiscard]] std::vector<Check> checks() const { return host::checks(topology, probes, need); }

    [[nodiscard]] Check check(const std::string& name) const {
        const std::vector<Check> all = checks();
        const auto it =
            std::find_if(all.begin(), all.end(), [&](const Check& c) { return c.name == name; });
        INFO("check " << name);
        REQUIRE(it != all.end());
        return *it;
    }

    plan::Nic&
    add_nic(const std::string& pci, const std::string& interface, const std::string& driver) {
        plan::Nic nic;
        nic.pci = pci;
        nic.interface = interface;
        nic.driver = driver;
        nic.link_up = true;
        return topology.nics.emplace_back(nic);
    }

    void drop(unsigned capability) { probes.capabilities &= ~(std::uint64_t{1} << capability); }
};

}  // namespace

TEST_CASE("a good host passes every check") {
    const Host host;
    for (const Check& check : host.checks()) {
        INFO(check.name << ": " << check.found);
        CHECK(check.status == CheckStatus::ok);
        CHECK(check.fix.empty());
    }
    CHECK(host::can_run(host.checks()));
}

TEST_CASE("too few CPUs warn, and say which mark the run will carry") {
    Host host;
    host.topology.cpus.resize(2);
    CHECK(host.check("cores").status == CheckStatus::warn);
    CHECK_THAT(host.check("cores").found, Catch::Contains("control shares"));
    host.topology.cpus.resize(1);
    CHECK_THAT(host.check("cores").found, Catch::Contains("SHARED CORES"));
    CHECK(host::can_run(host.checks()));
}

TEST_CASE("CPUs open to the scheduler are named in the command that isolates them") {
    Host host;
    host.topology.cpus[3].isolated = false;
    const Check check = host.check("isolation");
    CHECK(check.status == CheckStatus::warn);
    CHECK_THAT(check.fix, Catch::Contains("isolcpus=3 nohz_full=3"));
}

TEST_CASE("a datapath CPU that shares its core is named") {
    Host host;
    host.topology.cpus[2].siblings = {CpuId{0}};
    const Check check = host.check("SMT siblings");
    CHECK(check.status == CheckStatus::warn);
    CHECK_THAT(check.found, Catch::Contains("CPUs 2 "));
    CHECK_THAT(check.fix, Catch::Contains("smt/control"));
}

TEST_CASE("any governor but performance warns, and none at all is unknown") {
    Host host;
    host.probes.governors = {"performance", "powersave"};
    CHECK(host.check("governor").status == CheckStatus::warn);
    CHECK_THAT(host.check("governor").fix, Catch::Contains("scaling_governor"));
    host.probes.governors.clear();
    CHECK(host.check("governor").status == CheckStatus::unknown);
}

TEST_CASE("turbo that is on warns, and one that the kernel does not show is unknown") {
    Host host;
    host.probes.turbo = true;
    CHECK(host.check("turbo").status == CheckStatus::warn);
    host.probes.turbo.reset();
    CHECK(host.check("turbo").status == CheckStatus::unknown);
}

TEST_CASE("a time-stamp counter that may change its rate warns") {
    Host host;
    host.topology.invariant_tsc = false;
    CHECK(host.check("time-stamp counter").status == CheckStatus::warn);
}

TEST_CASE("missing hugepages warn with the pages to set aside, beside those already taken") {
    Host host;
    host.topology.hugepages = {{2 * mib, SocketId{0}, 100, 40}};
    const Check check = host.check("hugepages node 0");
    CHECK(check.status == CheckStatus::warn);
    // 60 taken + 128 MiB / 2 MiB
    CHECK_THAT(check.fix, Catch::StartsWith("echo 124 | sudo tee /sys/devices/system/node/node0/"));
    CHECK(host::can_run(host.checks()));
}

TEST_CASE("a PCI device cannot do without hugepages") {
    Host host;
    host.add_nic("0000:01:00.0", "", "vfio-pci");
    host.need.devices = {"0000:01:00.0"};
    host.topology.hugepages.clear();
    host.topology.hugepages_usable = false;
    CHECK(host.check("hugepages node 0").status == CheckStatus::fail);
    CHECK_FALSE(host::can_run(host.checks()));
}

TEST_CASE("hugepages on one node do not serve another") {
    Host host;
    host.need.memory = {{SocketId{1}, 64 * mib}};
    CHECK(host.check("hugepages node 1").status == CheckStatus::warn);
    CHECK_THAT(host.check("hugepages node 1").fix, Catch::Contains("node1/"));
}

TEST_CASE("free hugepages that this user may not map are not called ok") {
    Host host;
    host.topology.hugepages_usable = false;
    CHECK(host.check("hugepages node 0").status == CheckStatus::warn);
}

TEST_CASE("without hugepages, too little plain memory stops the run") {
    Host host;
    host.topology.hugepages_usable = false;
    host.probes.memory_bytes = 100 * mib;
    CHECK(host.check("memory").status == CheckStatus::fail);
    host.probes.memory_bytes = 128 * mib;
    CHECK(host.check("memory").status == CheckStatus::ok);
}

TEST_CASE("a NIC on a user-space or shared driver is ready") {
    Host host;
    host.add_nic("0000:01:00.0", "", "vfio-pci");
    host.add_nic("0000:02:00.0", "ens2", "mlx5_core");
    CHECK(host.check("NIC 0000:01:00.0").status == CheckStatus::ok);
    CHECK(host.check("NIC 0000:02:00.0").status == CheckStatus::ok);
}

TEST_CASE("a NIC on a kernel driver warns with the command that binds it") {
    Host host;
    host.add_nic("0000:01:00.0", "ens1", "ixgbe");
    const Check check = host.check("NIC 0000:01:00.0");
    CHECK(check.status == CheckStatus::warn);
    CHECK(check.fix == "sudo tools/bind 0000:01:00.0");
}

TEST_CASE("a NIC without a driver, and a host without an IOMMU, get advice") {
    Host host;
    host.add_nic("0000:01:00.0", "", "");
    host.probes.iommu = false;
    CHECK(host.check("NIC 0000:01:00.0").fix == "sudo tools/bind 0000:01:00.0");
    CHECK(host.check("IOMMU").status == CheckStatus::warn);
    CHECK_THAT(host.check("IOMMU").fix, Catch::Contains("intel_iommu=on"));
    host.probes.hypervisor = "KVM";
    CHECK(host.check("IOMMU").fix == "sudo modprobe uio_pci_generic");
}

TEST_CASE("the NIC with the default route is never offered for binding") {
    Host host;
    host.add_nic("0000:01:00.0", "ens1", "ixgbe");
    host.probes.default_route = {"ens1"};
    host.probes.routed = {"ens1"};
    const Check check = host.check("NIC 0000:01:00.0");
    CHECK_THAT(check.found, Catch::Contains("never bind"));
    CHECK(check.fix.empty());
    CHECK(host::can_run(host.checks()));
}

TEST_CASE("a profile that names the NIC with the default route cannot run") {
    Host host;
    host.add_nic("0000:01:00.0", "ens1", "ixgbe");
    host.probes.default_route = {"ens1"};
    host.need.devices = {"0000:01:00.0"};
    const Check check = host.check("NIC 0000:01:00.0");
    CHECK(check.status == CheckStatus::fail);
    CHECK_THAT(check.fix, !Catch::Contains("tools/bind"));
}

TEST_CASE("a NIC that carries routes comes with a word of caution") {
    Host host;
    host.add_nic("0000:01:00.0", "ens1", "ixgbe");
    host.probes.routed = {"ens1"};
    CHECK_THAT(host.check("NIC 0000:01:00.0").found, Catch::Contains("only if nothing needs"));
}

TEST_CASE("a wanted NIC on its kernel driver, or a missing one, stops the run") {
    Host host;
    host.add_nic("0000:01:00.0", "ens1", "ixgbe");
    host.need.devices = {"0000:01:00.0"};
    CHECK(host.check("NIC 0000:01:00.0").status == CheckStatus::fail);
    host.need.devices = {"0000:07:00.0"};
    CHECK(host.check("NIC 0000:07:00.0").status == CheckStatus::fail);
}

TEST_CASE("af_packet on an interface that is down or missing stops the run") {
    Host host;
    host.add_nic("", "v0", "").link_up = false;
    host.need.devices = {"net_af_packet0,iface=v0,qpairs=1"};
    CHECK(host.check("link v0").status == CheckStatus::fail);
    CHECK(host.check("link v0").fix == "sudo ip link set v0 up");
    host.need.devices = {"net_af_packet0,iface=v9"};
    CHECK(host.check("link v9").status == CheckStatus::fail);
}

TEST_CASE("a right that no device of the run wants is told, not failed") {
    Host host;
    host.drop(CAP_NET_RAW);
    CHECK(host.check("CAP_NET_RAW").status == CheckStatus::ok);
    CHECK_THAT(host.check("CAP_NET_RAW").found, Catch::StartsWith("not held"));
}

TEST_CASE("each kind of port wants its right") {
    Host host;
    host.probes.capabilities = 0;
    host.add_nic("", "v0", "");
    host.need.devices = {"net_af_packet0,iface=v0"};
    CHECK(host.check("CAP_NET_RAW").status == CheckStatus::fail);
    CHECK(host.check("CAP_NET_ADMIN").status == CheckStatus::ok);
    host.need.devices = {"net_tap0,iface=t0"};
    CHECK(host.check("CAP_NET_RAW").status == CheckStatus::ok);
    CHECK(host.check("CAP_NET_ADMIN").status == CheckStatus::fail);
    host.need.devices = {"net_pcap0,tx_pcap=out.pcap"};
    CHECK(host.check("CAP_NET_RAW").status == CheckStatus::ok);
    host.need.netns = true;
    CHECK(host.check("CAP_SYS_ADMIN").status == CheckStatus::fail);
}

TEST_CASE("a tap port wants /dev/net/tun") {
    Host host;
    host.need.devices = {"net_tap0"};
    host.probes.tun = false;
    CHECK(host.check("tap").status == CheckStatus::fail);
}

TEST_CASE("the bound on locked memory matters to PCI devices only") {
    Host host;
    host.drop(CAP_IPC_LOCK);
    host.probes.memlock_bytes = 8 * mib;
    CHECK(host.check("locked memory").status == CheckStatus::ok);
    host.add_nic("0000:01:00.0", "", "vfio-pci");
    host.need.devices = {"0000:01:00.0"};
    CHECK(host.check("locked memory").status == CheckStatus::fail);
    host.probes.memlock_bytes.reset();
    CHECK(host.check("locked memory").status == CheckStatus::ok);
}

TEST_CASE("noisy neighbours warn: load beyond the free CPUs, and steal") {
    Host host;
    host.probes.load = 2.4;  // four CPUs, two datapath threads
    CHECK(host.check("load").status == CheckStatus::ok);
    host.probes.load = 2.6;
    CHECK(host.check("load").status == CheckStatus::warn);
    host.probes.steal_ratio = 0.02;
    CHECK(host.check("steal").status == CheckStatus::warn);
    CHECK_THAT(host.check("steal").found, Catch::Contains("2.00 %"));
}

TEST_CASE("a control group's quota below the threads of the run warns") {
    Host host;
    host.probes.container = "docker";
    CHECK(host.check("container").status == CheckStatus::ok);
    host.probes.cpu_quota = 1.5;
    CHECK(host.check("container").status == CheckStatus::warn);
}

TEST_CASE("each check that is not ok says what to do, unless the host cannot tell") {
    Host host;
    host.topology = {};
    host.topology.cpus = {{CpuId{0}, SocketId{0}, {CpuId{1}}, false}};
    host.probes = {};
    host.add_nic("0000:01:00.0", "ens1", "ixgbe").link_up = false;
    host.need.cpus = {CpuId{0}};
    host.need.devices = {"0000:01:00.0", "net_tap0"};
    for (const Check& check : host.checks()) {
        INFO(check.name << ": " << check.found);
        if (check.status == CheckStatus::warn || check.status == CheckStatus::fail) {
            CHECK_FALSE(check.fix.empty());
        }
    }
}

TEST_CASE("need is the most that any cell takes at once, per socket") {
    plan::Topology topology;
    topology.cpus = {{CpuId{0}, SocketId{0}, {}, false}, {CpuId{1}, SocketId{1}, {}, false}};
    plan::Environment gen;
    gen.memory_mib = 64;
    gen.cores = {{LcoreId{1}, CpuId{1}, {}}};
    gen.devices = {"net_memif0"};
    plan::Environment sink = gen;
    sink.cores = {{LcoreId{1}, CpuId{0}, {}}, {LcoreId{2}, CpuId{0}, {}}};
    sink.netns = "far";
    plan::Plan plan;
    plan.cells.resize(2);
    plan.cells[0].environments = {gen, sink};
    plan.cells[1].environments = {gen};
    plan.cells[1].environments[0].memory_mib = 96;
    const host::Need need = host::need(plan, topology);
    CHECK(need.threads == 3);
    CHECK(need.cpus == std::vector<CpuId>{CpuId{0}, CpuId{1}});
    REQUIRE(need.memory.size() == 2);
    CHECK(need.memory[0].bytes == 64 * mib);
    CHECK(need.memory[1].bytes == 96 * mib);
    CHECK(need.devices == std::vector<std::string>{"net_memif0"});
    CHECK(need.netns);
}

TEST_CASE("the right that a device lacks is named") {
    host::Probes none;
    host::Probes all;
    all.capabilities = ~std::uint64_t{0};
    const std::vector<std::pair<std::string, std::string>> devices{
        {"net_af_packet0,iface=eth0", "CAP_NET_RAW"},
        {"net_pcap0,iface=eth0", "CAP_NET_RAW"},
        {"net_tap0,iface=tap0", "CAP_NET_ADMIN"},
        {"0000:01:00.0", "/dev/vfio"}};
    for (const auto& [device, right] : devices) {
        INFO(device);
        CHECK_THAT(host::missing_right(device, none), Catch::Contains(right));
        CHECK(host::missing_right(device, all).empty());
    }
    CHECK(host::missing_right("net_null0", none).empty());
    CHECK(host::missing_right("net_pcap0,tx_pcap=out.pcap", none).empty());
}
