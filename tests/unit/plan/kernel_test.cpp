// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"

#include "support.hpp"

using namespace gensink;
using namespace gensink::plan;
using namespace gensink::plan::test;

namespace {

const std::string kernel = "wire: {kind: kernel}\n";
const std::string udp = kernel + "kernel: {protocol: udp}\n";

TrialPlan trial_of(const std::string& text) {
    return planned(text).cells.front().trial;
}

}  // namespace

TEST_CASE("a kernel cell has sockets: no device, no memory, one worker over loopback") {
    const Plan plan = planned(kernel);
    const Cell& cell = plan.cells.front();
    CHECK(cell.trial.wire == WireKind::kernel);
    REQUIRE(cell.trial.kernel);
    CHECK(cell.trial.is_tcp());
    CHECK(cell.trial.kernel->loopback);
    CHECK(cell.trial.gen.device.empty());
    REQUIRE(cell.environments.size() == 1);
    CHECK(cell.environments.front().kernel);
    CHECK(cell.environments.front().memory_mib == 0);
    CHECK_FALSE(cell.environments.front().hugepages);
    CHECK(cell.trial.frames.destination_ip == std::array<std::uint8_t, 4>{127, 0, 0, 1});
    says(describe_cells(plan, host(8)), "kernel tcp by write");
}

TEST_CASE("TCP writes blocks, whose frames are full segments with time stamps") {
    const TrialPlan trial = trial_of(kernel + "traffic: {block_size: 4096 B, mtu: 9000}\n");
    CHECK(trial.frames.block_bytes == 4096);
    CHECK(trial.mean_frame_bytes() == 9018);
    CHECK(trial.mean_payload_bytes() == 9000 - 20 - 32);
    CHECK(trial.lossless);
    CHECK(trial_of(kernel).frames.block_bytes == 128 << 10);
}

TEST_CASE("window.limit is the size of both buffers, unless they have their own") {
    const TrialPlan both = trial_of(kernel + "window: {limit: 256 KiB}\n");
    CHECK(both.kernel->send_buffer == 262144);
    CHECK(both.kernel->receive_buffer == 262144);
    CHECK_FALSE(both.transport);
    const TrialPlan own = trial_of(
        "wire: {kind: kernel}\nwindow: {limit: 256 KiB}\nkernel: {receive_buffer: 64 KiB}\n"
    );
    CHECK(own.kernel->send_buffer == 262144);
    CHECK(own.kernel->receive_buffer == 65536);
    CHECK_FALSE(trial_of(kernel).kernel->send_buffer);
}

TEST_CASE("UDP frames are those of ports, and a call takes as many as its sender can") {
    const TrialPlan many = trial_of(udp + "traffic: {frame_size: 1518 B}\n");
    CHECK(many.kernel->sender == KernelSender::sendmmsg);
    CHECK(many.gen.burst == 32);
    CHECK(many.mean_frame_bytes() == 1518);
    CHECK_FALSE(many.lossless);
    CHECK(trial_of(kernel + "kernel: {protocol: udp, sender: write}\n").gen.burst == 1);
    says(
        refused(kernel + "kernel: {protocol: udp, sender: write}\ntx: {burst: 8}\n"),
        "one datagram a call"
    );
    says(
        refused(
            kernel + "kernel: {protocol: udp, sender: gso}\n"
                     "traffic: {frame_size: 1518 B}\ntx: {burst: 64}\n"
        ),
        "lower it to 44"
    );
    says(
        refused(kernel + "kernel: {protocol: udp, sender: gso}\ntraffic: {block_size: 4096 B}\n"),
        "equal datagrams"
    );
}

TEST_CASE("a sender of the other protocol is refused, and all else that sockets do not have") {
    says(refused(kernel + "kernel: {sender: gso}\n"), "choose write, sendfile or msg_zerocopy");
    says(
        refused(kernel + "kernel: {protocol: udp, sender: sendfile}\n"),
        "choose write, sendmmsg or gso"
    );
    const std::string all = refused(
        "wire: {kind: kernel, gen: net_null0, flow_control: on}\ntx: {payload: copy, ring: 64}\n"
        "sink: {fault: {drop_every: 3}}\nack: {policy: immediate}\n"
    );
    for (const char* const key :
         {"wire.flow_control", "tx.payload", "tx.ring", "sink.fault.drop_every"}) {
        says(all, std::string(key) + " says nothing to the kernel's sockets");
    }
    says(all, "`net_null0` is a device");
    says(all, "the kernel has a closed loop of its own");
    says(refused(udp + "traffic: {flows: 4}\n"), "a socket is one flow");
}

