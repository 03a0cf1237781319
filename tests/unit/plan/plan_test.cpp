// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"

using namespace gensink;
using namespace gensink::plan;
using namespace gensink::plan::test;

namespace {

const std::string two_arms =
    "arms:\n  - {name: one, set: {tx.burst: 1}}\n  - {name: many, set: {tx.burst: 32}}\n"
    "compare: {baseline: one}\n";

std::vector<unsigned> cpus_of(const EndPlan& end) {
    std::vector<unsigned> cpus;
    for (const CorePlan& core : end.cores) {
        cpus.push_back(core.cpu.value);
    }
    return cpus;
}

using Cpus = std::vector<unsigned>;

}  // namespace

TEST_CASE("the default plan is the cable, a core a side, off the control CPU") {
    const Plan plan = planned("");
    REQUIRE(plan.cells.size() == 1);
    const TrialPlan& trial = plan.cells[0].trial;
    CHECK(trial.wire == WireKind::cable);
    CHECK(trial.lossless);
    REQUIRE(trial.sink);
    CHECK(cpus_of(trial.gen) == Cpus{1});
    CHECK(cpus_of(*trial.sink) == Cpus{2});
    CHECK(trial.gen.cores[0].lcore.value == 1);
    CHECK(trial.sink->cores[0].lcore.value == 2);
    REQUIRE(plan.cells[0].environments.size() == 1);
    CHECK(plan.cells[0].environments[0].control_cpu.value == 0);
    CHECK(plan.cells[0].environments[0].cores.size() == 2);
    CHECK_FALSE(plan.shared_cores);
    CHECK(plan.warnings.empty());
}

TEST_CASE("two CPUs are shared with the control thread, and said so") {
    const Plan plan = planned("", host(2));
    CHECK(plan.shared_cores);
    CHECK(cpus_of(plan.cells[0].trial.gen) == Cpus{1});
    CHECK(cpus_of(*plan.cells[0].trial.sink) == Cpus{0});
    CHECK(warns(plan.warnings, "SHARED CORES"));
}

TEST_CASE("three CPUs are enough for two datapath threads") {
    CHECK_FALSE(planned("", host(3)).shared_cores);
}

TEST_CASE("more threads than CPUs take turns, with a warning") {
    const Plan plan = planned("tx: {queues: 4, cores: 4}\n", host(2));
    CHECK(plan.shared_cores);
    CHECK(warns(plan.warnings, "5 datapath threads take turns on 2 CPUs"));
}

TEST_CASE("two threads that the profile pins to one CPU are a strong warning") {
    const Plan plan = planned("host: {gen_cpus: 3, sink_cpus: 3}\n");
    CHECK(plan.shared_cores);
    CHECK(warns(plan.warnings, "2 datapath threads are pinned to CPU 3"));
    CHECK_FALSE(warns(plan.warnings, "a little"));
}

TEST_CASE("queues are dealt to cores in turn") {
    const Plan plan = planned("tx: {queues: 5, cores: 2}\nsink: {cores: 3}\n");
    const EndPlan& gen = plan.cells[0].trial.gen;
    REQUIRE(gen.cores.size() == 2);
    CHECK(gen.cores[0].queues == std::vector<QueueId>{{0}, {2}, {4}});
    CHECK(gen.cores[1].queues == std::vector<QueueId>{{1}, {3}});
    CHECK(plan.cells[0].trial.sink->queues == 5);
}

TEST_CASE("CPUs are taken near the device, isolated ones first, siblings of busy ones last") {
    Topology topology = host(0);
    // Socket 0: CPUs 0, 2; socket 1: 1, 3, 5, 7 of which 3 is 1's sibling and 7 isolated.
    topology.cpus = {
        {CpuId{0}, SocketId{0}, {}, false},
        {CpuId{1}, SocketId{1}, {CpuId{3}}, false},
        {CpuId{2}, SocketId{0}, {}, false},
        {CpuId{3}, SocketId{1}, {CpuId{1}}, false},
        {CpuId{5}, SocketId{1}, {}, false},
        {CpuId{7}, SocketId{1}, {}, true},
    };
    topology.nics[0].socket = SocketId{1};
    topology.nics[1].socket = SocketId{1};
    const Plan plan = planned(
        "wire: {kind: ports, gen: \"0000:01:00.0\", sink: \"0000:02:00.0\"}\n"
        "tx: {queues: 3, cores: 3}\nsink: {queues: 1}\n",
        topology
    );
    CHECK(cpus_of(plan.cells[0].trial.gen) == Cpus{7, 1, 5});
    CHECK(cpus_of(*plan.cells[0].trial.sink) == Cpus{3});
}

