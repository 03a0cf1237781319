// SPDX-License-Identifier: BSD-3-Clause
#include "host/topology.hpp"

#include <algorithm>
#include <sched.h>

#include "catch.hpp"
#include "tree.hpp"

using namespace gensink;

TEST_CASE("CPUs are those of the affinity mask that are online") {
    Tree tree;
    one_node(tree, "0-5");
    tree.file("proc/self/status", "Cpus_allowed_list:\t1,3-4,7")
        .file("sys/devices/system/cpu/online", "0-4");
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    std::vector<unsigned> ids;
    for (const auto& cpu : found->cpus) {
        ids.push_back(cpu.id.value);
    }
    CHECK(ids == std::vector<unsigned>{1, 3, 4});
}

TEST_CASE("a host that names no CPU is an environment error with the file") {
    Tree tree;
    const auto found = host::topology(tree.root());
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::environment);
    CHECK_THAT(found.error().where, Catch::EndsWith("proc/self/status"));
}

TEST_CASE("each CPU knows its socket, its siblings and whether it is isolated") {
    Tree tree;
    one_node(tree, "0-3");
    tree.file("sys/devices/system/node/node0/cpulist", "0,2")
        .file("sys/devices/system/node/node1/cpulist", "1,3")
        .file("sys/devices/system/cpu/isolated", "2-3")
        .file("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2")
        .file("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1");
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    CHECK(found->cpus[0].socket == SocketId{0});
    CHECK(found->cpus[1].socket == SocketId{1});
    CHECK(found->cpus[0].siblings == std::vector<CpuId>{CpuId{2}});
    CHECK(found->cpus[1].siblings.empty());
    CHECK_FALSE(found->cpus[1].isolated);
    CHECK(found->cpus[3].isolated);
}

TEST_CASE("hugepages are listed by size and node") {
    Tree tree;
    one_node(tree, "0");
    const std::string folder = "sys/devices/system/node/node1/hugepages/hugepages-2048kB/";
    tree.file(folder + "nr_hugepages", "512").file(folder + "free_hugepages", "500");
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    REQUIRE(found->hugepages.size() == 1);
    CHECK(found->hugepages[0].page_bytes == 2u * 1024 * 1024);
    CHECK(found->hugepages[0].socket == SocketId{1});
    CHECK(found->hugepages[0].total == 512);
    CHECK(found->hugepages[0].free == 500);
    CHECK(found->hugepages_usable);
}

TEST_CASE("a kernel without NUMA has its hugepages on socket 0") {
    Tree tree;
    one_node(tree, "0");
    const std::string folder = "sys/kernel/mm/hugepages/hugepages-1048576kB/";
    tree.file(folder + "nr_hugepages", "1").file(folder + "free_hugepages", "0");
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    REQUIRE(found->hugepages.size() == 1);
    CHECK(found->hugepages[0].page_bytes == 1024u * 1024 * 1024);
    CHECK(found->hugepages[0].socket == SocketId{0});
    CHECK_FALSE(found->hugepages_usable);
}

TEST_CASE("the time-stamp counter is invariant only when constant and non-stop") {
    Tree tree;
    one_node(tree, "0");
    tree.file("proc/cpuinfo", "flags\t\t: fpu constant_tsc");
    CHECK_FALSE(host::topology(tree.root())->invariant_tsc);
    tree.file("proc/cpuinfo", "flags\t\t: fpu constant_tsc nonstop_tsc");
    CHECK(host::topology(tree.root())->invariant_tsc);
}

TEST_CASE("root is the effective user") {
    Tree tree;
    one_node(tree, "0");
    tree.file("proc/self/status", "Uid:\t1000\t0\t0\t0\nCpus_allowed_list:\t0");
    CHECK(host::topology(tree.root())->root);
    tree.file("proc/self/status", "Uid:\t0\t1000\t1000\t1000\nCpus_allowed_list:\t0");
    CHECK_FALSE(host::topology(tree.root())->root);
}

namespace {

const plan::Nic*
find_nic(const plan::Topology& topology, const std::string& pci, const std::string& name) {
    const auto it = std::find_if(topology.nics.begin(), topology.nics.end(), [&](const auto& nic) {
        return nic.pci == pci && nic.interface == name;
    });
    return it == topology.nics.end() ? nullptr : &*it;
}

void add_function(Tree& tree, const std::string& pci, const std::string& driver) {
    const std::string device = "sys/devices/pci0000:00/" + pci;
    tree.file(device + "/class", "0x020000")
        .file(device + "/vendor", "0x8086")
        .file(device + "/device", "0x10d3")
        .file(device + "/numa_node", "-1")
        .link("sys/bus/pci/devices/" + pci, device);
    if (!driver.empty()) {
        tree.link(device + "/driver", "sys/bus/pci/drivers/" + driver);
    }
}

}  // namespace