TEST_CASE("keys of sockets without sockets are mentioned") {
    const Plan plan = planned("kernel: {protocol: udp}\nsink: {read_size: 4 KiB}\n");
    std::string all;
    for (const std::string& warning : plan.warnings) {
        all += warning + "\n";
    }
    says(all, "only with wire.kind: kernel");
    says(all, "kernel.protocol: tcp");
}

TEST_CASE("a veth pair has room for the largest MTU, and one address an end") {
    const Plan plan =
        planned("wire: {kind: kernel, veth: true}\n"
                "arms:\n"
                "  - {name: one, set: {traffic.mtu: 9000}}\n"
                "  - {name: two, set: {wire.kind: ports, wire.gen: 'net_af_packet0,iface=gen0',"
                " wire.sink: 'net_af_packet1,iface=sink0', traffic.destination_ip: 198.18.0.9}}\n");
    REQUIRE(plan.veth);
    CHECK(plan.veth->mtu == 9000);
    CHECK(plan.veth->gen_netns == "gensink-7-gen");
    CHECK(plan.veth->sink_ip == std::array<std::uint8_t, 4>{198, 18, 0, 2});
    for (const Cell& cell : plan.cells) {
        REQUIRE(cell.environments.size() == 2);
        CHECK(cell.environments.front().netns == "gensink-7-gen");
        CHECK(cell.environments.back().netns == "gensink-7-sink");
    }
    CHECK_FALSE(planned(kernel).veth);
    says(refused("wire: {veth: true}\n"), "set wire.kind: kernel or ports");
    says(
        refused("wire: {kind: kernel, veth: true, gen_netns: a}\n"),
        "wire.veth makes the namespaces"
    );
    says(
        refused("wire: {kind: kernel, veth: true}\n"
                "sweep: {cross: {traffic.source_ip: [10.0.0.1, 10.0.0.2]}}\n"),
        "one address each"
    );
}

TEST_CASE("reverse exchanges the places of the ends, and nothing else") {
    const std::string text =
        "wire: {kind: ports, gen: 'net_af_packet0,iface=a', sink: 'net_af_packet1,iface=b',"
        " gen_netns: x, sink_netns: y}\n"
        "host: {gen_cpus: 3, sink_cpus: 4}\ntx: {burst: 16}\n";
    const TrialPlan forward = trial_of(text);
    const TrialPlan reverse = trial_of(text + "traffic: {direction: reverse}\n");
    CHECK(reverse.gen.device_written == forward.sink->device_written);
    CHECK(reverse.sink->device_written == forward.gen.device_written);
    CHECK(reverse.gen.netns == "y");
    CHECK(reverse.gen.cores.front().cpu == forward.sink->cores.front().cpu);
    CHECK(reverse.frames.source_ip == forward.frames.destination_ip);
    CHECK(reverse.gen.burst == 16);
}

TEST_CASE("over a veth pair the addresses stay with their interfaces in either direction") {
    const Plan plan = planned("wire: {kind: kernel, veth: true}\n"
                              "sweep: {cross: {traffic.direction: [forward, reverse]}}\n");
    REQUIRE(plan.cells.size() == 2);
    CHECK(plan.cells[0].trial.gen.netns == "gensink-7-gen");
    CHECK(plan.cells[1].trial.gen.netns == "gensink-7-sink");
    CHECK(plan.cells[1].trial.frames.destination_ip == std::array<std::uint8_t, 4>{198, 18, 0, 1});
    CHECK(plan.veth->gen_ip == std::array<std::uint8_t, 4>{198, 18, 0, 1});
}

TEST_CASE("with a gensink elsewhere one end is here, and the other's address must be known") {
    const TrialPlan gen =
        trial_of("wire: {kind: kernel, sink: peer}\ntraffic: {destination_ip: 10.0.0.2}\n");
    CHECK(gen.sink->peer);
    CHECK(gen.sink->cores.empty());
    CHECK(gen.gen.cores.size() == 1);
    CHECK_FALSE(gen.kernel->loopback);
    CHECK(gen.frames.source_ip == std::array<std::uint8_t, 4>{});
    CHECK_FALSE(gen.for_peer.empty());
    const Plan sink = planned("wire: {kind: kernel, gen: peer}\n");
    CHECK(sink.cells.front().trial.frames.destination_ip == std::array<std::uint8_t, 4>{});
    REQUIRE(sink.cells.front().environments.size() == 1);
    CHECK_FALSE(sink.cells.front().environments.front().drives_gen);
    CHECK(sink.cells.front().environments.front().peer);
    says(refused("wire: {kind: kernel, sink: peer}\n"), "the address of the host");
    says(
        refused("wire: {kind: kernel, gen: peer}\ntraffic: {direction: reverse}\n"),
        "ends that are both here"
    );
}