TEST_CASE("CPUs that the profile names are used as written") {
    const Plan plan = planned("host: {gen_cpus: [5], sink_cpus: 6, control_cpu: 3}\n");
    CHECK(cpus_of(plan.cells[0].trial.gen) == Cpus{5});
    CHECK(cpus_of(*plan.cells[0].trial.sink) == Cpus{6});
    CHECK(plan.cells[0].environments[0].control_cpu.value == 3);
}

TEST_CASE("CPUs that are not there, or too few, are refused") {
    says(refused("host: {gen_cpus: 9}\n"), "CPU 9 cannot be used here");
    says(refused("host: {gen_cpus: 1-2}\n"), "names 2 CPUs for 1 cores");
    says(refused("host: {control_cpu: 64}\n"), "CPU 64");
}

TEST_CASE("more cores than queues are refused") {
    says(refused("tx: {cores: 2}\n"), "2 cores for 1 queues");
}

TEST_CASE("the cable joins queue to queue") {
    says(refused("tx: {queues: 2}\nsink: {queues: 3}\n"), "joins queue to queue");
}

TEST_CASE("bursts must fit the ring, rings the driver") {
    says(refused("tx: {burst: 64, ring: 32}\n"), "a burst of 64 does not fit a ring of 32");
    says(refused("tx: {ring: 256, free_thresh: 256}\n"), "256 of a ring of 256");
    says(refused("tx: {rs_thresh: 64, free_thresh: 32}\n"), "64 is above tx.free_thresh, 32");
    says(refused("tx: {rs_thresh: 32, wthresh: 4}\n"), "beside a tx.rs_thresh of 32");
    says(
        refused("wire: {kind: ports, gen: \"0000:01:00.0\"}\ntx: {ring: 8192}\n"),
        "takes 64 to 4096"
    );
}

TEST_CASE("frames must fit the driver") {
    says(
        refused("wire: {kind: ports, gen: \"net_af_xdp0,iface=veth0\"}\n"
                "traffic: {frame_size: 9018 B, mtu: 9000}\n"),
        "carries at most 3520 B"
    );
}

TEST_CASE("devices that are not there are refused, with what is") {
    const std::string pci = refused("wire:\n  kind: ports\n  gen: \"0000:09:00.0\"\n");
    says(pci, "p.yaml:5:8 (wire.gen): no network device at PCI 0000:09:00.0");
    says(pci, "0000:01:00.0");
    says(
        refused("wire: {kind: ports, gen: \"net_af_packet0,iface=eth7\"}\n"), "no interface `eth7`"
    );
    says(refused("wire: {kind: ports}\n"), "needs wire.gen");
    says(refused("wire: {gen_driver: rnig}\n"), "no `rnig` in drivers-config");
}

TEST_CASE("a packet socket gets slots of whole pages for frames that its own would cut") {
    const auto device = [](const std::string& frame, const std::string& arguments = "") {
        return planned(
                   "wire: {kind: ports, gen: \"net_af_packet0,iface=veth0" + arguments +
                   "\"}\ntraffic: {frame_size: " + frame + ", mtu: 9000}\n"
        )
            .cells[0]
            .trial.gen.device;
    };
    const std::string bare = "net_af_packet0,iface=veth0";
    CHECK(device("1986 B") == bare);
    CHECK(device("1987 B") == bare + ",framesz=4096,blocksz=4096");
    CHECK(device("4060 B") == bare + ",framesz=8192,blocksz=8192");  // less 66 B of the kernel's
    CHECK(device("9018 B") == bare + ",framesz=12288,blocksz=12288");
    CHECK(device("9018 B", ",framesz=16384") == bare + ",framesz=16384");
}

