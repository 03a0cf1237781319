// SPDX-License-Identifier: BSD-3-Clause
#include "host/facts.hpp"
#include "host/probes.hpp"
#include "host/topology.hpp"

#include <linux/capability.h>

#include "catch.hpp"
#include "tree.hpp"

using namespace gensink;

TEST_CASE("an empty host leaves every probe unknown") {
    const Tree tree;
    const host::Probes probes = host::probes(tree.root());
    CHECK(probes.governors.empty());
    CHECK_FALSE(probes.turbo);
    CHECK_FALSE(probes.smt);
    CHECK_FALSE(probes.load);
    CHECK_FALSE(probes.steal_ratio);
    CHECK_FALSE(probes.memory_bytes);
    CHECK_FALSE(probes.cpu_quota);
    CHECK_FALSE(probes.iommu);
    CHECK(probes.capabilities == 0);
}

TEST_CASE("governors of all policies are collected, and turbo is read from either driver") {
    Tree tree;
    tree.file("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance")
        .file("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave")
        .file("sys/devices/system/cpu/cpufreq/boost", "0");
    CHECK(host::probes(tree.root()).governors == std::set<std::string>{"performance", "powersave"});
    CHECK(host::probes(tree.root()).turbo == false);
    tree.file("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
    CHECK(host::probes(tree.root()).turbo == true);
}

TEST_CASE("default routes of both protocols are told from other routes") {
    Tree tree;
    tree.file(
            "proc/net/route",
            "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
            "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
            "eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0"
    )
        .file(
            "proc/net/ipv6_route",
            "fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "
            "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1\n"
            "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
            "fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth2\n"
            "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
            "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo"
        );
    const host::Probes probes = host::probes(tree.root());
    CHECK(probes.default_route == std::set<std::string>{"eth0", "eth2"});
    CHECK(probes.routed == std::set<std::string>{"eth0", "eth1"});
}

TEST_CASE("privileges: effective capabilities, locked memory, hugepage file system") {
    Tree tree;
    tree.file("proc/self/status", "CapPrm:\t000001ffffffffff\nCapEff:\t0000000000002000")
        .file(
            "proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units\n"
            "Max locked memory         8388608              unlimited            bytes"
        )
        .file("proc/mounts", "hugetlbfs /mnt/huge hugetlbfs rw 0 0")
        .file("mnt/huge/x", "");
    host::Probes probes = host::probes(tree.root());
    CHECK(probes.capabilities == std::uint64_t{1} << CAP_NET_RAW);
    CHECK(probes.memlock_bytes == 8388608u);
    CHECK(probes.hugetlbfs == "/mnt/huge");
    CHECK(probes.hugetlbfs_writable);
    tree.file("proc/self/limits", "Max locked memory   unlimited   unlimited   bytes");
    CHECK_FALSE(host::probes(tree.root()).memlock_bytes);
}

TEST_CASE("neighbours: load, steal as a part of all time, memory") {
    Tree tree;
    tree.file("proc/loadavg", "1.25 0.5 0.1 1/90 77")
        .file("proc/stat", "cpu  10 0 10 70 0 0 0 10 5 0\ncpu0 10 0 10 70 0 0 0 10 5 0")
        .file("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable:    1024 kB");
    const host::Probes probes = host::probes(tree.root());
    CHECK(probes.load == 1.25);
    CHECK(probes.steal_ratio == Approx(0.1));
    CHECK(probes.memory_bytes == 1024u * 1024);
}

TEST_CASE("a control group's quota is read in both versions, and no bound is none") {
    Tree tree;
    tree.file("sys/fs/cgroup/cpu.max", "max 100000");
    CHECK_FALSE(host::probes(tree.root()).cpu_quota);
    tree.file("sys/fs/cgroup/cpu.max", "150000 100000");
    CHECK(host::probes(tree.root()).cpu_quota == Approx(1.5));
    Tree old;
    old.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")
        .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
    CHECK_FALSE(host::probes(old.root()).cpu_quota);
    old.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000");
    CHECK(host::probes(old.root()).cpu_quota == Approx(0.5));
}

TEST_CASE("hypervisor and container are named") {
    Tree tree;
    tree.file("proc/cpuinfo", "flags\t: fpu hypervisor").file(".dockerenv", "");
    CHECK(host::probes(tree.root()).hypervisor == "unnamed");
    CHECK(host::probes(tree.root()).container == "docker");
    tree.file("sys/class/dmi/id/product_name", "KVM");
    CHECK(host::probes(tree.root()).hypervisor == "KVM");
}

TEST_CASE("facts of a result are what the kernel says, and empty where it does not") {
    Tree tree;
    one_node(tree, "0-1");
    tree.file("proc/cpuinfo", "model name\t: Test CPU\nmicrocode\t: 0xf4\nflags\t\t: fpu tsc")
        .file("proc/sys/kernel/osrelease", "6.1.0-18-amd64")
        .file("proc/cmdline", "quiet isolcpus=1 root=/dev/sda1 mitigations=off")
        .file("sys/devices/system/cpu/vulnerabilities/mds", "Not affected")
        .file("sys/devices/system/cpu/vulnerabilities/retbleed", "Vulnerable")
        .file("sys/devices/system/cpu/isolated", "1");
    const std::string folder = "sys/devices/system/node/node0/hugepages/hugepages-2048kB/";
    tree.file(folder + "nr_hugepages", "1024").file(folder + "free_hugepages", "512");
    const host::Facts facts = host::facts(*host::topology(tree.root()), tree.root());
    CHECK(facts.cpu_model == "Test CPU");
    CHECK(facts.microcode == "0xf4");
    CHECK(facts.cpus == 2u);
    CHECK(facts.sockets == 1u);
    CHECK(facts.kernel == "6.1.0-18-amd64");
    CHECK(facts.kernel_options == "isolcpus=1 mitigations=off");
    CHECK(facts.mitigations == "retbleed: Vulnerable");
    CHECK(facts.hugepages == "node 0: 512 of 1024 x 2 MiB free");
    CHECK(facts.topology == "1 socket, 2 CPUs; isolated: 1");
    CHECK(facts.governor.empty());
    CHECK_FALSE(facts.turbo);
    CHECK(facts.virtualization.empty());
}

TEST_CASE("bytes are told in the largest unit that divides them") {
    CHECK(host::describe_bytes(0) == "0 B");
    CHECK(host::describe_bytes(1536) == "1536 B");
    CHECK(host::describe_bytes(2u * 1024 * 1024) == "2 MiB");
    CHECK(host::describe_bytes(std::uint64_t{1} << 30) == "1 GiB");
}