TEST_CASE("a PCI function and its kernel interface are one NIC") {
    Tree tree;
    one_node(tree, "0");
    add_function(tree, "0000:00:03.0", "virtio-pci");
    const std::string interface = "sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth0";
    tree.file(interface + "/speed", "10000")
        .file(interface + "/carrier", "1")
        .link(interface + "/device", "sys/devices/pci0000:00/0000:00:03.0/virtio2")
        .link("sys/class/net/eth0", interface);
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    REQUIRE(found->nics.size() == 1);
    const plan::Nic& nic = found->nics[0];
    CHECK(nic.pci == "0000:00:03.0");
    CHECK(nic.interface == "eth0");
    CHECK(nic.driver == "virtio-pci");
    CHECK(nic.vendor == 0x8086);
    CHECK(nic.device == 0x10d3);
    CHECK_FALSE(nic.socket);
    CHECK(nic.speed_bps == 10'000'000'000u);
    CHECK(nic.link_up == true);
}

TEST_CASE("a function of a user-space driver has no interface, one without a driver no driver") {
    Tree tree;
    one_node(tree, "0");
    add_function(tree, "0000:01:00.0", "vfio-pci");
    add_function(tree, "0000:02:00.0", "");
    tree.file("sys/devices/pci0000:00/0000:02:00.0/numa_node", "1")
        .file("sys/bus/pci/devices/0000:09:00.0/class", "0x010000");  // storage
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    REQUIRE(found->nics.size() == 2);
    REQUIRE(find_nic(*found, "0000:01:00.0", ""));
    CHECK(find_nic(*found, "0000:01:00.0", "")->driver == "vfio-pci");
    REQUIRE(find_nic(*found, "0000:02:00.0", ""));
    CHECK(find_nic(*found, "0000:02:00.0", "")->driver.empty());
    CHECK(find_nic(*found, "0000:02:00.0", "")->socket == SocketId{1});
}

TEST_CASE("an unknown speed or link is absent, a link set down is down") {
    Tree tree;
    one_node(tree, "0");
    tree.file("sys/class/net/veth0/speed", "-1")
        .file("sys/class/net/veth0/operstate", "down")
        .file("sys/class/net/tap0/operstate", "unknown")
        .file("sys/class/net/bonding_masters", "");
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    REQUIRE(found->nics.size() == 2);
    REQUIRE(find_nic(*found, "", "veth0"));
    CHECK_FALSE(find_nic(*found, "", "veth0")->speed_bps);
    CHECK(find_nic(*found, "", "veth0")->link_up == false);
    REQUIRE(find_nic(*found, "", "tap0"));
    CHECK_FALSE(find_nic(*found, "", "tap0")->link_up);
}

TEST_CASE("this host has at least one CPU, and the calling thread may run on each") {
    const auto found = host::topology();
    REQUIRE(found);
    REQUIRE_FALSE(found->cpus.empty());
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    CHECK(static_cast<int>(found->cpus.size()) == CPU_COUNT(&allowed));
    for (const auto& cpu : found->cpus) {
        CHECK(CPU_ISSET(cpu.id.value, &allowed));
    }
}

TEST_CASE("a hugepage size that no kernel has cannot be mapped") {
    CHECK_FALSE(host::can_map_hugepage(0));
    CHECK_FALSE(host::can_map_hugepage(3000));
    CHECK_FALSE(host::can_map_hugepage(std::uint64_t{1} << 50));
}

TEST_CASE("the machine's memory is what the kernel says, in bytes") {
    Tree tree;
    one_node(tree, "0");
    CHECK_FALSE(host::topology(tree.root())->memory_bytes);
    tree.file("proc/meminfo", "MemTotal:       1024 kB\nMemFree:  1 kB\nMemAvailable:   512 kB");
    const auto found = host::topology(tree.root());
    REQUIRE(found);
    CHECK(found->memory_bytes == 1024u * 1024);
    CHECK(found->available_memory_bytes == 512u * 1024);
}

TEST_CASE("a guest is told by its CPU's flags") {
    Tree tree;
    one_node(tree, "0");
    CHECK_FALSE(host::topology(tree.root())->virtual_machine);
    tree.file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc hypervisor");
    CHECK(host::topology(tree.root())->virtual_machine);
}