TEST_CASE("a device that sits on an interface must name it, and a slip is pointed at") {
    const std::string bare = refused("wire: {kind: ports, gen: net_af_packet0}\n");
    says(bare, "needs iface=");
    says(bare, "net_af_packet0,iface=eth1");
    says(
        refused("wire: {kind: ports, gen: \"net_af_xdp0,ifcae=veth0\", gen_netns: left}\n"),
        "`ifcae` is none of its arguments"
    );
}

TEST_CASE("a sink alone and a generator alone take different CPUs where there are enough") {
    const Plan gen = planned("wire: {kind: ports, gen: \"0000:01:00.0\", sink: peer}\n", host(4));
    const Plan sink = planned("wire: {kind: ports, gen: peer, sink: \"0000:02:00.0\"}\n", host(4));
    CHECK(gen.cells[0].trial.gen.cores[0].cpu == CpuId{1});
    CHECK(sink.cells[0].trial.sink->cores[0].cpu == CpuId{3});
}

TEST_CASE("a short PCI address is the same device") {
    planned("wire: {kind: ports, gen: \"01:00.0\"}\nmetrics: [tx.fps]\n");
}

TEST_CASE("an unknown NIC is planned with caution") {
    const Plan plan =
        planned("wire: {kind: ports, gen: \"0000:01:00.0\", sink: \"0000:02:00.0\"}\n");
    const TrialPlan& trial = plan.cells[0].trial;
    CHECK(trial.gen.driver.name == "default");
    CHECK(trial.gen.driver.tx_frames == Trust::approximate);
    CHECK_FALSE(trial.gen.driver.limits.probed);
    CHECK_FALSE(trial.lossless);
    CHECK(trial.phases.settle == Duration{2'000'000'000});
    CHECK(plan.cells[0].environments.size() == 1);
    CHECK(plan.cells[0].environments[0].devices.size() == 2);
    CHECK(warns(plan.warnings, "no entry of drivers-config fits"));
}

TEST_CASE("a NIC is known by its PCI id") {
    const Plan plan = planned("wire: {kind: ports, gen: \"0000:03:00.0\"}\nmetrics: [tx.fps]\n");
    const TrialPlan& trial = plan.cells[0].trial;
    CHECK(trial.gen.driver.name == "e1000");
    CHECK(trial.phases.settle == Duration{1'000'000'000});
    CHECK_FALSE(warns(plan.warnings, "no entry of drivers-config fits"));
}

TEST_CASE("no sink ends the plan at the generator") {
    const Plan plan = planned("wire: {kind: ports, gen: net_null0}\n");
    CHECK_FALSE(plan.cells[0].trial.sink);
    CHECK_FALSE(plan.cells[0].environments[0].drives_sink);
    CHECK(plan.metrics == std::vector<std::string>{"tx.ticks_per_frame", "tx.fps"});
    says(refused("wire: {kind: ports, gen: net_null0}\nmetrics: [rx.fps]\n"), "needs a sink");
    says(refused("wire: {kind: ports, gen: net_null0}\nsearch: {loss: 0 %}\n"), "no sink");
}

TEST_CASE("memif is two workers with one socket of the run's own") {
    const Plan plan =
        planned("wire: {kind: ports, gen: net_memif, sink: net_memif}\ntx: {ring: 2048}\n");
    const Cell& cell = plan.cells[0];
    CHECK(cell.trial.lossless);
    REQUIRE(cell.environments.size() == 2);
    CHECK(cell.environments[0].drives_gen);
    CHECK_FALSE(cell.environments[0].drives_sink);
    CHECK(cell.environments[1].drives_sink);
    CHECK(cell.environments[1].cores.size() == 1);
    says(cell.trial.gen.device, "net_memif,role=client");
    CHECK(cell.trial.gen.device_written == "net_memif");
    says(cell.trial.gen.device, "rsize=11");
    says(cell.trial.sink->device, "role=server");
    const std::string socket = "socket=gensink-" + plan.profile_digest + "-7";
    says(cell.trial.gen.device, socket);
    says(cell.trial.sink->device, socket);
}

TEST_CASE("a memif needs a peer at the sink, or the arguments that find another's") {
    const std::string wire = "wire: {kind: ports, gen: ";
    says(
        refused(wire + "net_memif, sink: none}\n"),
        "p.yaml:3:43 (wire.sink): net_memif (memif) needs a peer at the sink: use --ports "
        "net_memif,net_memif, or"
    );
    planned(wire + "\"net_memif,role=client,socket=/run/x.sock\", sink: none}\n");
}

TEST_CASE("a kernel interface is no device, and says how it is opened") {
    const std::string errors = refused("wire: {kind: ports, gen: veth0, sink: veth0}\n");
    says(errors, "p.yaml:3:26 (wire.gen): `veth0` is a kernel interface");
    says(errors, "opened as net_af_packet0,iface=veth0");
    says(errors, "opened as net_af_packet1,iface=veth0");
}

TEST_CASE("what cannot be a device's name is refused") {
    const std::string wire = "wire: {kind: ports, sink: none, gen: ";
    planned(wire + std::string(63, 'a') + "}\n");
    planned(wire + "\"net_pcap0,tx_pcap=/tmp/a b.pcap\"}\n");
    says(refused(wire + std::string(64, 'a') + "}\n"), "name of 64 characters");
    says(refused(wire + "net_ null0}\n"), "holds no spaces");
    says(refused(wire + "\"net_null\\e\"}\n"), "no control characters");
}

TEST_CASE("a memif written out is left as it is") {
    const std::string device = "net_memif0,role=server,id=3,socket=/run/x.sock";
    const Plan plan = planned("wire: {kind: ports, gen: net_memif, sink: \"" + device + "\"}\n");
    CHECK(plan.cells[0].trial.sink->device == device);
}

TEST_CASE("af_packet learns its queues and its ring") {
    const Plan plan = planned(
        "wire: {kind: ports, gen: \"net_af_packet0,iface=veth0\"}\ntx: {queues: 2, ring: 1024}\n"
    );
    CHECK(plan.cells[0].trial.gen.device == "net_af_packet0,iface=veth0,qpairs=2,framecnt=1024");
    CHECK(plan.cells[0].trial.gen.driver.loses_refused);
}

TEST_CASE("an interface that the other end makes need not be there yet") {
    const Plan plan = planned(
        "wire: {kind: ports, gen: \"net_tap0,iface=gs0\", sink: \"net_af_packet0,iface=gs0\"}\n"
    );
    CHECK(plan.cells[0].trial.sink->driver.name == "af_packet");
    says(
        refused("wire: {kind: ports, gen: \"net_tap0,iface=gs1\", sink: "
                "\"net_af_packet0,iface=gs0\"}\n"),
        "p.yaml:3:"
    );
}

TEST_CASE("namespaces that differ are two workers") {
    const Plan plan = planned(
        "wire: {kind: ports, gen: \"net_af_packet0,iface=a\", sink: \"net_af_packet1,iface=b\", "
        "gen_netns: left, sink_netns: right}\n"
    );
    REQUIRE(plan.cells[0].environments.size() == 2);
    CHECK(plan.cells[0].environments[0].netns == "left");
    CHECK(plan.cells[0].environments[1].netns == "right");
}

TEST_CASE("cells of one device share a worker, whatever their burst") {
    const Plan plan = planned(
        two_arms + "sweep: {cross: {traffic.block_size: [128 B, 4096 B], tx.ring: [256, 4096]}}\n"
    );
    REQUIRE(plan.cells.size() == 12);
    for (const Cell& cell : plan.cells) {
        CHECK(cell.environments == plan.cells.front().environments);
    }
}

TEST_CASE("arms on different wires have workers of their own") {
    const Plan plan = planned(
        "arms:\n  - {name: cable}\n"
        "  - {name: nothing, set: {wire.kind: ports, wire.gen: net_null0, wire.sink: none}}\n"
        "metrics: [tx.ticks_per_frame]\n"
    );
    CHECK(plan.cells[0].environments != plan.cells[1].environments);
    CHECK(plan.cells[1].environments[0].devices == std::vector<std::string>{"net_null0"});
    CHECK(warns(plan.warnings, "the arms are not compared"));
}

TEST_CASE("pools hold what is on the way, at 2^n - 1") {
    const TrialPlan trial = planned("tx: {burst: 256, ring: 2048}\n").cells[0].trial;
    const std::uint32_t frames = trial.gen.pool_frames;
    CHECK((frames & (frames + 1)) == 0);
    // The cable's ring, the caches of three lcores (flushed at 1.5 times 512), bursts at both ends.
    CHECK(frames >= 2048 + 3 * 768 + 2 * 256 + 2 * 256);
    CHECK(planned("tx: {pool: 1000}\n").cells[0].trial.gen.pool_frames == 1000);
}

TEST_CASE("a default worker stays well below 300 MiB") {
    const Plan cable = planned("");
    CHECK(cable.cells[0].environments[0].memory_mib < 150);
    CHECK(cable.cells[0].environments[0].memory_mib >= 64);
    const Plan memif = planned("wire: {kind: ports, gen: net_memif, sink: net_memif}\n");
    CHECK(
        memif.cells[0].environments[0].memory_mib + memif.cells[0].environments[1].memory_mib < 250
    );
}

TEST_CASE("hugepages are used where enough are free") {
    Topology topology = host(4);
    topology.hugepages_usable = true;
    topology.hugepages = {{2 << 20, SocketId{0}, 128, 128}};
    CHECK(planned("", topology).cells[0].environments[0].hugepages);
    CHECK_FALSE(planned("host: {hugepages: off}\n", topology).cells[0].environments[0].hugepages);
    topology.hugepages[0].free = 8;
    CHECK_FALSE(planned("", topology).cells[0].environments[0].hugepages);
    says(refused("host: {hugepages: on}\n", topology), "16 MiB are free");
    topology.hugepages[0].free = 128;
    topology.hugepages_usable = false;
    CHECK_FALSE(planned("", topology).cells[0].environments[0].hugepages);
}

TEST_CASE("all errors of a plan come at once, each once") {
    const std::string all = refused(
        two_arms + "traffic: {load: 80 %, flows: 3}\nsink: {cores: 4}\nhost: {gen_cpus: 99}\n"
    );
    says(all, "wire.line_rate");
    says(all, "such as 4");
    says(all, "4 cores for 1 queues");
    says(all, "CPU 99");
    CHECK(std::count(all.begin(), all.end(), '\n') == 4);
}

TEST_CASE("unused keys of the other wire are mentioned") {
    CHECK(warns(planned("wire: {gen: net_null0}\n").warnings, "not used on the cable"));
    CHECK(warns(planned("sink: {ring: 256}\n").warnings, "sink.ring is not used"));
}

TEST_CASE("flow control is left alone unless the profile says otherwise") {
    const std::string wire = "wire: {kind: ports, gen: net_null0";
    const auto asked = [&](const std::string& more) {
        return planned(wire + more + "}\n").cells[0].trial.flow_control;
    };
    CHECK(asked("") == FlowControl::leave);
    CHECK(asked(", flow_control: leave") == FlowControl::leave);
    CHECK(asked(", flow_control: on") == FlowControl::on);
    CHECK(asked(", flow_control: off") == FlowControl::off);
    CHECK(warns(
        planned("wire: {flow_control: off}\n").warnings, "not used here, only with wire.kind: ports"
    ));
    says(refused("wire: {kind: model, flow_control: off}\n"), "wire.flow_control");
}

TEST_CASE("buffers that a driver keeps are room for its worker") {
    const auto memory = [](const std::string& driver) {
        const Plan plan =
            planned("wire: {kind: ports, gen: \"net_" + driver + "0,iface=veth0\"}\n");
        return plan.cells[0].environments[0].memory_mib;
    };
    // 4608 of them, each above 2048 B.
    CHECK(memory("af_xdp") >= memory("af_packet") + 9);
}

TEST_CASE("a pool that may run dry is mentioned, and used") {
    const Plan plan = planned("tx: {pool: 100}\n");
    CHECK(plan.cells[0].trial.gen.pool_frames == 100);
    CHECK(warns(plan.warnings, "tx.pool of 100 may run dry"));
}

TEST_CASE("a pool that cannot hold a burst is refused") {
    says(refused("tx: {pool: 100, burst: 128}\n"), "a pool of 100 never holds a burst of 128");
    CHECK(planned("tx: {pool: 128, burst: 128}\n").cells[0].trial.gen.pool_frames == 128);
}

TEST_CASE("a device that invents what it receives is no sink") {
    says(refused("wire: {kind: ports, gen: net_null0, sink: net_null1}\n"), "write `sink: none`");
}

TEST_CASE("more memory than the machine has is refused, more than is free mentioned") {
    Topology topology = host(4);
    topology.memory_bytes = 4ULL << 30;
    topology.available_memory_bytes = 1ULL << 30;
    says(
        refused("host: {memory: 5 GiB}\n", topology),
        "need 5120 MiB, and this machine has 4096 MiB: lower host.memory"
    );
    says(refused("tx: {pool: 4194303, queues: 4}\n", topology), "lower tx.pool");
    CHECK(warns(planned("host: {memory: 2 GiB}\n", topology).warnings, "1024 MiB are available"));
    CHECK_FALSE(warns(planned("", topology).warnings, "available"));
}

TEST_CASE("a load above the line is mentioned, however it is written") {
    const std::string line = "wire: {line_rate: 1 Gbit/s}\n";
    // 1 Gbit/s carries 1,488,095 frames of 64 B (RFC 2544 appendix B.1 has the Ethernet
    // arithmetic).
    for (const char* load : {"1.5 Mfps", "1.1 Gbit/s l1"}) {
        INFO(load);
        const Plan plan = planned(line + "traffic: {frame_size: 64 B, load: " + load + "}\n");
        CHECK(warns(plan.warnings, "is above the 1.4881e+06 fps"));
    }
    for (const char* load : {"1.48 Mfps", "1 Gbit/s l1", "100 %", "max"}) {
        INFO(load);
        const Plan plan = planned(line + "traffic: {frame_size: 64 B, load: " + load + "}\n");
        CHECK_FALSE(warns(plan.warnings, "is above"));
    }
}

TEST_CASE("a burst that fills slowly is mentioned") {
    CHECK(warns(planned("traffic: {load: 100 fps}\n").warnings, "set tx.flush_after"));
    CHECK_FALSE(warns(planned("traffic: {load: 100 fps}\ntx: {fill: due}\n").warnings, "flush"));
}

TEST_CASE("who attaches finds a worker by the run's name, which no environment shares") {
    const Plan plan = planned(
        "wire: {kind: ports, gen: \"net_null0,no-rx=1\", sink: none}\nhost: {telemetry: true}\n"
        "arms: [{name: a}, {name: b, set: {wire.gen: \"net_null1,no-rx=1\"}}]\n"
        "compare: {baseline: a}\nmetrics: [tx.fps]\n"
    );
    for (const Cell& cell : plan.cells) {
        REQUIRE(cell.environments.size() == 1);
        CHECK(cell.environments[0].telemetry);
        CHECK(cell.environments[0].file_prefix == (cell.arm == "b" ? "gensink-7-2" : "gensink-7"));
    }
    CHECK(planned("").cells[0].environments[0].file_prefix.empty());
}

TEST_CASE("packet capture needs ports, hugepages, and files of them") {
    const std::string ports =
        "wire: {kind: ports, gen: \"net_null0,no-rx=1\", sink: none}\nmetrics: [tx.fps]\n"
        "host: {pdump: true}\n";
    Topology topology = host(4);
    says(refused("host: {pdump: true}\n", topology), "set wire.kind: ports");
    says(refused(ports, topology), "too few are free");
    topology.hugepages.push_back({2 << 20, SocketId{0}, 1024, 1024});
    topology.hugepages_usable = true;
    says(refused(ports, topology), "no hugetlbfs is mounted");
    topology.hugetlbfs = true;
    const Plan plan = planned(ports, topology);
    CHECK(plan.cells[0].environments[0].pdump);
    CHECK(plan.cells[0].environments[0].file_prefix == "gensink-7");
}
